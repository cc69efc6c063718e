import type { Command } from "commander"

type Common = (command: Command) => Command

/** What a house has beside sessions: memory, triggers, servers and agents. */
export function settingsCommands(root: Command, common: Common) {
  remembering(root, common)
  waking(root, common)
  common(root.command("mcp"))
    .description("list the MCP servers of this workspace and what they offer")
    .action(async (options) => (await import("./commands/mcp.ts")).listServers(options))
  common(root.command("agents"))
    .description("list who can answer in this workspace")
    .action(async (options) => (await import("./commands/mcp.ts")).listAgents(options))
}

function remembering(root: Command, common: Common) {
  const group = root.command("memory").description("list, show, edit and forget what is remembered")
  const scoped = (command: Command) =>
    common(command).option("--scope <scope>", "user or project (default: both)")
  scoped(group.command("list", { isDefault: true }))
    .description("what is remembered, a line for each")
    .action(async (options) => (await memory()).listMemory(options))
  scoped(group.command("show"))
    .description("one memory whole")
    .argument("<name>")
    .action(async (name, options) => (await memory()).showMemory(name, options))
  scoped(group.command("edit"))
    .description("write a memory in $EDITOR, or from what is piped in")
    .argument("<name>")
    .option("-f, --file <file>", "from a file, or - for standard input")
    .option("--description <line>", "one line (default: its first)")
    .option("--type <word>", "user, feedback, project, reference …")
    .action(async (name, options) => (await memory()).editMemory(name, options))
  scoped(group.command("rm"))
    .description("forget a memory")
    .argument("<name>")
    .action(async (name, options) => (await memory()).removeMemory(name, options))
  common(group.command("proposals"))
    .description("what agents asked to remember or forget while nobody watched")
    .action(async (options) => (await memory()).listProposals(options))
  common(group.command("accept"))
    .description("do what a proposal says")
    .argument("<id>")
    .action(async (id, options) => (await memory()).decideProposal(id, true, options))
  common(group.command("reject"))
    .description("drop a proposal")
    .argument("<id>")
    .action(async (id, options) => (await memory()).decideProposal(id, false, options))
}

function memory() {
  return import("./commands/memory.ts")
}

function waking(root: Command, common: Common) {
  const group = root.command("triggers").description("wake sessions by clock, webhook or event")
  common(group.command("list", { isDefault: true }))
    .description("what wakes sessions, and when it fires next")
    .option("-s, --session <id>", "only those of one session")
    .action(async (options) => (await triggers()).listTriggers(options))
  common(group.command("add"))
    .description("have a session woken")
    .argument("<prompt>", "what it is told; {{body}} and {{issue.title}} stand for what comes in")
    .option("-s, --session <id>", "which session")
    .option("--cron <expression>", 'such as "0 9 * * 1-5"')
    .option("--timezone <zone>", "of the cron expression (default: UTC)")
    .option("--every <time>", "such as 30s, 15m, 2h or 1d")
    .option("--at <time>", "once, such as 2027-01-31T09:00:00+01:00")
    .option("--webhook", "by a signed delivery; its key is printed once")
    .option("--api", "only when it is fired")
    .option("--mcp <server[:uri]>", "when a server says that a resource changed")
    .option("--reason <text>", "why, for whoever finds it")
    .action(async (prompt, options) => (await triggers()).addTrigger(prompt, options))
  common(group.command("rm"))
    .description("wake a session no more")
    .argument("<id>")
    .action(async (id, options) => (await triggers()).removeTrigger(id, options))
  common(group.command("disable"))
    .description("keep a trigger and fire it no more")
    .argument("<id>")
    .action(async (id, options) => (await triggers()).switchTrigger(id, false, options))
  common(group.command("enable"))
    .description("let a trigger fire again, from now on")
    .argument("<id>")
    .action(async (id, options) => (await triggers()).switchTrigger(id, true, options))
  common(group.command("fire"))
    .description("fire a trigger now")
    .argument("<id>")
    .option("--payload <text>", "what comes in: a text, JSON, or @file")
    .option("--delivery <id>", "the same id twice is one message")
    .action(async (id, options) => (await triggers()).fireTrigger(id, options))
}

function triggers() {
  return import("./commands/triggers.ts")
}
