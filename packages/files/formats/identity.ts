import { access, constants, stat } from "node:fs/promises"
import { delimiter, join } from "node:path"
import process from "node:process"
import { runSandboxed } from "../sandbox/sandbox.ts"

/** How a program is asked who it is, and what it says then. */
interface Identity {
  readonly asked: string
  readonly says: RegExp
}

const LIBREOFFICE: Identity = { asked: "--version", says: /^LibreOffice\w* \d/m }
const IMAGEMAGICK: Identity = { asked: "-version", says: /^Version: ImageMagick \d/m }
const WHISPER: Identity = { asked: "--help", says: /--output-txt/ }

const IDENTITIES: Readonly<Record<string, Identity>> = {
  soffice: LIBREOFFICE,
  libreoffice: LIBREOFFICE,
  gs: { asked: "--help", says: /^\w+ Ghostscript \d/m },
  magick: IMAGEMAGICK,
  convert: IMAGEMAGICK,
  pdftoppm: { asked: "-v", says: /^pdftoppm version \d/m },
  pdftotext: { asked: "-v", says: /^pdftotext version \d/m },
  qpdf: { asked: "--version", says: /^qpdf version \d/m },
  tesseract: { asked: "--version", says: /^tesseract v?\d/m },
  ffmpeg: { asked: "-version", says: /^ffmpeg version /m },
  ffprobe: { asked: "-version", says: /^ffprobe version /m },
  "whisper-cli": WHISPER,
  "whisper-cpp": WHISPER,
}

export type FoundProgram =
  | { readonly type: "found"; readonly path: string }
  /** There is one of that name, and it is another. */
  | { readonly type: "other"; readonly path: string }
  | { readonly type: "missing" }

/** The first program in PATH that has one of these names and is what the name promises: others may have
 *  the same, and hostile files are not for them. */
export async function findKnownProgram(
  names: readonly string[],
  path: string = process.env.PATH ?? "",
): Promise<FoundProgram> {
  let other: string | undefined
  for (const name of names) {
    for (const folder of path.split(delimiter)) {
      const file = join(folder, name)
      if (folder === "" || !(await isProgram(file))) continue
      if (await isItself(name, file)) return { type: "found", path: file }
      other ??= file
    }
  }
  return other === undefined ? { type: "missing" } : { type: "other", path: other }
}

function isProgram(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  )
}

const told = new Map<string, boolean>()

/** Asked once for each file, and again when it is another. */
async function isItself(name: string, file: string): Promise<boolean> {
  const identity = IDENTITIES[name]
  if (identity === undefined) return true
  const { mtimeMs, size, ino } = await stat(file)
  const key = [name, file, mtimeMs, size, ino].join(" ")
  const answer = told.get(key) ?? (await ask(file, identity))
  if (answer !== undefined) told.set(key, answer)
  return answer ?? false
}

const ASKING_MS = 30_000

/** Undefined where no sandbox could be put up, or it did not answer in time. */
async function ask(file: string, { asked, says }: Identity): Promise<boolean | undefined> {
  const command = `'${file.replaceAll("'", `'\\''`)}' ${asked} 2>&1`
  const ran = await runSandboxed({ command, workspace: null, timeout_ms: ASKING_MS })
  return ran.type === "output" ? says.test(ran.text) : undefined
}
