import { access, constants, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Client } from "compositor-client/client"
import { type CommonOptions, withConnection, dataFolder, workspaceFolder } from "../connect.ts"
import { type CheckFinding, fine, findMissing, findWrong } from "./finding.ts"

const MAX_TOLD = 10

/** The workspace, and what the rooms themselves say of it; `known` is what was found so far. */
export async function insideFindings(
  options: CommonOptions,
  known: readonly CheckFinding[],
): Promise<CheckFinding[]> {
  const workspace = workspaceFolder(options)
  const inside = await roomFindings(options, workspace)
  // What keeps the rooms shut may have been told already, and better.
  const isKnown = ({ says }: CheckFinding) => known.some((one) => one.says === says)
  return [await workspaceFinding(workspace), ...inside.filter((finding) => !isKnown(finding))]
}

async function workspaceFinding(folder: string): Promise<CheckFinding> {
  const about = "workspace"
  const found = await stat(folder).catch(() => undefined)
  if (!found?.isDirectory())
    return findWrong(about, `${folder} is no folder`, "name one that is: --workspace <folder>")
  const may = (mode: number) => access(folder, mode).catch((error: Error) => error)
  if (await may(constants.R_OK | constants.X_OK))
    return findWrong(about, `${folder} may not be read by you`, `chmod u+rx ${folder}`)
  if (await may(constants.W_OK))
    return findMissing(about, `${folder} may not be written by you: tools only look`)
  return fine(about, folder)
}

async function roomFindings(options: CommonOptions, workspace: string): Promise<CheckFinding[]> {
  try {
    return await withConnection(options, async ({ client }) => [
      await providersFinding(client),
      ...(await commandFindings(client, workspace)),
      ...(await instructionFindings(client, workspace)),
      ...(await mcpFindings(client, workspace)),
      ...(await agentFindings(client, workspace)),
    ])
  } catch (error) {
    return [roomsFault(error instanceof Error ? error : new Error(String(error)), options)]
  }
}

/** Why nothing can be kept or asked here. */
function roomsFault({ message }: Error, options: CommonOptions): CheckFinding {
  if (options.url !== undefined)
    return findWrong(
      "rooms",
      message,
      `is ${options.url} the right address, and its token the right one?`,
    )
  const file = join(dataFolder(options), "compositor.db")
  if (!/database|disk image|malformed|schema/i.test(message))
    return findWrong("rooms", message, "nothing can be sent before this is mended")
  return findWrong(
    "rooms",
    `${file}: ${message}`,
    "put a copy of compositor backup in its place, or move it away and begin anew",
  )
}

async function providersFinding(client: Client): Promise<CheckFinding> {
  const { models } = await client.models()
  // Loaded here: whoever asks for anything else does without the wires.
  const { WIRES } = await import("compositor-core/wires/wires")
  const remote = WIRES.filter((wire) => wire.runs === "remote")
  const able = new Set(models.filter(({ available }) => available).map((one) => one.provider_id))
  const real = [...able].filter((id) => remote.some(({ provider_id }) => provider_id === id))
  if (real.length > 0) return fine("providers", real.join(", "))
  const keys = remote.flatMap(({ example }) => Object.keys(example.environment))
  return findMissing(
    "providers",
    "none is set up: the mirror answers, and shows what a model would see",
    `${exportOneOf(keys)}; see compositor models)`,
  )
}

/** `export A_API_KEY=… (or B_, C_API_KEY`: the keys of vendors, one of which is enough. */
function exportOneOf(names: readonly string[]): string {
  const keys = new Set(names.filter((name) => name.endsWith(KEY)))
  const [first, ...others] = [...keys].map((name) => name.slice(0, -KEY.length))
  return `export ${first}${KEY}=… (or ${others.join("_, ")}${KEY}`
}

const KEY = "_API_KEY"

/** What is wrong in the files of commands and skills; notes are left to `commands doctor`. */
async function commandFindings(client: Client, workspace: string): Promise<CheckFinding[]> {
  const { findings } = await client.commands.doctor({ workspace })
  const told = findings.filter(({ level }) => level !== "note")
  if (told.length === 0) return [fine("commands", "every file of commands and skills can be read")]
  return atMost(
    told.map(({ level, path, line, message }) => {
      const says = `${path}:${line}: ${message}`
      const mend = "mend the file; compositor commands doctor tells all that there is to say"
      return level === "error" ? findWrong("commands", says, mend) : findMissing("commands", says)
    }),
    "compositor commands doctor",
  )
}

/** Whose word the project's instructions are. */
async function instructionFindings(client: Client, workspace: string): Promise<CheckFinding[]> {
  const { files } = await client.commands.instructions({ workspace }).catch(() => ({ files: [] }))
  const about = "instructions"
  return files.map(({ path, trusted }) =>
    trusted
      ? fine(about, `${path}: trusted, part of the system prompt`)
      : findMissing(about, `${path}: not trusted, quoted to the model`, `compositor trust ${path}`),
  )
}

async function mcpFindings(client: Client, workspace: string): Promise<CheckFinding[]> {
  const { servers } = await client.mcp({ workspace })
  const about = "MCP server"
  const found = servers.map(({ server, path, trusted, disabled, error, tools = 0 }) => {
    const says = `${server} (${path})`
    if (disabled) return fine(about, `${says}: off`)
    if (!trusted) return findMissing(about, `${says}: not trusted`, `compositor trust ${path}`)
    if (error !== undefined)
      return findWrong(
        about,
        `${says}: ${error}`,
        `mend its entry, or turn it off: "disabled": true`,
      )
    return fine(about, `${says}: ${tools} tools`)
  })
  return atMost(found, "compositor mcp")
}

async function agentFindings(client: Client, workspace: string): Promise<CheckFinding[]> {
  const { agents } = await client.agents({ workspace })
  const faulty = agents.flatMap(({ type, path, faults = [] }) =>
    faults.map((fault) => findWrong("agents", `${path ?? type}: ${fault}`, "mend the file")),
  )
  return atMost(faulty, "compositor agents")
}

/** The wrong ones first, and how to see the rest. */
function atMost(findings: readonly CheckFinding[], command: string): CheckFinding[] {
  const order = { wrong: 0, missing: 1, fine: 2 }
  const sorted = findings.toSorted((one, other) => order[one.state] - order[other.state])
  const left = sorted.slice(MAX_TOLD)
  const [first] = left
  if (!first) return sorted
  const more = { about: first.about, state: first.state, says: `and ${left.length} more` }
  return [...sorted.slice(0, MAX_TOLD), { ...more, mend: command }]
}
