import type { Command } from "commander"

type Common = (command: Command) => Command

/** The terminal, the editors, and what a person settles by hand. */
export function surfaceCommands(root: Command, common: Common) {
  chatting(root, common)
  settling(root, common)
  helping(root)
  speaking(root)
}

function chatting(root: Command, common: Common) {
  common(root.command("chat", { isDefault: true }))
    .description("compose and read in the terminal (what `compositor` alone does)")
    .argument("[nothing...]")
    .option("-m, --model <provider/model>", "which model answers in a new session")
    .option("-s, --session <id>", "go on with a session")
    .option("--continue", "go on with the last session of this workspace")
    .option("--ide", "take along what an editor beside has selected")
    .action(async (words, options) =>
      (await import("./commands/chat.ts")).chatCommand(words, options),
    )
}

const APPROVE_CODES = [
  "",
  "Without a terminal and without an id nothing is said to anything: what waits is shown (exit code 5).",
  "Exit code: 0 answered, 1 failed, or it is another call by now, 2 called wrongly, 5 something waits.",
].join("\n")

function settling(root: Command, common: Common) {
  common(root.command("approve"))
    .description("say yes or no to a call that waits for you, and stream what follows")
    .argument("<session>")
    .argument("[call]", "its id, as it was shown; without, every call is shown and you are asked")
    .option("--deny", "say no")
    .option("--always", "and to all that are like it, in this session")
    .option("--answer <words>", "answer what is asked")
    .addHelpText("after", APPROVE_CODES)
    .action(async (session, call, options) =>
      (await import("./commands/approve.ts")).approveCommand(session, call, options),
    )
  common(root.command("doctor"))
    .description("look whether everything that is needed is there, and say what is not")
    .action(async (options) => (await import("./commands/doctor.ts")).doctorCommand(options))
}

function helping(root: Command) {
  root
    .command("completion")
    .description("print what makes a shell complete our commands")
    .argument("<shell>", "bash, zsh or fish")
    .action(async (shell) =>
      (await import("./commands/completion.ts")).completionCommand(shell, root),
    )
  root
    .command("man")
    .description("print the manual page")
    .action(async () => (await import("./commands/man.ts")).manCommand(root))
}

function speaking(root: Command) {
  root
    .command("acp")
    .description(
      "be an agent for an editor: the Agent Client Protocol over standard input and output",
    )
    .option("--data <folder>", "data folder (or COMPOSITOR_DATA)")
    .option("--url <address>", "another server instead of the data folder's own")
    .option("--token <token>", "its token (or COMPOSITOR_TOKEN)")
    .option("-m, --model <provider/model>", "which model answers in new sessions")
    .action(async (options) => (await import("./commands/acp.ts")).acpCommand(options))
  root
    .command("acp-proxy")
    .description("stand between an editor and another agent: attach files for it, keep what passes")
    .argument("<command...>", "how the agent is started, behind --")
    .option(
      "--agent <name>",
      "whose form of attachments: native, claude, opencode, codex, text",
      "native",
    )
    .option("--root <folder...>", "further folders that attachments may lie in")
    .option("--data <folder>", "data folder (or COMPOSITOR_DATA)")
    .passThroughOptions()
    .action(async (command, options) =>
      (await import("./commands/acp-proxy.ts")).acpProxyCommand(command, options),
    )
}
