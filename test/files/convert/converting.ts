// One line per case: write the bytes, say what they are as a host would, convert, show the answer.

import { mkdtempSync, rmSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll } from "vitest"
import { convert } from "../../../packages/files/formats/convert.ts"
import { findKnownProgram } from "../../../packages/files/formats/identity.ts"
import type {
  ConvertFile,
  ConvertLimits,
  ConvertTarget,
} from "../../../packages/files/formats/converted.ts"
import { SNIFF_BYTES, sniff } from "../../../packages/files/kinds/sniff.ts"
import { type FileFragment, parseFragment } from "../../../packages/core/message/file-location.ts"

export const scratch = mkdtempSync(join(tmpdir(), "convert-test-"))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0

export async function fileOf(name: string, bytes: Uint8Array): Promise<ConvertFile> {
  count += 1
  const path = join(scratch, `${count}-${name}`)
  await writeFile(path, bytes)
  const sniffed = await sniff(bytes.subarray(0, SNIFF_BYTES), name, bytes.length <= SNIFF_BYTES)
  return { name, ...sniffed, size: bytes.length, path }
}

export interface Asked {
  readonly to?: ConvertTarget
  readonly at?: string
  readonly limits?: Partial<ConvertLimits>
}

export async function converted(
  name: string,
  bytes: Uint8Array,
  { to = "text", at, limits }: Asked = {},
) {
  const fragment = at === undefined ? undefined : fragmentAt(at)
  const file = await fileOf(name, bytes)
  return convert(file, { to, place: { fragment } }, { scratch, limits })
}

/** The text that comes of a file; a refusal in brackets. */
export async function textOf(name: string, bytes: Uint8Array | string, asked: Asked = {}) {
  const answer = await converted(name, Buffer.from(bytes as string), asked)
  if (answer.type === "text") return answer.text
  return answer.type === "refused" ? `[${answer.reason}]` : `[${answer.files.length} files]`
}

/** The files that come of a file. */
export async function filesOf(name: string, bytes: Uint8Array, asked: Asked = {}) {
  const answer = await converted(name, bytes, { to: "png", ...asked })
  if (answer.type !== "files") throw new Error(`No files: ${JSON.stringify(answer)}`)
  return answer.files
}

export function fragmentAt(text: string): FileFragment {
  const read = parseFragment(text)
  if (read?.type !== "fragment") throw new Error(`${text} is no fragment`)
  return read.fragment
}

const NAMES =
  "ffmpeg ffprobe soffice simpress loimpress tesseract qpdf gs pdftotext pdftoppm convert".split(
    " ",
  )
const found = await Promise.all(NAMES.map((name) => findKnownProgram([name])))
const installed = new Set(NAMES.filter((_, at) => found[at]?.type === "found"))

/** Whether programs are not on this machine; a suite that needs them is skipped then. Another program
 *  of the same name is not the one. */
export function lacking(...programs: readonly string[]): boolean {
  return programs.some((program) => !installed.has(program))
}
