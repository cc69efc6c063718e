const ATTACHMENTS = "attachments"
/** Of a content id, so many stand in a path; all where another file's begins with the same. */
export const PATH_DIGITS = 8
export const ALL_DIGITS = 64

/** Where in scratch an attachment lies: under its own name, beside no other. */
export function attachmentPath(content_id: string, name: string, digits = PATH_DIGITS): string {
  const id = content_id.replace(/^sha256:/, "").slice(0, digits)
  return `${ATTACHMENTS}/${id}/${safeName(name)}`
}

const NAMED = new RegExp(`\\b${ATTACHMENTS}/([0-9a-f]{${PATH_DIGITS},${ALL_DIGITS}})/`, "g")

/** The digits by which a text, such as a path or a command, names attachments in scratch. */
export function attachmentsNamed(text: string): readonly string[] {
  return [...new Set([...text.matchAll(NAMED)].map(([, digits = ""]) => digits))]
}

const END_CHARACTERS = 32

/** A name from outside, as a name in a folder of ours that a shell takes without quotes. Of a long one
 *  both ends stay: the first tells what it is about, the last of which type it is. */
export function safeName(name: string): string {
  const last = (name.split(/[\\/]/).at(-1) ?? "").trim().normalize("NFC")
  const plain = last.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "_").replace(/^[.-]+/, "_")
  if (plain.length <= 2 * END_CHARACTERS) return plain || "file"
  const [head, tail] = [plain.slice(0, END_CHARACTERS - 1), plain.slice(-END_CHARACTERS)]
  return `${head}_${tail}`.toWellFormed().replaceAll("\uFFFD", "_")
}
