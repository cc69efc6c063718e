import type { z } from "zod"
import { resourceBlock } from "../acp/acp-block.ts"
import { showName } from "../file/name.ts"
import type { Circumstances } from "../file/policy.ts"
import { type LoweredPart, verdict } from "../file/verdict.ts"
import { MAX_CONTEXT_CHARACTERS, MAX_NAME_CHARACTERS } from "../message/limits.ts"
import { editorMarker } from "../model/marker.ts"
import { firstText, nothing, type PartChip } from "./chip.ts"
import { definePart, none } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z, shortName }: Schemas) =>
  z.looseObject({
    type: z.literal("editor-context"),
    kind: shortName,
    source: z.string().max(MAX_NAME_CHARACTERS).optional(),
    payload: z
      .record(z.string(), z.unknown())
      .refine(
        (value) => JSON.stringify(value).length <= MAX_CONTEXT_CHARACTERS,
        `must be at most ${MAX_CONTEXT_CHARACTERS} characters of JSON`,
      ),
    /** When the surface sampled it. One that does not say is stamped when its message is kept. */
    emitted_at: z.int().min(0).optional(),
  })
export type EditorContextPart = z.infer<ReturnType<typeof schema>>

export const editorContextChip: PartChip<EditorContextPart> = {
  look: "chip",
  tone: "warn",
  icon: "none",
  label: ({ kind }) => kind,
  title: ({ payload }) => JSON.stringify(payload, null, 1),
  mark: ({ kind, payload: { label, name, path, id } }) => {
    const said = firstText([label, name, path, id])
    return said === undefined ? `context: ${kind}` : `${kind}: ${said}`
  },
  line: ({ kind }) => `[editor-context ${kind}]`,
  file: nothing,
  needs: nothing,
}

/** What an editor or another host says of its state. */
export const editorContextPart = /* @__PURE__ */ definePart({
  type: "editor-context",
  schema,
  texts: { "payload.**": "editor-context" },
  blobs: none,
  handles: none,
  load: none,
  origin: "ref",
  lower: lowerContext,
  voice: () => "host",
  words: ({ kind, payload }) =>
    `[editor context ${kind.toWellFormed()}: ${beginningAndEnd(JSON.stringify(payload))}]`,
  acp: ({ kind, payload }) => ({
    block: resourceBlock(`editor-context/${kind}`, JSON.stringify(payload), "application/json"),
    lost: "editor context is carried as a resource without its time and source",
  }),
  keep: (part, { now }) => (part.emitted_at === undefined ? { ...part, emitted_at: now } : part),
  source: none,
  names: none,
  chip: editorContextChip,
  example: {
    type: "editor-context",
    kind: "selection",
    source: "editor",
    payload: { text: "const one = 1", path: "src/one.ts" },
    emitted_at: 1,
  },
})

function lowerContext(part: EditorContextPart, { policy }: Circumstances): LoweredPart {
  const claimed = policy.claimed ?? {}
  const tool = Object.hasOwn(claimed, part.kind) ? claimed[part.kind] : undefined
  if (tool !== undefined)
    return verdict("tool", "CMP-113", {
      reason: `The tool ${showName(tool)} receives it; the model is told so.`,
      text: `[editor context: ${showName(part.kind)}. The tool ${showName(tool)} has it.]`,
    })
  return verdict("inlined", "CMP-108", {
    reason: "The editor's state is shown in a marker of its own.",
    text: editorMarker(part, policy.nonce),
  })
}

/** Characters that words keep of a payload. */
const MAX_PAYLOAD_CHARACTERS = 400

function beginningAndEnd(text: string): string {
  if (text.length <= MAX_PAYLOAD_CHARACTERS) return text
  const half = MAX_PAYLOAD_CHARACTERS >> 1
  const left_out = text.length - 2 * half
  return `${text.slice(0, half)} […${left_out} characters…] ${text.slice(-half)}`.toWellFormed()
}
