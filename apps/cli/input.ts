import { fstatSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { UsageError } from "./complain.ts"

const MAX_INPUT_BYTES = 16 * 1024 * 1024

/** Whether something was piped or redirected to us. A socket that a parent process left open is not:
 *  waiting for its end would be waiting for ever. */
export function isPiped(): boolean {
  try {
    const stdin = fstatSync(0)
    return stdin.isFIFO() || stdin.isFile()
  } catch {
    return false
  }
}

async function readStandardInput(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    chunks.push(chunk)
    size += chunk.length
    if (size > MAX_INPUT_BYTES)
      throw new UsageError(
        `standard input is larger than ${MAX_INPUT_BYTES} bytes: attach it with -a`,
      )
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** A file's text, or standard input for `-` and for nothing. */
export async function readInput(file: string | undefined): Promise<string> {
  if (file === undefined || file === "-") return readStandardInput()
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(error.code === "ENOENT" ? `${file}: there is no such file` : error.message)
  })
}
