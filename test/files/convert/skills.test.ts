import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { formatOf } from "../../../packages/files/formats/formats.ts"
import { discover } from "../../../packages/engine/skills/discover.ts"
import { TRUST_ALL } from "../../../packages/engine/skills/trust.ts"
import { scratch } from "./converting.ts"

const folder = join(import.meta.dirname, "../../../skills")
const FORMATS = {
  archive: [".zip", ".tar", ".7z", ".gz"],
  audio: [".mp3", ".wav"],
  csv: [".csv", ".tsv", ".json"],
  fig: [".fig"],
  memory: ["remember"],
  office: [".docx", ".pptx", ".xlsx"],
  opendocument: [".odt", ".odp", ".ods"],
  pdf: [".pdf"],
  psd: [".psd", ".ai"],
  video: [".mp4", ".mov"],
} as const
const FILES = {
  "a.docx": "office",
  "a.xls": "office",
  "a.ods": "opendocument",
  "a.pdf": "pdf",
  "a.psd": "psd",
  "a.fig": "fig",
  "a.csv": "csv",
  "a.ipynb": "csv",
  "a.txt": undefined,
} as const
const TOOLS = /`(?:extract|attach|read|read_image|bash|convert|memory_write)`/

describe("format skills", () => {
  it("[BIN-030] are shipped for every format that is expected, and found as the host's own", async () => {
    const environment = { home: scratch, variables: {} }
    const found = await discover({ cwd: scratch, environment, trust: TRUST_ALL, bundled: folder })
    const names = found.skills.map(({ name }) => name).toSorted()
    expect(names).toEqual(Object.keys(FORMATS))
    expect(found.layers.flatMap((layer) => layer.findings)).toEqual([])
    expect(await readdir(folder)).toEqual(names)
  })

  it("[BIN-003] are known for the files that they teach", () => {
    const skillFor = (file: Parameters<typeof formatOf>[0]) => formatOf(file)?.skill
    const mime = "application/octet-stream"
    for (const [name, skill] of Object.entries(FILES))
      expect(skillFor({ name, mime, kind: "binary" })).toBe(skill)
    expect(skillFor({ name: "x", mime: "application/zip", kind: "archive" })).toBe("archive")
    expect(skillFor({ name: "x", mime: "audio/ogg", kind: "audio" })).toBe("audio")
    expect(skillFor({ name: "x", mime: "video/mp4", kind: "video" })).toBe("video")
  })

  it.for(Object.entries(FORMATS))(
    "[BIN-031] [SKL-001] %s names its format and its trigger in one line",
    async ([name, words]) => {
      const text = await readFile(join(folder, name, "SKILL.md"), "utf8")
      const [, head = ""] = /^---\n([^]*?)\n---\n/.exec(text) ?? []
      expect(head).toMatch(new RegExp(`^name: ${name}$`, "m"))
      const description = /^description: "(Load when [^\n]{40,400})"$/m.exec(head)?.[1] ?? ""
      for (const word of words) expect(description).toContain(word)
    },
  )

  it.for(Object.keys(FORMATS))(
    "[BIN-032] %s says how to detect, what to call and where the output goes",
    async (name) => {
      const text = await readFile(join(folder, name, "SKILL.md"), "utf8")
      const heads = [...text.matchAll(/^## (.*)$/gm)].map(([, head]) => head)
      expect(heads[0]).toBe("Detect")
      expect(heads.some((head) => /^(?:Convert|Do)$/.test(head ?? ""))).toBe(true)
      expect(heads.some((head) => head?.startsWith("Route"))).toBe(true)
      expect(text).toMatch(TOOLS)
    },
  )
})
