import { existsSync, readFileSync, realpathSync } from "node:fs"
import process from "node:process"
import { version } from "./version.ts"
import { leaveWithReader, printText, tellLine } from "./print.ts"

/** Run one command. What goes wrong becomes one sentence and an exit code, here and nowhere else. */
export async function main(argv: readonly string[]): Promise<void> {
  if (argv.length === 1 && saysAtOnce(argv[0])) return
  // Children must not inherit the cache that only speeds up our own start.
  delete process.env.NODE_COMPILE_CACHE
  tellTheUnexpected()
  leaveWithReader()
  const { program } = await import("./program.ts")
  try {
    await program(argv[0]).parseAsync([...argv], { from: "user" })
  } catch (error) {
    const { complain } = await import("./complain.ts")
    process.exitCode = complain(error, argv.includes("--json"))
  }
}

/** Node would print a failure that nobody caught as it is, whoever wrote its words. */
function tellTheUnexpected() {
  process.on("uncaughtException", (error) => {
    tellLine(`compositor: ${error?.stack ?? String(error)}`)
    process.exit(1)
  })
}

/** What is asked most often is said before anything is loaded. */
function saysAtOnce(flag: string | undefined): boolean {
  const text = flag === "--version" || flag === "-V" ? `${version()}\n` : helpFor(flag)
  if (text === undefined) return false
  printText(text)
  return true
}

/** A build writes the help down; the sources ask the program itself. */
function helpFor(flag: string | undefined): string | undefined {
  if (flag !== "--help" && flag !== "-h") return undefined
  const file = new URL("./help.txt", import.meta.url)
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename)
  await main(process.argv.slice(2))
