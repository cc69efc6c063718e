import { recordOf } from "compositor-core/message/untyped"
import { PATH_DIGITS } from "compositor-core/file/attachment-path"
import { openJson } from "compositor-core/message/stored-json"
import type { Store } from "../store/store.ts"
import type { AttachedFile } from "../tools/tool.ts"

/** What a session carries under a content id or its first digits, with the name it came by. Whether the
 *  session may read it the store says: an id in a text is none. */
export async function attachedFile(
  store: Pick<Store, "sessionHasBlob" | "partsReferring">,
  session_id: string,
  id: string,
): Promise<AttachedFile | undefined> {
  const digits = id.replace(/^sha256:/, "")
  if (!/^[0-9a-f]{8,64}$/.test(digits)) return undefined
  const wanted = `sha256:${digits.slice(0, PATH_DIGITS)}`
  const beginning = (await store.partsReferring(session_id, wanted))
    .flatMap(({ data_json }) => namedIn(openJson(data_json)))
    .filter(({ content_id }) => content_id.startsWith(wanted))
  const fitting = beginning.filter(({ content_id }) => content_id.startsWith(`sha256:${digits}`))
  // Digits that fit two files name neither: one is not to be read for the other (CMPH-012).
  if (isSeveral(fitting)) return undefined
  const whole = digits.length === 64 ? { content_id: id, name: digits } : undefined
  const file = fitting.at(-1) ?? whole
  if (!file || !(await store.sessionHasBlob(session_id, file.content_id))) return undefined
  return isSeveral([file, ...beginning]) ? { ...file, shares_digits: true } : file
}

function isSeveral(files: readonly AttachedFile[]): boolean {
  return new Set(files.map(({ content_id }) => content_id)).size > 1
}

/** Every object in a row that has a content id and a name: an attachment, or a medium of a result. */
function namedIn(value: unknown): readonly AttachedFile[] {
  if (typeof value !== "object" || value === null) return []
  const { content_id, name } = recordOf(value)
  const own =
    typeof content_id === "string" && typeof name === "string" ? [{ content_id, name }] : []
  return [...own, ...Object.values(value).flatMap(namedIn)]
}
