import { openPart, type Part, writePart } from "../../packages/core/parts/table.ts"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { describe, expect, it } from "vitest"
import { partsOfInput } from "../../packages/core/compose/bridge.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"
import { LOAD_LIMITS, load, type Sources } from "../../packages/engine/loading/load.ts"
import { lower, promptMessages } from "../../packages/core/lower/lower.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { policyOf } from "../../packages/engine/policy/policy.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import { admitPart } from "../../packages/engine/submit/admit.ts"
import { resolve } from "../../packages/engine/submit/resolve.ts"
import { EMPTY_ACTIONS } from "../commands/actions.ts"
import { temporaryFolder } from "../build.ts"
import { type Babble, Babbler } from "./babble.ts"

const MESSAGES = Number(process.env.LEAK_MESSAGES ?? 10_000)
const APIS = [
  "anthropic-messages",
  "openai-responses",
  "openai-chat",
  "gemini-generatecontent",
  "bedrock-converse",
  "mistral-chat",
]

type AnyPart = Part
type Change = (part: AnyPart) => AnyPart

const babbler = new Babbler(20_261_115)
const { catalog, known, skills, files } = babbler
const policy = policyOf()

describe("what a model is sent", () => {
  it("[CMP-047] [CMP-061] [CMP-104] [CMP-111] has no word of a recognised token, and all that stood in fences, addresses and files", async () => {
    const sources = await workspace()
    for (let at = 0; at < MESSAGES; at++) {
      const babble = babbler.message()
      const body = await said(babble, { api: apiOf(at), sources })
      expect(leaks(body, babble), babble.source).toEqual([])
      expect(lost(body, babble), `${babble.source}\n\n${body}`).toEqual([])
    }
  }, 120_000)

  it.each([
    ["command", (part: AnyPart) => ({ ...part, outcome: "pass-through" })],
    ["mention", (part: AnyPart) => text(mentioned(part))],
    ["file-ref", (part: AnyPart) => text(`@${addressOf(part)}`)],
  ])("[CMP-047] is caught whenever it shows one token of a %s", async (type, leak) => {
    const sources = await workspace()
    let leaked = 0
    for (let at = 0; at < 500; at++) {
      const babble = babbler.message()
      const left = { tokens: 1 }
      const change: Change = (part) => (part.type === type && left.tokens-- > 0 ? leak(part) : part)
      const body = await said(babble, { api: apiOf(at), sources, change })
      if (left.tokens > 0) continue
      leaked += 1
      expect(leaks(body, babble), babble.source).not.toEqual([])
    }
    expect(leaked).toBeGreaterThan(100)
  })
})

/** The files that can be referred to, on a disk. */
async function workspace(): Promise<Sources> {
  const workspace_root = await temporaryFolder()
  for (const [path, lines] of files) {
    await mkdir(dirname(join(workspace_root, path)), { recursive: true })
    await writeFile(join(workspace_root, path), lines.join("\n"))
  }
  return {
    workspace_root,
    read: readWorkspaceFile,
    blobs: new FileBlobs(join(await temporaryFolder(), "blobs")),
    captured: () => undefined,
    limits: LOAD_LIMITS,
  }
}

function apiOf(at: number): string {
  return APIS[at % APIS.length] ?? ""
}

interface Way {
  readonly api: string
  readonly sources: Sources
  readonly change?: Change
}

async function isFile(path: string): Promise<boolean> {
  return files.has(path)
}

/** Everything that a wire body says, as the model reads it. */
async function said(babble: Babble, { api, sources, change = (part) => part }: Way) {
  const { source, contexts } = babble
  const typed = partsOfInput({ source, nodes: parse(source, known) }, known)
  const { parts } = await resolve(
    {
      catalog,
      skill: (name) => skills.get(name),
      loaded: async () => new Set(),
      shell: async () => "",
      isFile,
      actions: { ...EMPTY_ACTIONS, isFile },
    },
    { parts: [...typed.map(openPart), ...babble.parts], contexts },
  )
  const admitted = await Promise.all(
    parts.map(async ({ id, part }) => ({ id, part: change(await admitPart(policy, part)) })),
  )
  const loaded = await load(admitted, sources)
  const messages = promptMessages(lower(loaded.parts, capabilitiesOfApi(api)))
  const wire = findWire(api)
  if (!wire) throw new Error(`${api} is no wire API`)
  const open = async function* () {}
  const bodies = await Promise.all(
    messages.map((message) => fragmentText(wire.encode(message), open)),
  )
  return stringsIn(JSON.parse(`[${bodies.join()}]`)).join("\n")
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

/** What recognised tokens say, and the body too. */
function leaks(body: string, { secret }: Babble): string[] {
  return secret.filter((word) => body.includes(word))
}

function lost(body: string, { verbatim }: Babble): string[] {
  return verbatim.filter((words) => !body.includes(words))
}

function text(value: string): Part {
  return { type: "text", text: value }
}

function mentioned(part: AnyPart): string {
  const { target } = writePart(part)
  const { kind, name } = target as { kind: string; name: string }
  return kind === "context" ? `@${name}` : `@${kind}:${name}`
}

function addressOf(part: AnyPart): string {
  const { ref } = writePart(part)
  const { path, server, uri } = ref as Readonly<Record<string, string>>
  return path ?? `${server}:${uri}`
}
