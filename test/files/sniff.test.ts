import { randomBytes } from "node:crypto"
import { deflateRawSync, gzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { decodeText, kindOfMime, sniff } from "../../packages/files/kinds/sniff.ts"
import { bytes, gif, jpeg, png, webp } from "../build.ts"

describe("sniff", () => {
  function is(name: string, content: Uint8Array, mime: string, kind: string) {
    return async () => expect(await sniff(content, name, true)).toEqual({ mime, kind })
  }
  const words = (text: string) => Buffer.from(text)

  it("[BIN-011] knows a PNG", is("a.png", png(), "image/png", "image"))
  it("[BIN-011] knows a JPEG", is("a.jpg", jpeg(), "image/jpeg", "image"))
  it("[BIN-011] knows a GIF", is("a.gif", gif(), "image/gif", "image"))
  it("[BIN-011] knows a WebP", is("a.webp", webp("VP8 "), "image/webp", "image"))
  it("knows a HEIC", is("a.heic", ftyp("heic"), "image/heic", "image"))
  it("knows an AVIF", is("a.avif", ftyp("avif"), "image/avif", "image"))
  it("[BIN-010] knows a PDF", is("a.pdf", words("%PDF-1.7\n%\xe2\n"), "application/pdf", "pdf"))
  it(
    "[BIN-010] knows a PDF that is plain text",
    is("a", words("%PDF-1.4\nx"), "application/pdf", "pdf"),
  )
  it("[BIN-012] knows a zip", is("a.zip", zip("a.txt", "hello"), "application/zip", "archive"))
  it("[BIN-012] knows a gzip", is("a.gz", gzipSync("hello"), "application/gzip", "archive"))
  it(
    "[BIN-014] calls a PSD binary, not an image",
    is("a.psd", psd(), "image/vnd.adobe.photoshop", "binary"),
  )
  it("[BIN-017] knows a wave", is("a.wav", wav(), "audio/wav", "audio"))
  it("[BIN-016] knows an MP4", is("a.mp4", ftyp("isom"), "video/mp4", "video"))
  it(
    "[BIN-019] does not know NULs",
    is("a.bin", Buffer.alloc(64), "application/octet-stream", "binary"),
  )
  it(
    "[BIN-019] does not know bytes without a mark",
    is("a.ts", bytes([0xc3, 0x28, 1, 2]), "application/octet-stream", "binary"),
  )

  it(
    "[BIN-018] lets the name choose among text types: csv",
    is("a.csv", words("a,b\n"), "text/csv", "text"),
  )
  it(
    "[BIN-018] lets the name choose among text types: json",
    is("a.JSON", words("{}"), "application/json", "text"),
  )
  it(
    "lets the name choose among text types: ts",
    is("src/a.ts", words("let a"), "text/typescript", "text"),
  )
  it(
    "lets the name choose among text types: md",
    is("README.md", words("# a"), "text/markdown", "text"),
  )
  it("reads SVG as text", is("a.svg", words("<svg/>"), "image/svg+xml", "text"))
  it(
    "calls text plain when the name says nothing",
    is("Makefile", words("all:\n"), "text/plain", "text"),
  )
  it("calls an empty file text", is("a.bin", words(""), "text/plain", "text"))

  it(
    "does not believe the name: HTML called .png",
    is("a.png", words("<html>"), "text/plain", "text"),
  )
  it("does not believe the name: PNG called .txt", is("a.txt", png(), "image/png", "image"))
  it(
    "does not take a sentence for a bitmap",
    is("a.txt", words("BMW builds cars"), "text/plain", "text"),
  )
  it(
    "does not take a sentence for a program",
    is("a.txt", words("MZ is short for Mark"), "text/plain", "text"),
  )
  it("knows UTF-16 with a byte order mark", async () =>
    expect(await sniff(utf16("grüß"), "a.txt", true)).toEqual({
      mime: "text/plain",
      kind: "text",
      charset: "utf-16le",
    }))
  it(
    "keeps the colours of a terminal log as text",
    is("a.log", words("\x1b[31mred\x1b[0m"), "text/plain", "text"),
  )

  it("does not mind a character that the head's end cuts", async () => {
    const head = Buffer.from("grüß").subarray(0, 3)
    expect((await sniff(head, "a.txt", false)).kind).toBe("text")
    expect((await sniff(head, "a.txt", true)).kind).toBe("binary")
  })

  it("[BIN-019] never calls random bytes text", async () => {
    for (let round = 0; round < 200; round++)
      expect((await sniff(randomBytes(512), "a.txt", true)).kind).not.toBe("text")
  })
})

describe("decodeText", () => {
  it("drops a byte order mark", () => expect(decodeText(bytes([0xef, 0xbb, 0xbf], "a"))).toBe("a"))
  it("reads UTF-16", () => expect(decodeText(utf16("grüß"))).toBe("grüß"))
  it("refuses what is no text", () => expect(decodeText(bytes([0xff, 0x41]))).toBeUndefined())
})

describe("kindOfMime", () => {
  it.each([
    ["text/x-anything", "text"],
    ["application/json", "text"],
    ["image/svg+xml", "text"],
    ["image/png", "image"],
    ["application/pdf", "pdf"],
    ["audio/mpeg", "audio"],
    ["application/zip", "archive"],
    ["application/x-unheard-of", "binary"],
  ])("%s is %s", (mime, kind) => expect(kindOfMime(mime)).toBe(kind))
})

function ftyp(brand: string): Buffer {
  return bytes([0, 0, 0, 24], "ftyp", brand, [0, 0, 0, 0], "mif1", brand, Buffer.alloc(64))
}

function psd(): Buffer {
  return bytes("8BPS", [0, 1], Buffer.alloc(40))
}

function wav(): Buffer {
  return bytes(
    "RIFF",
    [36, 0, 0, 0],
    "WAVEfmt ",
    [16, 0, 0, 0],
    Buffer.alloc(16),
    "data",
    [0, 0, 0, 0],
  )
}

function utf16(text: string): Buffer {
  return bytes([0xff, 0xfe], Buffer.from(text, "utf16le"))
}

function zip(name: string, content: string): Buffer {
  const packed = deflateRawSync(content)
  const header = Buffer.alloc(30)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(8, 8)
  header.writeUInt32LE(packed.length, 18)
  header.writeUInt32LE(content.length, 22)
  header.writeUInt16LE(name.length, 26)
  return bytes(header, name, packed, "PK\x05\x06", Buffer.alloc(18))
}
