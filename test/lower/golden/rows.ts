import type { PartData } from "../../../packages/core/parts/define-part.ts"
import { DEFAULT_POLICY } from "../../../packages/core/lower/policy.ts"
import type { AnswerPart } from "../../../packages/core/lower/assistant.ts"
import { lowerAssistant } from "../../../packages/core/lower/assistant.ts"
import { promptMessages } from "../../../packages/core/lower/lower.ts"
import type { Capabilities } from "../../../packages/core/model/capabilities.ts"
import { capabilitiesOfApi } from "../../../packages/core/wires/models.ts"
import type { Media, PromptMessage } from "../../../packages/core/model/prompt.ts"
import { findWire } from "../../../packages/core/wires/wires.ts"
import { fragmentText } from "../../../packages/engine/providers/write-body.ts"
import { attachment, bytes, fileRef, named, png, text } from "../../build.ts"
import { type House, house } from "../house.ts"

/** What each wire API is asked for; the expected bodies stand beside this file, written out. */
export const MODELS = {
  "anthropic-messages": "claude-x",
  "openai-responses": "gpt-x",
  "openai-chat": "gpt-x",
  "gemini-generatecontent": "gemini-3-x",
  "bedrock-converse": "anthropic.claude-x",
  "mistral-chat": "mistral-x",
} as const
export type Api = keyof typeof MODELS
export type Sight = "vision" | "text-only"

/** What the model said to the user's message, and what it is asked after that. */
interface Answered {
  readonly said: (api: Api, media: Samples) => readonly AnswerPart["data"][]
  readonly next: string
}

interface Row {
  readonly parts: readonly PartData[]
  readonly answered?: Answered
  readonly tool?: { readonly name: string; readonly description: string }
}

const WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

/** Files that are no more than what makes them recognisable. */
export const FILES = {
  png: png(3, 2),
  pdf: bytes("%PDF-1.7\n"),
  wav: bytes(
    "RIFF",
    [36, 0, 0, 0],
    "WAVEfmt ",
    [16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 128, 62, 0, 0, 2, 0, 16, 0],
    "data",
    [0, 0, 0, 0],
  ),
  mp4: bytes([0, 0, 0, 24], "ftypisom", [0, 0, 2, 0], "isomiso2", [0, 0, 0, 8], "mdat"),
  docx: office(`<Override ContentType="${WORD}.main+xml"/>`),
  zip: stored("a.txt", "hello"),
  svg: bytes('<svg xmlns="http://www.w3.org/2000/svg"/>\n'),
  heic: bytes([0, 0, 0, 24], "ftypheic", [0, 0, 0, 0], "heicmif1", Buffer.alloc(8)),
  csv: bytes("a,b\n1,2\n"),
  binary: bytes([0, 1, 2, 3]),
}

function office(types: string): Buffer {
  return stored("[Content_Types].xml", `<Types>${types}</Types>`)
}

function stored(name: string, content: string): Buffer {
  const size = [content.length, 0, 0, 0]
  const head = [20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  return bytes("PK\x03\x04", head, size, size, [name.length, 0, 0, 0], name, content)
}

export const WORKSPACE = {
  "src/a.ts": "export const a = 1\nexport const b = 2\nexport const c = 3\n",
  "logo.png": FILES.png,
  "big.log": "a line of a long log\n".repeat(2000),
  "docs/readme.md": "# Read me\n",
}

const ATTACH = { name: "attach", description: "Show a file." }

export const ROWS = {
  text: { parts: [text("Say hi.")] },
  "file-ref, text": { parts: [text("Look at"), fileRef("src/a.ts")] },
  "file-ref, range": { parts: [fileRef("src/a.ts", { start: 2, end: 3 }), text("Why?")] },
  "file-ref, image": { parts: [text("What is this?"), fileRef("logo.png")] },
  "file-ref, large": { parts: [text("Find the error in"), fileRef("big.log")] },
  "file-ref, directory": { parts: [text("List"), fileRef("docs")] },
  "file-ref, missing": { parts: [text("Open"), fileRef("gone.ts")] },
  "directory-ref": {
    parts: [
      text("Search"),
      { type: "directory-ref", ref: { kind: "scope", id: "dir_1", name: "docs" } },
    ],
  },
  "attachment, image": { parts: [attachment("a.png", FILES.png), text("Describe it.")] },
  "attachment, pdf": { parts: [text("Sum up"), attachment("a.pdf", FILES.pdf)] },
  "attachment, audio": { parts: [text("Transcribe"), attachment("a.wav", FILES.wav)] },
  "attachment, video": { parts: [text("Watch"), attachment("a.mp4", FILES.mp4)] },
  "attachment, office": { parts: [text("Read"), attachment("a.docx", FILES.docx)] },
  "attachment, csv": { parts: [text("Add up"), attachment("a.csv", FILES.csv)] },
  "attachment, unknown binary": { parts: [text("Guess"), attachment("a.bin", FILES.binary)] },
  "command, host action": {
    parts: [{ type: "command", id: "/compact", args: {}, outcome: "action" }, text("Then go on.")],
  },
  "command, result": {
    parts: [
      { type: "command", id: "/search", args: { raw: "errors" }, outcome: "parts" },
      { type: "text", text: "errors", intent: "search" },
    ],
  },
  "command, pass-through": {
    parts: [
      {
        type: "command",
        id: "/frobnicate",
        args: { raw: "now" },
        outcome: "pass-through",
        raw: "/frobnicate now",
      },
    ],
  },
  "mention, skill": {
    parts: [{ type: "mention", target: { kind: "skill", name: "review" } }, text("Be strict.")],
  },
  "mention, file": {
    parts: [{ type: "mention", target: { kind: "file", path: "docs/readme.md" } }, text("Fix it.")],
  },
  "mention, symbol": {
    parts: [{ type: "mention", target: { kind: "symbol", name: "parse" } }, text("Explain.")],
  },
  "mention, other": {
    parts: [{ type: "mention", target: { kind: "weather", city: "Ulm" } }, text("And now?")],
  },
  "editor-context": {
    parts: [
      text("Make it blue."),
      {
        type: "editor-context",
        kind: "selection",
        source: "canvas",
        payload: { node: 7, name: "</editor_context>" },
        emitted_at: 1,
      },
    ],
  },
  "skill-content": {
    parts: [
      text("Look at my change."),
      {
        type: "skill-content",
        name: "review",
        arguments: "strict",
        text: "Read the diff twice.",
        initiator: "user",
      },
    ],
    tool: { name: "skill", description: "Load a skill." },
  },
  "tool result, image": {
    parts: [text("Look.")],
    answered: {
      said: (_, media) => [
        read("logo.png", "3 x 2", { type: "image", media: media.png, width: 3, height: 2 }),
      ],
      next: "Go on.",
    },
    tool: ATTACH,
  },
  "tool result, pdf": {
    parts: [text("Look.")],
    answered: {
      said: (_, media) => [read("a.pdf", "1 page", { type: "document", media: media.pdf })],
      next: "Go on.",
    },
    tool: ATTACH,
  },
  "tool result, wav": {
    parts: [text("Listen.")],
    answered: {
      said: (_, media) => [read("a.wav", "1 second", { type: "audio", media: media.wav })],
      next: "Go on.",
    },
    tool: ATTACH,
  },
  reasoning: {
    parts: [text("Why?")],
    answered: {
      said: (api) => [
        { type: "reasoning", text: "I wonder.", seal: sealOf(api, SEALS[api].thought) },
        { type: "text", text: "Because. \n", seal: sealOf(api, SEALS[api].words) },
      ],
      next: "I see.",
    },
  },
  "unknown part": { parts: [{ type: "poem", text: "Roses are red." }, { type: "dance" }] },
} satisfies Readonly<Record<string, Row>>
export type RowName = keyof typeof ROWS

function read(path: string, data: string, block: object): AnswerPart["data"] {
  return {
    type: "tool-attach",
    tool_call_id: "call_1",
    state: "output-available",
    input: { path },
    output: { data, blocks: [block] },
  }
}

function sealOf(api: Api, seal: object | undefined) {
  return seal && { api, model: MODELS[api], ...seal }
}

/** What each API wants back with what its model thought and said. */
const SIGNED = { thought: { signature: "c2ln" }, words: undefined }
const SEALS: Readonly<
  Record<Api, { readonly thought: object; readonly words?: object | undefined }>
> = {
  "anthropic-messages": SIGNED,
  "openai-responses": { thought: { id: "rs_1", encrypted: "ZW5j" }, words: { id: "msg_1" } },
  "openai-chat": SIGNED,
  "gemini-generatecontent": SIGNED,
  "bedrock-converse": SIGNED,
  "mistral-chat": SIGNED,
}

type Samples = Readonly<Record<"png" | "pdf" | "wav", Media>>

async function samples({ blobs }: House): Promise<Samples> {
  const sample = async (name: string, mime: string, file: Uint8Array): Promise<Media> => ({
    name,
    mime,
    ...(await blobs.putBytes(file)),
  })
  return {
    png: await sample("logo.png", "image/png", FILES.png),
    pdf: await sample("a.pdf", "application/pdf", FILES.pdf),
    wav: await sample("a.wav", "audio/wav", FILES.wav),
  }
}

export function capabilitiesFor(api: Api, sight: Sight): Capabilities {
  return capabilitiesOfApi(api, sight === "vision" ? undefined : ["text"])
}

/** The request that a row becomes. */
export async function bodyOf(name: RowName, api: Api, sight: Sight): Promise<unknown> {
  const { parts, answered, tool }: Row = ROWS[name]
  const rooms = await house(WORKSPACE)
  const capabilities = capabilitiesFor(api, sight)
  const asked = await rooms.lower(
    parts.map((part, at) => named(part, `prt_${at}`)),
    capabilities,
  )
  const said = answered?.said(api, await samples(rooms)).map((data, at) => ({
    id: `prt_a${at}`,
    data,
  }))
  const circumstances = { capabilities, policy: DEFAULT_POLICY, closed: true }
  const messages: PromptMessage[] = [
    ...promptMessages(asked),
    ...(said ? lowerAssistant(said, circumstances).messages : []),
    ...(answered ? [{ role: "user", blocks: [text(answered.next)] } as PromptMessage] : []),
  ]
  return bodyOfMessages(messages, { api, tool, rooms })
}

interface Request {
  readonly api: Api
  readonly tool?: Row["tool"]
  readonly rooms: House
}

export async function bodyOfMessages(
  messages: readonly PromptMessage[],
  { api, tool, rooms }: Request,
): Promise<unknown> {
  const wire = findWire(api)
  if (!wire) throw new Error(`${api} is no wire API`)
  const model = MODELS[api]
  const tools = tool ? { tools: [{ ...tool, parameters: { type: "object" } }] } : {}
  const body = wire.body(
    { model, system: "Be kind.", max_tokens: 100, ...tools },
    messages.map((message) => wire.encode(message, model)),
  )
  return JSON.parse(await fragmentText(body, ({ content_id }) => rooms.blobs.open(content_id)))
}
