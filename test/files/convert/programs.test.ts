import { readFile } from "node:fs/promises"
import sharp from "sharp"
import { describe, expect, it } from "vitest"
import { convert } from "../../../packages/files/formats/convert.ts"
import { CONVERT_LIMITS } from "../../../packages/files/formats/converted.ts"
import { commandShape, fillShape, SHAPE_NAMES } from "../../../packages/files/formats/programs.ts"
import { drawPeaks, readPeaks } from "../../../packages/files/formats/recording.ts"
import { runProgram } from "../../../packages/files/formats/sandboxed.ts"
import { runSandboxed } from "../../../packages/files/sandbox/sandbox.ts"
import { converted, fileOf, filesOf, lacking, scratch, textOf } from "./converting.ts"
import { pdf, pptx, wav, wholeDocx } from "./samples.ts"

const trial = await runSandboxed({ command: "true", workspace: scratch })
const walls = trial.type !== "unavailable"

describe("command shapes", () => {
  it("[BIN-040] fills a shape with numbers and the sandbox's own paths, and with nothing else", () => {
    const frames = commandShape("frames")
    const values = { start: "1.5", length: "2", rate: "0.5", count: "3", input: "/in/file.mp4" }
    expect(fillShape(frames, values)).toContain("/in/file.mp4")
    for (const bad of ["-y", "$(id)", "/etc/passwd", "/in/../etc", "1;2", "/in/a b", ""])
      expect(() => fillShape(frames, { ...values, start: bad })).toThrow(/cannot stand for/)
  })

  it("[BIN-034] names a Debian package for every shape", () => {
    for (const name of SHAPE_NAMES)
      expect(commandShape(name).package).toMatch(/^[a-z][a-z0-9.+-]+$/)
  })

  it("[BIN-034] says what to install when a program is missing, and runs nothing", async () => {
    const path = process.env["PATH"]
    process.env["PATH"] = scratch
    try {
      expect(await converted("a.docx", wholeDocx(), { to: "pdf" })).toEqual({
        type: "refused",
        reason: "a.docx needs soffice, which is not installed; install libreoffice-writer.",
        install: "libreoffice-writer",
      })
      expect(await converted("a.pdf", pdf([""]))).toMatchObject({
        type: "refused",
        install: "tesseract-ocr",
      })
    } finally {
      process.env["PATH"] = path
    }
  })

  it("draws how loud a sound is", () => {
    const report =
      "frame:0\nlavfi.astats.Overall.Peak_level=-3.0\nframe:1\nlavfi.astats.Overall.Peak_level=-inf\n"
    expect(readPeaks(report)).toEqual([-3, -100])
    expect(drawPeaks([-3, -100], 10, 4)).toBe(
      "Loudness from second 10.0 to 14.0, 2.00 s each:\n█▁\nLoudest -3.0 dB at 10.0 s; silent for 2.0 s.",
    )
  })
})

describe("audio without programs", () => {
  it("[BIN-017] says what a recording is", async () => {
    expect(await textOf("a.wav", wav(2))).toMatch(
      /^a\.wav: WAVE, 00:00:02 \(2\.00 seconds\), 32044 bytes\n- audio 8000 Hz, 1 channels, pcm-s16/,
    )
  })
})

describe.skipIf(!walls || lacking("ffmpeg", "ffprobe"))("ffmpeg", () => {
  it("[BIN-017] shows how loud a recording is, whole or in part", async () => {
    expect(await textOf("a.wav", wav(4))).toMatch(
      /\n█{30}▁{30}\nLoudest -4\.3 dB at 0\.0 s; silent for 2\.0 s\.$/,
    )
    expect(await textOf("a.wav", wav(4), { at: "t=2,4" })).toMatch(
      /from second 2\.0 to 4\.0[^]*silent for 2\.0 s/,
    )
    expect(await textOf("a.wav", wav(4), { at: "t=9" })).toBe(
      "[a.wav is 4.0 seconds long, and has nothing at second 9.]",
    )
    const [curve] = await filesOf("a.wav", wav(1))
    expect(await sharp(curve?.path).metadata()).toMatchObject({ width: 1200, height: 300 })
  })

  it("[BIN-016] gives frames of a film at equal distances, and of a scene", {
    timeout: 60_000,
  }, async () => {
    const film = await filmOf(4)
    const answer = await convert(film, { to: "png" }, { scratch, limits: { pages: 4 } })
    expect(answer).toMatchObject({
      files: { length: 4 },
      note: "A picture every 1.0 seconds, from second 0.",
    })
    const fragment = { unit: "time", start: 1, end: 2 } as const
    const scene = await convert(film, { to: "png", place: { fragment } }, { scratch })
    expect(scene).toMatchObject({
      files: { length: 1 },
      note: "A picture every 1.0 seconds, from second 1.",
    })
    const about = await convert(film, { to: "text" }, { scratch })
    expect(about.type === "text" && about.text).toMatch(/video 64 × 48, /)
  })
})

/** A film of changing colours, made by the program that reads it. */
async function filmOf(seconds: number) {
  const { execFileSync } = await import("node:child_process")
  const path = `${scratch}/film-${seconds}.mp4`
  const source = `testsrc=duration=${seconds}:size=64x48:rate=10`
  execFileSync("ffmpeg", [
    "-v",
    "error",
    "-y",
    "-f",
    "lavfi",
    "-i",
    source,
    "-pix_fmt",
    "yuv420p",
    path,
  ])
  return fileOf("film.mp4", await readFile(path))
}

describe.skipIf(!walls || lacking("soffice"))("libreoffice", () => {
  it("[BIN-013] prints a docx, and shows its page; two at once do not meet", {
    timeout: 120_000,
  }, async () => {
    const [one, two] = await Promise.all([
      converted("a.docx", wholeDocx(), { to: "pdf" }),
      filesOf("b.docx", wholeDocx()),
    ])
    expect(one).toMatchObject({
      type: "files",
      files: [{ name: "a.docx.pdf", mime: "application/pdf" }],
    })
    expect(two).toMatchObject([{ name: "b.docx-page-1.png" }])
    const path = one.type === "files" ? (one.files[0]?.path ?? "") : ""
    expect(await textOf("a.pdf", await readFile(path))).toMatch(/Umsätze & Kosten/)
  })

  it.skipIf(!lacking("simpress") || !lacking("loimpress"))(
    "[BIN-034] names the part of the suite that is missing",
    { timeout: 120_000 },
    async () => {
      expect(await converted("a.pptx", pptx(1), { to: "pdf" })).toMatchObject({
        type: "refused",
        install: "libreoffice-impress",
      })
    },
  )
})

describe.skipIf(!walls || lacking("tesseract"))("tesseract", () => {
  const picture = () =>
    sharp(
      Buffer.from(
        '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="120"><rect width="600" height="120" fill="white"/><text x="20" y="80" font-size="60" font-family="DejaVu Sans, sans-serif">HELLO WORLD</text></svg>',
      ),
    )
      .png()
      .toBuffer()

  it("[BIN-010] reads what is written on a picture, or says that nothing is", {
    timeout: 60_000,
  }, async () => {
    const answer = await converted("a.png", await picture())
    expect(answer).toMatchObject({
      type: "text",
      note: "The text was read from 1 pictures and may hold mistakes.",
    })
    expect(answer.type === "text" && answer.text).toMatch(/HELLO|WORLD/)
  })
})

describe.skipIf(!walls || (lacking("qpdf") && lacking("gs")))("pages of a PDF", () => {
  it("[BEY-08] are a PDF of their own, and the others are not in it", {
    timeout: 60_000,
  }, async () => {
    const [pages] = await filesOf("a.pdf", pdf(["One", "Two", "Three"]), {
      to: "pdf",
      at: "page=2-9",
    })
    const text = await textOf("b.pdf", await readFile(pages?.path ?? ""))
    expect(text).toBe("## Page 1\n\nTwo\n\n## Page 2\n\nThree\n")
  })
})

describe.skipIf(!walls || lacking("pdftotext", "pdftoppm"))("poppler", () => {
  it("[BIN-010] stands in where our own reader of PDFs is not installed", {
    timeout: 60_000,
  }, async () => {
    const file = await fileOf("a.pdf", pdf(["One", "Two", "Three"]))
    const context = { scratch, limits: CONVERT_LIMITS }
    const values = { first: 2, last: 3 }
    const text = await runProgram({ shape: "pdf-to-text", file, values }, context)
    const path = text.type === "files" ? (text.files[0]?.path ?? "") : ""
    expect(await readFile(path, "utf8")).toMatch(/Two[^]*Three/)
    const pages = await runProgram({ shape: "pdf-to-png", file, values }, context)
    expect(pages).toMatchObject({ files: [{ name: "a-page-2.png" }, { name: "a-page-3.png" }] })
  })
})

describe.skipIf(!walls || lacking("gs"))("ghostscript", () => {
  const EPS =
    "%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 100 50\n/Helvetica findfont 20 scalefont setfont 10 20 moveto (Vector) show showpage\n"

  it("[BIN-014] reads an eps", { timeout: 60_000 }, async () => {
    expect(await textOf("a.eps", EPS)).toMatch(/Vector/)
    expect(await filesOf("a.eps", Buffer.from(EPS))).toHaveLength(1)
  })

  it("reads nothing else of the machine", { timeout: 60_000 }, async () => {
    const spy = "%!PS\n(/etc/passwd) (r) file 100 string readstring pop show showpage\n"
    const answer = await textOf("a.ps", spy)
    expect(answer).not.toMatch(/root:/)
  })
})

describe.skipIf(!walls || lacking("convert"))("imagemagick", () => {
  it("gives as png what our own reader does not know", { timeout: 60_000 }, async () => {
    const bmp = Buffer.alloc(58)
    bmp.write("BM", 0, "latin1")
    bmp.writeUInt32LE(58, 2)
    bmp.writeUInt32LE(54, 10)
    bmp.writeUInt32LE(40, 14)
    bmp.writeInt32LE(1, 18)
    bmp.writeInt32LE(1, 22)
    bmp.writeUInt16LE(1, 26)
    bmp.writeUInt16LE(24, 28)
    bmp.set([0, 0, 255], 54)
    const [file] = await filesOf("a.bmp", bmp)
    expect(await sharp(file?.path).metadata()).toMatchObject({ width: 1, height: 1, format: "png" })
  })
})

describe.skipIf(!walls || lacking("ffmpeg"))("the walls", () => {
  it("[BIN-062] stops what is made before it fills the disk", { timeout: 60_000 }, async () => {
    const file = await fileOf("a.wav", wav(20))
    const values = { start: 0, length: 20 }
    const limits = { ...CONVERT_LIMITS, output_bytes: 64 * 1024 }
    const answer = await runProgram({ shape: "cut-to-wav", file, values }, { scratch, limits })
    expect(answer.type).toBe("refused")
  })

  it("ends when the user says so", async () => {
    const file = await fileOf("a.wav", wav(1))
    const signal = AbortSignal.abort()
    const context = { scratch, limits: CONVERT_LIMITS, signal }
    expect(await runProgram({ shape: "duration", file }, context)).toEqual({
      type: "refused",
      reason: "The conversion was stopped.",
    })
  })
})
