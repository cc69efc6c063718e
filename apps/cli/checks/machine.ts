import { createRequire } from "node:module"
import process from "node:process"
import { type CheckFinding, fine, findMissing, findWrong } from "./finding.ts"

const OLDEST_NODE = [22, 19] as const

/** What the machine has of what is needed, and of what some things are not done without. */
export async function machineFindings(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<CheckFinding[]> {
  return [
    nodeFinding(process.versions.node),
    terminalFinding(environment),
    await sandboxFinding(),
    ...(await programFindings(environment.PATH ?? "")),
    ...MODULES.map(moduleFinding),
  ]
}

export function nodeFinding(version: string): CheckFinding {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  const [oldest, minorOldest] = OLDEST_NODE
  if (major > oldest || (major === oldest && minor >= minorOldest))
    return fine("Node.js", `v${version}`)
  const needed = OLDEST_NODE.join(".")
  return findWrong(
    "Node.js",
    `v${version} is older than ${needed}`,
    `install Node.js ${needed} or newer, and put it before the old one in PATH`,
  )
}

export function terminalFinding(
  environment: Readonly<Record<string, string | undefined>>,
): CheckFinding {
  const { TERM, LC_ALL, LC_CTYPE, LANG } = environment
  if (TERM === undefined || TERM === "dumb")
    return findMissing(
      "terminal",
      `TERM is ${TERM ?? "not set"}: commands work, the composer does not`,
    )
  const locale = LC_ALL || LC_CTYPE || LANG
  if (locale !== undefined && !/utf-?8/i.test(locale))
    return findMissing("terminal", `${TERM}, whose locale is ${locale}`, "export LANG=C.UTF-8")
  return fine("terminal", TERM)
}

async function sandboxFinding(): Promise<CheckFinding> {
  const about = "sandbox"
  const { findProgram, sandboxFault } = await import("compositor-files/sandbox/sandbox")
  const without = "no shell tool, no commands in templates, no converters"
  if ((await findProgram("bwrap")) === undefined)
    return findMissing(about, `bwrap is not in PATH: ${without}`, "install the package bubblewrap")
  const fault = await sandboxFault()
  if (fault === undefined) return fine(about, "bwrap works")
  return findMissing(
    about,
    `bwrap is there and does not work (${fault}): ${without}`,
    "let users make namespaces: sysctl kernel.unprivileged_userns_clone=1, or a profile of AppArmor",
  )
}

interface Program {
  readonly names: readonly string[]
  readonly package: string
  readonly without: string
}

/** Programs of others, the first of whose names is found. */
const PROGRAMS: readonly Program[] = [
  { names: ["prlimit"], package: "util-linux", without: "readers of files have no memory limit" },
  { names: ["ffmpeg"], package: "ffmpeg", without: "no frames of videos, no sound out of them" },
  {
    names: ["soffice", "libreoffice"],
    package: "libreoffice",
    without: "no office documents as pages",
  },
  { names: ["pdftoppm"], package: "poppler-utils", without: "PDFs are read by pdfium alone" },
  { names: ["qpdf"], package: "qpdf", without: "some pages of a PDF are printed, not cut out" },
  { names: ["tesseract"], package: "tesseract-ocr", without: "no text out of pictures" },
  { names: ["gs"], package: "ghostscript", without: "no PostScript" },
  { names: ["magick", "convert"], package: "imagemagick", without: "no rare picture formats" },
]

async function programFindings(path: string): Promise<CheckFinding[]> {
  const { findKnownProgram } = await import("compositor-files/formats/identity")
  return Promise.all(
    PROGRAMS.map(async ({ names, package: from, without }) => {
      const found = await findKnownProgram(names, path)
      const about = names[0] ?? ""
      if (found.type === "found") return fine(about, found.path)
      const why = found.type === "other" ? `${found.path} is another program` : "not in PATH"
      return findMissing(about, `${why}: ${without}`, `install the package ${from}`)
    }),
  )
}

/** Packages that an installation may leave out. */
const MODULES = [
  ["sharp", "no pictures made smaller"],
  ["@hyzyla/pdfium", "no text and no pages of PDFs"],
  ["libheif-js", "no HEIC pictures"],
] as const

function moduleFinding([name, without]: (typeof MODULES)[number]): CheckFinding {
  try {
    createRequire(import.meta.url).resolve(name)
    return fine(name, "installed")
  } catch {
    return findMissing(name, `not installed: ${without}`, `npm install ${name}`)
  }
}
