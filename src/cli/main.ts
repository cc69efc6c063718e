import { realpathSync } from "node:fs"
import process from "node:process"
import { program } from "./program.ts"
import { complain } from "./complain.ts"

/** Run one command. What goes wrong becomes one sentence and an exit code, here and nowhere else. */
export async function main(argv: readonly string[]): Promise<void> {
  // Children must not inherit the cache that only speeds up our own start.
  delete process.env.NODE_COMPILE_CACHE
  // Whoever read our output has gone, as in `compositor export | head`: there is nobody to tell.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1)
  })
  try {
    await program().parseAsync([...argv], { from: "user" })
  } catch (error) {
    process.exitCode = complain(error, argv.includes("--json"))
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename)
  await main(process.argv.slice(2))
