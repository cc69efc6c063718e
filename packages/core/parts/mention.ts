import type { z } from "zod"
import { fileUri } from "../acp/file-uri.ts"
import { lowerFile } from "../file/lower-file.ts"
import { showName } from "../file/name.ts"
import type { Circumstances } from "../file/policy.ts"
import { normaliseLocation } from "../file/slice.ts"
import { type LoweredPart, verdict } from "../file/verdict.ts"
import { readFragment, readRange } from "../message/file-location.ts"
import { editorMarker } from "../model/marker.ts"
import { firstText, noTitle, nothing, type PartChip } from "./chip.ts"
import {
  type AcpForm,
  type AtMostOne,
  asItCame,
  definePart,
  type FileRequest,
  none,
  type SourcePiece,
} from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z, shortName }: Schemas) =>
  z.looseObject({
    type: z.literal("mention"),
    target: z.looseObject({ kind: shortName }),
  })
export type MentionPart = z.infer<ReturnType<typeof schema>>
type Target = MentionPart["target"]

export const mentionChip: PartChip<MentionPart> = {
  look: "chip",
  tone: "info",
  icon: "none",
  label: ({ target: { kind, name, label, id, path } }) =>
    `@${firstText([name, label, id, path]) ?? kind}`,
  title: noTitle,
  mark: ({ target: { kind, name, path, id } }) => `@${kind}:${firstText([name, path, id]) ?? ""}`,
  line: ({ target }) => `@${Object.values(target).join(":")}`,
  file: nothing,
  needs: ({ target }) => [{ of: "mention", name: target.kind }],
}

/** Something that was named by an `@`: a skill, a symbol, a file, a piece of the editor's state. */
export const mentionPart = /* @__PURE__ */ definePart({
  type: "mention",
  schema,
  texts: { "target.**": "ref" },
  blobs: none,
  handles: none,
  load: ({ target }) => requestOf(target),
  origin: "ref",
  lower: (part, at, file) => (file ? lowerFile(file, "ref", at) : lowerNamed(part, at)),
  voice: ({ target }) => (target.kind === "file" ? "file" : "host"),
  words: () => "",
  acp: ({ target }, root) => blockOf(target, root),
  keep: asItCame,
  source: ({ target }) => piecesOf(target),
  names: ({ target: { kind, path, name } }) => {
    if (kind === "file" && typeof path === "string") return [{ kind, path }]
    return typeof name === "string" ? [{ kind, name }] : []
  },
  chip: mentionChip,
  example: { type: "mention", target: { kind: "symbol", name: "parse" } },
})

function requestOf({ kind, path, entry, range, fragment }: Target): AtMostOne<FileRequest> {
  if (kind !== "file" || typeof path !== "string") return none()
  const place = normaliseLocation({
    entry: typeof entry === "string" ? entry : undefined,
    range: readRange(range),
    fragment: readFragment(fragment),
  })
  return [{ from: "workspace", path, place }]
}

/** What a mention of something inside a document is: the model gets its identifier (CMP-064). */
const ENTITY_KINDS: ReadonlySet<string> = /* @__PURE__ */ new Set(["symbol", "node", "entity"])

function lowerNamed(part: MentionPart, { policy }: Circumstances): LoweredPart {
  const { kind } = part.target
  if (kind === "skill") return verdict("resolved-out", "CMP-107", { reason: skillReason(part) })
  if (!ENTITY_KINDS.has(kind))
    return verdict("resolved-out", "CMP-065", {
      reason: "It names nothing that a model could be shown.",
    })
  const text = editorMarker({ kind: "ref", payload: part.target }, policy.nonce)
  return verdict("inlined", "CMP-064", { reason: "The model is given its identifier.", text })
}

function skillReason({ loaded, target }: MentionPart): string {
  if (loaded !== "before") return "A skill arrives through the skill tool."
  return `The model has the skill ${showName(String(target.name))} already, so it is not sent again.`
}

function blockOf({ kind, path, name, id }: Target, root: string | undefined): AcpForm {
  const lost = `a mention of a ${kind} is carried as it reads`
  if (kind === "file" && typeof path === "string")
    return { block: { type: "resource_link", uri: fileUri(path, root), name: path }, lost }
  const label = firstText([name, id]) ?? ""
  return { block: { type: "text", text: label === "" ? `@${kind}` : `@${kind}:${label}` }, lost }
}

/** Kinds that have a node of their own. */
const NODE_KINDS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "skill",
  "symbol",
  "branch",
  "context",
])

function piecesOf(target: Target): SourcePiece[] {
  const { kind, ...fields } = target
  if (kind === "file" && typeof target.path === "string") return [{ ...fields, kind }]
  if (typeof target.name !== "string" || target.name === "") return none()
  return [NODE_KINDS.has(kind) ? { ...fields, kind } : { ...fields, kind: "mention", of: kind }]
}
