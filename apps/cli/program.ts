import { Command, Option } from "commander"
import { conformanceCommands } from "./conformance-commands.ts"
import { settingsCommands } from "./house-commands.ts"
import type { SendPiece } from "./pieces.ts"
import { printText, tell } from "./print.ts"
import { principalCommands } from "./principal-commands.ts"
import { surfaceCommands } from "./surface-commands.ts"
import { version } from "./version.ts"

/** Every command with its options; of one that must start soon, `wanted` describes only its own. A
 *  command's code is loaded only when it runs. */
export function program(wanted = ""): Command {
  const root = new Command("compositor")
    .description("Compose what you mean for an AI agent; keep it; see what the model sees.")
    .version(version(), "-V, --version")
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({ writeOut: printText, writeErr: tell })
    .showHelpAfterError("(--help shows how it is called)")
  const soon = SOON.get(wanted)
  if (soon) {
    soon(root)
    return root
  }
  for (const add of [serving, sending, composing, looking, moving, keeping, unpacking]) add(root)
  surfaceCommands(root, common)
  settingsCommands(root, common)
  conformanceCommands(root)
  principalCommands(root, common)
  return root
}

const SOON: ReadonlyMap<string, (root: Command) => void> = new Map([
  ["send", sending],
  ["serve", serving],
])

const EXIT_CODES = [
  "Exit code: 0 answered (or accepted, with --no-wait), 1 failed or refused, 2 called wrongly,",
  "4 the server does not answer, 5 it waits for your approval or answer, 130 stopped.",
].join("\n")

/** Options that every command has. */
function common(command: Command): Command {
  return command
    .option("--json", "answer in JSON")
    .option("--data <folder>", "data folder (or COMPOSITOR_DATA)")
    .option("--url <address>", "another server instead of the data folder's own")
    .option("--token <token>", "its token (or COMPOSITOR_TOKEN)")
    .option("--workspace <folder>", "workspace (default: this folder)")
}

function serving(root: Command) {
  common(root.command("serve"))
    .description("start the server and print one link to its page")
    .option("--port <number>", "port (default: 4747, or a free one)")
    .option("--open", "open the page where a desktop exists")
    .option("--another", "start even when a server lives on this folder already")
    .option("--store <address>", "keep rows in postgres://user@host/database (or COMPOSITOR_STORE)")
    .option("--blobs <address>", "keep files in s3://bucket/prefix?… (or COMPOSITOR_BLOBS)")
    .option("--listen <address>", "listen where others reach it, behind a proxy that speaks TLS")
    .option("--allow-host <name...>", "names that it answers to, with their port")
    .option("--limit <limits>", "for each principal: requests=50/s,messages=60/m,uploads=5g/d")
    .option("--metrics-token <token>", "opens /metrics only (or COMPOSITOR_METRICS_TOKEN)")
    .addOption(new Option("--log <format>", "how records look").choices(["text", "json"]))
    .addOption(
      new Option("--log-level <level>", "from which on").choices([
        "debug",
        "info",
        "warn",
        "error",
      ]),
    )
    .option(
      "--trust",
      "trust the instructions (AGENTS.md and the like) of the workspace as they are",
    )
    .option("--drain <seconds>", "so long a turn may take to end on SIGTERM (default: 25)")
    .action(async (options) => (await import("./commands/serve.ts")).serveCommand(options))
}

function sending(root: Command) {
  const pieces: SendPiece[] = []
  const piece = (type: SendPiece["type"]) => (value: string) => pieces.push({ type, value })
  common(root.command("send"))
    .description("send a message and stream the answer")
    .argument("[text...]", "what you say; piped input is added (or is all of it)")
    .addOption(
      new Option("-r, --ref <path#L10-25>", "refer to a file, or lines of it").argParser(
        piece("ref"),
      ),
    )
    .addOption(new Option("-a, --attach <file>", "attach a file").argParser(piece("attach")))
    .addOption(
      new Option("--dir <folder>", "let this session read a folder").argParser(piece("dir")),
    )
    .addOption(
      new Option("--context <kind=json>", "add editor context").argParser(piece("context")),
    )
    .option("-c, --command </name args>", "begin with a command, e.g. /review")
    .option("-m, --model <provider/model>", "which model answers")
    .option("-s, --session <id>", "go on with a session")
    .option("--continue", "go on with the last session of this workspace")
    .option(
      "--trust",
      "trust the instructions (AGENTS.md and the like) of the workspace as they are",
    )
    .option("--ide", "take along what an editor beside has selected")
    .option("--mode <mode>", "immediate, queued, paused or steer", "immediate")
    .option("--id <id>", "message id; the same id twice is one message")
    .option("--approve <command...>", "shell commands of a template that you have seen and allow")
    .option("--no-wait", "do not wait for the answer")
    .addHelpText("after", `\n${EXIT_CODES}`)
    .action(async (text, options) =>
      (await import("./commands/send.ts")).sendCommand(text, pieces, options),
    )
  common(root.command("attach"))
    .description(
      "put a file into the blob store and print its part; for a model, what it would see",
    )
    .argument("<file>")
    .option("--name <name>", "what it is called (default: its own name)")
    .option("--mime <type>", "what you think it is; its bytes decide")
    .option("--api <api>", "what this wire API would be sent, e.g. anthropic-messages")
    .option("-m, --model <provider/model>", "what this model would be sent")
    .action(async (file, options) =>
      (await import("./commands/attach.ts")).attachCommand(file, options),
    )
  common(root.command("lower"))
    .description("show what a model would be sent for a message; nothing is kept")
    .argument("[file]", "message as JSON: { parts } (default or -: standard input)")
    .option("--api <api>", "wire API, e.g. anthropic-messages")
    .option("-m, --model <provider/model>", "which model")
    .option("--policy <policy>", "file references: auto, inline or descriptor")
    .option("--budget <tokens>", "what the message may cost: files step down until it does")
    .action(async (file, options) =>
      (await import("./commands/lower.ts")).lowerCommand(file, options),
    )
}

function composing(root: Command) {
  common(root.command("parse"))
    .description("show what is recognised in a source")
    .argument("[source]", "what was typed (default: standard input)")
    .action(async (source, options) => (await commands()).parseCommand(source, options))
  common(root.command("expand"))
    .description("show what a source comes to: commands expanded, mentions resolved")
    .argument("[source]", "what was typed (default: standard input)")
    .option("--trust", "trust this workspace's command and skill files for this call")
    .option("--approve <command...>", "shell commands that you have seen and allow")
    .action(async (source, options) => (await commands()).expandCommand(source, options))
  common(root.command("complete"))
    .description("show what could be meant at the end of a source")
    .argument("<source>", "what was typed so far, e.g. '@src/ma'")
    .option("--limit <number>", "how many", "20")
    .action(async (source, options) => (await commands()).completeCommand(source, options))
  const group = root.command("commands").description("list, examine and export slash commands")
  common(group.command("list", { isDefault: true }))
    .description("everything that can be typed after a slash")
    .action(async (options) => (await commands()).listCommands(options))
  common(group.command("doctor"))
    .description("what shadows what, where dialects mislead, what is not trusted")
    .action(async (options) => (await commands()).doctorCommands(options))
  common(group.command("export"))
    .description("write the commands as files of another tool")
    .requiredOption("--to <tool>", "claude, opencode, gemini or codex")
    .option("-o, --output <folder>", "write the files there instead of showing them")
    .action(async (options) => (await commands()).exportCommands(options))
  common(root.command("trust"))
    .description(
      "let a file of a repository be used as it is now; without one, list its instructions",
    )
    .argument("[file]", "a command, a skill, an agent, .mcp.json, AGENTS.md and the like")
    .option("--all", "all files of instructions of the workspace")
    .option("--remove", "trust it no longer")
    .action(async (file, options) => (await commands()).trustCommand(file, options))
}

function commands() {
  return import("./commands/commands.ts")
}

function looking(root: Command) {
  const sessions = common(root.command("sessions"))
    .description("list sessions; rename, archive or delete one")
    .option("--archived", "archived ones too")
    .option("--limit <number>", "how many", "20")
    .action(async (options) => (await import("./commands/sessions.ts")).listCommand(options))
  const verbs = [
    ["rename", "<id> <title>", "give a session another title"],
    ["archive", "<id>", "put a session away"],
    ["restore", "<id>", "bring an archived session back"],
    ["rm", "<id>", "delete a session and its content"],
  ] as const
  for (const [verb, words, description] of verbs) {
    const command = common(sessions.command(`${verb} ${words}`)).description(description)
    if (verb === "rm") command.option("--cascade", "its branches too")
    command.action(async (...given) =>
      (await import("./commands/sessions.ts")).changeCommand(verb, given),
    )
  }
  common(root.command("inspect"))
    .description("show every stage of one message, side by side")
    .argument("<session>")
    .option("--message <id>", "which message (default: the last one)")
    .action(async (id, options) =>
      (await import("./commands/inspect.ts")).inspectCommand(id, options),
    )
  common(root.command("models"))
    .description("list the models that are known and which can be asked here")
    .argument("[model]", "with --switch: the model to go on with, e.g. anthropic/claude-sonnet-5-5")
    .option("--refresh", "ask the catalog and the configured servers for news first")
    .option("--switch <session>", "what changes when the session goes on with the model")
    .action(async (model, options) =>
      (await import("./commands/models.ts")).modelsCommand(model, options),
    )
  common(root.command("diff-lowering"))
    .description("show which stored turns would be lowered differently now")
    .requiredOption(
      "--since <version>",
      "turns that this version of the lowering or a later one sent",
    )
    .option("-s, --session <id>", "only this session")
    .action(async (options) =>
      (await import("./commands/diff-lowering.ts")).diffLoweringCommand(options),
    )
}

function moving(root: Command) {
  common(root.command("export"))
    .description("write the folder, or one session, as JSON lines")
    .option("--jsonl", "JSON lines (the only format so far)")
    .option("-s, --session <id>", "only this session")
    .option("-o, --output <file>", "into a file instead of standard output")
    .option("--blobs <folder>", "write attachments as files there instead of into the lines")
    .action(async (options) => (await import("./commands/transfer.ts")).exportCommand(options))
  common(root.command("import"))
    .description("write exported JSON lines into a folder; all or nothing")
    .argument("[file]", "the lines (default or -: standard input)")
    .option("--blobs <folder>", "where the export put its attachments")
    .action(async (file, options) =>
      (await import("./commands/transfer.ts")).importCommand(file, options),
    )
}

function keeping(root: Command) {
  common(root.command("backup"))
    .description("copy rows, files and settings into a folder, while they are in use")
    .argument("<folder>", "an empty or new folder, which then is a data folder")
    .option("--store <address>", "rows are in postgres://user@host/database (or COMPOSITOR_STORE)")
    .option("--blobs <address>", "files are in s3://bucket/prefix?… (or COMPOSITOR_BLOBS)")
    .action(async (folder, options) =>
      (await import("./commands/backup.ts")).backupCommand(folder, options),
    )
  root
    .command("migrate")
    .description("move a data folder's rows into an empty PostgreSQL database, and compare them")
    .argument("<folder>", "the data folder that is left")
    .argument("<url>", "postgres://user@host/database")
    .option("--json", "answer in JSON")
    .action(async (folder, url, options) =>
      (await import("./commands/migrate.ts")).migrateCommand(folder, url, options),
    )
  common(root.command("vacuum"))
    .description("give back the space of what was deleted")
    .action(async (options) => (await import("./commands/backup.ts")).vacuumCommand(options))
}

function unpacking(root: Command) {
  root
    .command("fetch")
    .description("fetch a public address as text, safely")
    .argument("<url>", "http: or https:")
    .option("--allow <host:port...>", "doors that may be reached though they are not public")
    .option("--max-bytes <number>", "at most so many bytes once unpacked")
    .option("--raw", "show a page's HTML instead of its text")
    .option("--json", "answer in JSON")
    .addHelpText("after", "\nExit code: 0 fetched, 1 refused.")
    .action(async (url, options) =>
      (await import("./commands/fetch.ts")).fetchCommand(url, options),
    )
  root
    .command("extract")
    .description("extract an archive safely, whole or not at all")
    .argument("<archive>", "zip, tar, gz, bz2, xz, zst, 7z or rar")
    .option("--to <folder>", "a new or empty folder")
    .option("--limit <bytes>", "at most so many bytes, e.g. 500MB (default: 100 MB)")
    .option("--max-bytes <bytes>", "the same as --limit")
    .option("--max-files <count>", "at most so many files, up to 250000 (default: 10000)")
    .option("--list", "show what is inside and extract nothing")
    .option("--json", "answer in JSON")
    .addHelpText("after", "\nExit code: 0 extracted, 1 refused, 3 a format that is not read.")
    .action(async (archive, options) =>
      (await import("./commands/extract.ts")).extractCommand(archive, options),
    )
  root
    .command("convert")
    .description("make text, pictures or a PDF of a file")
    .argument("<file>", "PDF, office, image, design, audio, video, mail, book, table …")
    .option("--to <what>", "text, png or pdf", "text")
    .option(
      "--fragment <place>",
      "only a place in it, e.g. page=3-7, t=40,70, sheet=Q3&range=A1:D20",
    )
    .option("--out <folder>", "where files go (default: this folder)")
    .option("--json", "answer in JSON")
    .addHelpText("after", "\nExit code: 0 converted, 1 refused, 3 a program is not installed.")
    .action(async (file, options) =>
      (await import("./commands/convert.ts")).convertCommand(file, options),
    )
}
