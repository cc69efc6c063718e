import type { z } from "zod"
import { showName } from "../file/name.ts"
import { verdict } from "../file/verdict.ts"
import { nothing, noTitle, type PartChip } from "./chip.ts"
import { asItCame, definePart, none } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z, shortName }: Schemas) =>
  z.looseObject({
    type: z.literal("directory-ref"),
    ref: z.looseObject({
      kind: z.literal("scope"),
      id: z.string().regex(/^dir_\S+$/),
      name: shortName,
    }),
  })
type DirectoryRefPart = z.infer<ReturnType<typeof schema>>

export const directoryRefChip: PartChip<DirectoryRefPart> = {
  look: "chip",
  tone: "accent",
  icon: "none",
  label: ({ ref }) => `${ref.name}/`,
  title: noTitle,
  mark: ({ ref }) => `folder ${ref.name}`,
  line: () => "[directory-ref]",
  file: nothing,
  needs: nothing,
}

/** A tree that the user granted by a gesture. `id` is the authority, `name` is only shown (CMPH-001). */
export const directoryRefPart = /* @__PURE__ */ definePart({
  type: "directory-ref",
  schema,
  texts: { "ref.**": "paste" },
  blobs: none,
  handles: ({ ref }) => [{ name: ref.name }],
  load: none,
  origin: "ref",
  lower: ({ ref }) =>
    verdict("descriptor", "CMPH-005", {
      reason: "Only its name is shown: what is in it is found by tools.",
      text: `[directory: ${showName(ref.name)} (${showName(ref.id)}), read only. Its contents are not included.]`,
    }),
  voice: () => "others",
  words: ({ ref }) => `[directory ${ref.name.toWellFormed()}]`,
  acp: ({ ref }) => ({
    block: { type: "text", text: `[directory: ${ref.name}]` },
    lost: "the right to read a directory is not carried",
  }),
  keep: asItCame,
  source: none,
  names: none,
  chip: directoryRefChip,
  example: { type: "directory-ref", ref: { kind: "scope", id: "dir_1", name: "src" } },
})
