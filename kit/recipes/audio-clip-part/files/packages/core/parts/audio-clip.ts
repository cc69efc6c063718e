import { z } from "zod"
import { lowerFile } from "../file/lower-file.ts"
import { ContentId } from "../message/file-reference.ts"
import { MAX_MIME_CHARACTERS, MAX_TEXT_CHARACTERS } from "../message/limits.ts"
import { noTitle, nothing, type PartChip } from "./chip.ts"
import { asItCame, definePart, none } from "./define-part.ts"

const schema = () =>
  z.looseObject({
    type: z.literal("audio-clip"),
    mime: z.string().min(1).max(MAX_MIME_CHARACTERS),
    content_id: ContentId,
    duration_ms: z.int().min(0),
    transcript: z.string().max(MAX_TEXT_CHARACTERS).optional(),
  })
export type AudioClipPart = z.infer<ReturnType<typeof schema>>

export const audioClipChip: PartChip<AudioClipPart> = {
  look: "card",
  tone: "plain",
  icon: "file",
  label: showClip,
  title: noTitle,
  mark: showClip,
  line: (part) => `[${showClip(part)}]`,
  file: (part) => [{ name: showClip(part), mime: part.mime, content_id: part.content_id }],
  needs: nothing,
}

/** A recording, and the words in it where somebody wrote them down. */
export const audioClipPart = /* @__PURE__ */ definePart({
  type: "audio-clip",
  schema,
  texts: { transcript: "paste" },
  blobs: ({ content_id }) => [content_id],
  handles: ({ content_id }) => [{ name: "clip", content_id }],
  load: ({ content_id }) => [{ from: "blob", content_id, name: "clip", place: {} }],
  origin: "attachment",
  lower: (_, at, file) => lowerFile(file, "attachment", at),
  voice: () => "file",
  words: (part) => `[${showClip(part)}]`,
  acp: (part) => ({
    block: { type: "text", text: showClip(part) },
    lost: "the bytes of the clip are not carried",
  }),
  keep: asItCame,
  source: none,
  names: none,
  chip: audioClipChip,
  example: {
    type: "audio-clip",
    mime: "audio/wav",
    content_id: `sha256:${"a".repeat(64)}`,
    duration_ms: 1500,
    transcript: "hello",
  },
})

function showClip({ duration_ms, transcript }: AudioClipPart): string {
  const seconds = `${(duration_ms / 1000).toFixed(1)} s`
  return transcript === undefined ? `clip of ${seconds}` : `clip of ${seconds}: ${transcript}`
}
