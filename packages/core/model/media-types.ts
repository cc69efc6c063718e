/** Types are named as `files/kinds/sniff.ts` names them; an encoder knows what its API calls them. */
export const PDF = ["application/pdf"]
export const WEB_IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
export const SPEECH = ["audio/wav", "audio/mpeg"]
export const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
export const SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
export const SLIDES = "application/vnd.openxmlformats-officedocument.presentationml.presentation"

/** Characters of base64 that so many bytes become. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/** Whether some API reads office files of this type by itself. Text is told as text, whatever an API
 *  would do with the file. */
export function isOffice(mime: string): boolean {
  return OFFICE.has(mime)
}

/** `test/provider/wires.test.ts` compares it with what the wires take. */
const OFFICE: ReadonlySet<string> = new Set([
  DOCX,
  SHEET,
  SLIDES,
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/rtf",
])
