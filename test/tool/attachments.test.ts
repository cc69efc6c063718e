import { readFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { attachmentPath } from "../../packages/core/file/attachment-path.ts"
import { attachTool } from "../../packages/engine/tools/attach.ts"
import { bashTool } from "../../packages/engine/tools/bash.ts"
import { convertTool } from "../../packages/engine/tools/convert.ts"
import { extractTool } from "../../packages/engine/tools/extract.ts"
import { readTool } from "../../packages/engine/tools/read.ts"
import { zip } from "../files/corpus.ts"
import { wholeDocx } from "../files/convert/samples.ts"
import { missing } from "../machine.ts"
import { type Staged, shown, stage, told } from "./stage.ts"

/** A stage whose session carries what is attached to it. */
async function desk(options: Staged = {}) {
  const carried = new Map<string, string>()
  const attached = async (id: string) => {
    const digits = id.replace("sha256:", "")
    const found = [...carried].find(([each]) => each.startsWith(`sha256:${digits}`))
    return found && { content_id: found[0], name: found[1] }
  }
  const staged = await stage({ ...options, more: { attached } })
  const attach = async (name: string, content: Uint8Array) => {
    const { content_id } = await staged.blobs.putBytes(content)
    carried.set(content_id, name)
    return content_id
  }
  return { ...staged, attach }
}

describe("an attachment", () => {
  it("[CMP-097] is reached by its content id, in the sessions that carry it", async () => {
    const { call, blobs, scratch, attach } = await desk()
    const { content_id } = await blobs.putBytes(Buffer.from("hello"))
    const path = content_id
    expect(await told(call(readTool(), { path }))).toMatch(/is not attached to this session/)
    await attach("a.txt", Buffer.from("hello"))
    expect(await shown(call(readTool(), { path }))).toBe("hello")
    const packed = await attach("a.zip", zip({ "a.txt": "packed" }))
    const { paths } = await told(call(extractTool(), { path: packed }))
    expect(await readFile(paths[0], "utf8")).toBe("packed")
    expect((await scratch.usage()).bytes).toBeGreaterThan(5)
  })

  it("[BIN-062] that does not fit into scratch is not put there", async () => {
    const { call, attach } = await desk({ quota: { bytes: 10, files: 10 } })
    const path = await attach("a.bin", Buffer.alloc(100))
    expect(await told(call(readTool(), { path }))).toMatch(/do not fit/)
  })

  it("[BIN-005] has its own name in scratch, made safe", async () => {
    const { call, scratch, attach } = await desk()
    const path = await attach("../../My notes;$(x).txt", Buffer.from("hello"))
    await told(call(readTool(), { path }))
    const placed = `${scratch.path}/${attachmentPath(path, "My notes;$(x).txt")}`
    expect(placed).toMatch(/\/attachments\/[0-9a-f]{8}\/My_notes_x_.txt$/)
    expect(await readFile(placed, "utf8")).toBe("hello")
  })

  it("[BIN-013] is converted by what its name says, too", async () => {
    const { call, attach } = await desk()
    const path = await attach("plan.docx", wholeDocx())
    expect(JSON.stringify(await told(call(convertTool(), { path, to: "text" })))).toContain("#")
  })

  it("[SCR-002] is put into scratch again when a path names it there", async () => {
    const { call, scratch, attach } = await desk()
    const id = await attach("a.txt", Buffer.from("hello"))
    const path = `${scratch.path}/${attachmentPath(id, "a.txt")}`
    expect(await shown(call(readTool(), { path }))).toBe("hello")
  })

  it.skipIf(missing("bubblewrap"))("[BIN-004] lies where a command looks for it", async () => {
    const { call, attach } = await desk()
    const id = await attach("the plan.txt", Buffer.from("hello"))
    const tool = bashTool()
    const command = `cat $SCRATCH/${attachmentPath(id, "the plan.txt")}`
    expect(await shown(call(tool, { command }))).toBe("hello")
    const { notes } = await told(call(tool, { command: `cat ${id}` }))
    expect(notes).toEqual([expect.stringMatching(/lies at .*the_plan\.txt$/)])
  })
})

describe("what is made in scratch", () => {
  it("[SCR-001] lasts when it is attached, however large it is", async () => {
    const { call, scratch, blobs } = await desk()
    await scratch.write("big.bin", Buffer.alloc(65 * 1024 * 1024, 1))
    const given = await told(call(attachTool(), { path: `${scratch.path}/big.bin` }))
    expect(given).toMatchObject({ name: "big.bin", outcome: "descriptor" })
    expect(given.reason).toMatch(/^it has 68157440 bytes, more than/)
    expect(await blobs.size(given.content_id)).toBe(65 * 1024 * 1024)
  })
})
