import type { Part } from "../../packages/core/parts/table.ts"
import type { NamedPart } from "../../packages/core/lower/loaded-part.ts"
import { mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"
import {
  type Capture,
  captureRange,
  LOAD_LIMITS,
  load,
  type Sources,
} from "../../packages/engine/loading/load.ts"
import {
  attachment,
  bytes,
  collectBytes,
  fileRef,
  jpeg,
  named,
  png,
  temporaryFolder,
  text,
} from "../build.ts"

interface House {
  readonly root: string
  readonly blobs: FileBlobs
  readonly sources: Sources
}

async function house(captures: readonly Capture[] = []): Promise<House> {
  const folder = await temporaryFolder()
  const root = join(folder, "ws")
  await mkdir(root)
  await writeFile(join(root, "a.ts"), "one\ntwo\nthree\n")
  const blobs = new FileBlobs(join(folder, "blobs"))
  return { root, blobs, sources: sourcesOf(root, blobs, captures) }
}

function sourcesOf(root: string | null, blobs: FileBlobs, captures: readonly Capture[]): Sources {
  const captured = (id: string) => captures.find(({ part_id }) => part_id === id)
  return { workspace_root: root, read: readWorkspaceFile, blobs, captured, limits: LOAD_LIMITS }
}

async function fileOf(part: NamedPart, sources: Sources) {
  const { parts } = await load([part], sources)
  return parts[0]?.file
}

describe("load", () => {
  it("[CMP-022] reads a file of the workspace and keeps what it read", async () => {
    const { sources, blobs } = await house()
    const part = named(fileRef("a.ts"))
    const { parts, captures } = await load([named(text("hi")), part], sources)
    expect(parts[0]?.file).toBeNull()
    expect(parts[1]?.file).toMatchObject({
      type: "text",
      name: "a.ts",
      text: "one\ntwo\nthree\n",
      range: null,
    })
    const content_id = captures[0]?.content_id ?? ""
    expect(captures).toEqual([
      {
        part_id: part.id,
        content_id,
        mime: "text/typescript",
        size: 14,
        total_size: 14,
        lines: null,
        outcome: "content",
        reason: null,
      },
    ])
    expect((await collectBytes(blobs.open(content_id))).toString()).toBe("one\ntwo\nthree\n")
  })

  it("[CMP-025] keeps only the lines of a range", async () => {
    const { sources } = await house()
    const { parts, captures } = await load([named(fileRef("a.ts", { start: 2, end: 2 }))], sources)
    expect(parts[0]?.file).toMatchObject({
      type: "text",
      text: "two",
      lines: { start: 2, end: 2 },
      size: 14,
    })
    expect(captures[0]).toMatchObject({ size: 3, total_size: 14 })
  })

  it("reads a captured part from its capture, however the disk changes", async () => {
    const { sources, root, blobs } = await house()
    const parts = [named(fileRef("a.ts")), named(fileRef("a.ts", { start: 1, end: 1 }))]
    const first = await load(parts, sources)
    await writeFile(join(root, "a.ts"), "changed")
    const again = await load(parts, sourcesOf(root, blobs, first.captures))
    expect(again.parts).toEqual(first.parts)
    expect(again.captures).toEqual([])
    await rm(root, { recursive: true })
    const gone = await load(parts, sourcesOf(null, blobs, first.captures))
    expect(gone.parts).toEqual(first.parts)
  })

  it("keeps a refusal as it was", async () => {
    const { sources, root, blobs } = await house()
    const part = named(fileRef("b.ts"))
    const first = await load([part], sources)
    expect(first.captures[0]).toMatchObject({
      outcome: "failed",
      reason: "b.ts does not exist",
      content_id: null,
    })
    await writeFile(join(root, "b.ts"), "now it does")
    const again = await load([part], sourcesOf(root, blobs, first.captures))
    expect(again.parts).toEqual(first.parts)
  })

  it("captures a range at submit, and nothing else", async () => {
    const { sources, root, blobs } = await house()
    const part = named(fileRef("a.ts", { start: 2, end: 3 }))
    const capture = await captureRange(part, sources)
    await writeFile(join(root, "a.ts"), "changed")
    expect(await fileOf(part, sourcesOf(root, blobs, capture ? [capture] : []))).toMatchObject({
      text: "two\nthree",
    })
    expect(await captureRange(named(fileRef("a.ts")), sources)).toBeNull()
    expect(await captureRange(named(text("a")), sources)).toBeNull()
    expect(await captureRange(named({ type: "file-ref" }), sources)).toBeNull()
  })

  it("[CMP-063] reads a mentioned file, with its range", async () => {
    const { sources } = await house()
    const mention = (target: object) => named({ type: "mention", target })
    expect(
      await fileOf(mention({ kind: "file", path: "a.ts", range: { start: 3, end: 3 } }), sources),
    ).toMatchObject({ text: "three" })
    expect(
      await fileOf(mention({ kind: "file", path: "a.ts", range: "all" }), sources),
    ).toMatchObject({ range: null })
    expect(await fileOf(mention({ kind: "file" }), sources)).toBeNull()
    expect(await fileOf(mention({ kind: "skill", path: "a.ts" }), sources)).toBeNull()
  })

  it("[CMP-023] keeps whole characters of a byte range", async () => {
    const { sources, root } = await house()
    await writeFile(join(root, "u"), "aäöü€😀z")
    const slice = async (start: number, end: number) => {
      const file = await fileOf(named(fileRef("u", { start, end, unit: "byte" })), sources)
      return file?.type === "text" ? file.text : file?.type
    }
    expect(await slice(0, 15)).toBe("aäöü€😀z")
    expect(await slice(2, 4)).toBe("")
    expect(await slice(2, 6)).toBe("ö")
    expect(await slice(3, 9)).toBe("öü")
    expect(await slice(8, 13)).toBe("")
    expect(await slice(7, 14)).toBe("€😀")
  })

  it("[CMP-104] keeps an image of the workspace, with its dimensions", async () => {
    const { sources, root } = await house()
    await writeFile(join(root, "a.png"), png(640, 480))
    expect(await fileOf(named(fileRef("a.png")), sources)).toMatchObject({
      type: "media",
      kind: "image",
      width: 640,
      height: 480,
      media: { mime: "image/png", name: "a.png", size: 45 },
    })
  })

  it("[CMP-104] only describes what is too large or of no use, and keeps no bytes of it", async () => {
    const { sources, root } = await house()
    await writeFile(join(root, "big.log"), "line\n".repeat(60_000))
    await writeFile(join(root, "blob.bin"), bytes([0, 1, 2, 3]))
    const { parts, captures } = await load(
      [named(fileRef("big.log")), named(fileRef("blob.bin"))],
      sources,
    )
    expect(parts[0]?.file).toMatchObject({
      type: "opaque",
      kind: "text",
      size: 300_000,
      lines: { total: 60_000 },
    })
    expect(parts[1]?.file).toMatchObject({ type: "opaque", kind: "binary", size: 4 })
    expect(captures.map(({ outcome, content_id }) => [outcome, content_id])).toEqual([
      ["too-large", null],
      ["content", null],
    ])
  })

  it("refuses what lies outside, and everything without a workspace", async () => {
    const { sources, root, blobs } = await house()
    await symlink("/etc/passwd", join(root, "link"))
    expect(await fileOf(named(fileRef("link")), sources)).toMatchObject({
      type: "refused",
      outcome: "denied",
    })
    expect(await fileOf(named(fileRef("a.ts")), sourcesOf(null, blobs, []))).toMatchObject({
      type: "refused",
      outcome: "denied",
      reason: "a.ts cannot be read: there is no workspace",
    })
  })

  it("[CMP-022] fetches nothing that lies elsewhere", async () => {
    const { sources } = await house()
    const at = (ref: object) => fileOf(named({ type: "file-ref", ref }), sources)
    expect(await at({ kind: "url", url: "https://example.org/a" })).toEqual({
      type: "elsewhere",
      address: "https://example.org/a",
    })
    expect(await at({ kind: "mcp", server: "docs", uri: "doc://1" })).toEqual({
      type: "elsewhere",
      address: "docs doc://1",
    })
  })
})

describe("attachments", () => {
  it("[CMPH-014] are what their bytes are, not what they are said to be", async () => {
    const { sources } = await house()
    expect(
      await fileOf(named(attachment("a.txt", png(3, 4), "text/plain")), sources),
    ).toMatchObject({ type: "media", kind: "image", mime: "image/png", width: 3 })
    expect(
      await fileOf(named(attachment("a.png", bytes("<html>"), "image/png")), sources),
    ).toMatchObject({ type: "text", mime: "text/plain" })
    expect(
      await fileOf(named(attachment("a.png", bytes([0, 7]), "image/png")), sources),
    ).toMatchObject({ type: "opaque", mime: "application/octet-stream" })
  })

  it("inline media become blobs, so that a body can stream them", async () => {
    const { sources, blobs } = await house()
    const file = await fileOf(named(attachment("a.png", png())), sources)
    const content_id = file?.type === "media" ? file.media.content_id : ""
    expect((await collectBytes(blobs.open(content_id))).equals(png())).toBe(true)
  })

  it("[CMP-098] in the blob store are read by their head", async () => {
    const { sources, blobs } = await house()
    const { content_id, size } = await blobs.putBytes(
      bytes(jpeg(64, 48, 60_000), Buffer.alloc(5_000_000)),
    )
    const reads: number[] = []
    const open: Sources["blobs"]["open"] = (id, range) => {
      reads.push((range?.end ?? size) - (range?.start ?? 0))
      return blobs.open(id, range)
    }
    const watching: Sources = {
      ...sources,
      blobs: { open, size: (id) => blobs.size(id), putBytes: (data) => blobs.putBytes(data) },
    }
    const part: Part = { type: "file-attachment", name: "a.jpg", mime: "image/jpeg", content_id }
    expect(await fileOf(named(part), watching)).toMatchObject({
      type: "media",
      width: 64,
      media: { content_id, size },
    })
    expect(Math.max(...reads)).toBeLessThanOrEqual(1024 * 1024)
  })

  it("[CMP-031] without bytes are what they are said to be", async () => {
    const { sources } = await house()
    const part: Part = {
      type: "file-attachment",
      name: "d.psd",
      mime: "image/vnd.adobe.photoshop",
      size: 12_000_000,
    }
    expect(await fileOf(named(part), sources)).toMatchObject({
      type: "opaque",
      mime: "image/vnd.adobe.photoshop",
      size: 12_000_000,
    })
  })

  it("whose bytes are gone say so, and do not stop the others", async () => {
    const { sources } = await house()
    const content_id = `sha256:${"0".repeat(64)}`
    const part: Part = { type: "file-attachment", name: "a.png", mime: "image/png", content_id }
    const { parts } = await load([named(part), named(fileRef("a.ts"))], sources)
    expect(parts[0]?.file).toEqual({
      type: "refused",
      name: "a.png",
      outcome: "failed",
      reason: `its bytes (${content_id}) are no longer here`,
    })
    expect(parts[1]?.file?.type).toBe("text")
  })

  it("of no shape at all are failures, not errors", async () => {
    const { sources } = await house()
    for (const type of ["file-ref", "file-attachment", "mention"])
      expect(await fileOf(named({ type, name: 7 }), sources)).toMatchObject({
        type: "refused",
        outcome: "failed",
      })
  })
})
