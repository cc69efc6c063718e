import { realpathSync } from "node:fs"
import process from "node:process"
import { version } from "./version.ts"

/** Run one command. What goes wrong becomes one sentence and an exit code, here and nowhere else. */
export async function main(argv: readonly string[]): Promise<void> {
  // Asked by scripts before anything else: nothing is loaded for it.
  if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) {
    process.stdout.write(`${version()}\n`)
    return
  }
  // Children must not inherit the cache that only speeds up our own start.
  delete process.env.NODE_COMPILE_CACHE
  // Whoever read our output has gone, as in `compositor export | head`: there is nobody to tell.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    process.exit(error.code === "EPIPE" ? 0 : 1)
  })
  const { program } = await import("./program.ts")
  try {
    await program().parseAsync([...argv], { from: "user" })
  } catch (error) {
    const { complain } = await import("./complain.ts")
    process.exitCode = complain(error, argv.includes("--json"))
  }
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === import.meta.filename)
  await main(process.argv.slice(2))
