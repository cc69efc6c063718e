import { UsageError } from "../complain.ts"
import { type CommonOptions, connect, workspaceFolder } from "../connect.ts"
import { isTerminal } from "../print.ts"

interface TerminalChatOptions extends CommonOptions {
  readonly model?: string
  readonly session?: string
  readonly continue?: boolean
  readonly ide?: boolean
}

/** The composer in the terminal; what is asked where there is no terminal is a mistake. */
export async function chatCommand(words: readonly string[], options: TerminalChatOptions) {
  if (words.length > 0)
    throw new UsageError(`there is no command ${words[0]}: compositor --help lists them`)
  if (!isTerminal())
    throw new UsageError("this is no terminal: say what to do, e.g. compositor send (see --help)")
  const { runTui } = await import("compositor-tui/app")
  const { model, session, continue: continues, ide } = options
  await runTui({
    connect: () => connect(options),
    workspace: workspaceFolder(options),
    model,
    session,
    continues,
    ide,
  })
}
