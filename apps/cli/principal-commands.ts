import { type Command, InvalidArgumentError } from "commander"

type Common = (command: Command) => Command

/** Who else may use the server, and what they did there. */
export function principalCommands(root: Command, common: Common) {
  const group = root
    .command("principals")
    .description("let people and projects share this server, each with what is its own")
  common(group.command("list", { isDefault: true }))
    .description("who shares this server")
    .action(async (options) => (await principals()).listPrincipals(options))
  common(group.command("add"))
    .description("let a person or a project in; its first token is printed once")
    .argument("<id>", "user:<name> or project:<name>")
    .option("--name <text>", "what it is called (default: its id)")
    .option("--allow <folder...>", "workspaces that its sessions may work in")
    .option("--expires <time>", "when its token ends: 90d, or a time (default: never)")
    .option("--requests-per-second <number>", "at most so many requests", numberOf)
    .option("--messages-per-minute <number>", "at most so many messages", numberOf)
    .option("--upload-bytes-per-day <number>", "at most so many bytes uploaded", numberOf)
    .action(async (id, options) => (await principals()).addPrincipal(id, options))
  common(group.command("revoke"))
    .description("let it in no more; what it made stays")
    .argument("<id>")
    .action(async (id, options) => (await principals()).revokePrincipal(id, options))
  tokens(group, common)
  common(root.command("audit"))
    .description("who asked this server for what, the newest first")
    .option("--principal <id>", "only one of them, or operator")
    .option("--since <time>", "not older: 2h, 7d, or a time")
    .option("--limit <number>", "at most so many entries (default: 100)", numberOf)
    .action(async (options) => (await import("./commands/audit.ts")).auditCommand(options))
}

function tokens(principal: Command, common: Common) {
  const group = principal.command("token").description("the tokens by which one is known")
  common(group.command("list", { isDefault: true }))
    .description("its tokens, and when each was last used")
    .argument("<id>", "whose")
    .action(async (id, options) => (await principals()).listTokens(id, options))
  common(group.command("add"))
    .description("a new token, printed once")
    .argument("<id>", "whose")
    .option("--name <text>", "what it is for (default: token)")
    .option("--expires <time>", "when it ends: 90d, or a time (default: never)")
    .action(async (id, options) => (await principals()).addToken(id, options))
  common(group.command("revoke"))
    .description("let nobody in by a token any more")
    .argument("<id>", "whose")
    .argument("<token>", "its id, as the list has it")
    .action(async (id, token, options) => (await principals()).revokeToken(id, token, options))
}

function principals() {
  return import("./commands/principals.ts")
}

function numberOf(text: string): number {
  const value = Number(text)
  if (value > 0 && Number.isFinite(value)) return value
  throw new InvalidArgumentError("it must be a number above 0.")
}
