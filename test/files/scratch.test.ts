import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { runSandboxed, sandboxFault } from "../../packages/files/sandbox/sandbox.ts"
import { safeName } from "../../packages/core/file/attachment-path.ts"
import { type Scratch, ScratchFolders } from "../../packages/files/workspace/scratch.ts"
import { collectBytes, temporaryFolder } from "../build.ts"
import { missing } from "../machine.ts"

const QUOTA = { bytes: 1_000_000, files: 20 }

async function folders() {
  const data = await temporaryFolder()
  const base = join(data, "scratch")
  return { data, base, folders: new ScratchFolders(base, QUOTA) }
}

async function scratch(): Promise<Scratch> {
  return (await folders()).folders.open("ses_1")
}

describe("scratch", () => {
  it("[BIN-053] [BIN-054] is a folder of the session's own, by an absolute path", async () => {
    const { folders: all, base } = await folders()
    const one = await all.open("ses_1")
    expect(one.path).toBe(join(base, "ses_1"))
    expect((await stat(one.path)).mode & 0o777).toBe(0o700)
    expect((await stat(base)).mode & 0o777).toBe(0o700)
    expect((await all.open("ses_2")).path).not.toBe(one.path)
  })

  it("[SCR-001] lives under no name that leads elsewhere", async () => {
    const { folders: all } = await folders()
    for (const id of ["..", "a/b", "", ".x", "a\0", "x".repeat(65)])
      await expect(all.open(id)).rejects.toThrow(/is no session's id/)
  })

  it("[BIN-062] meters what is written, by bytes and by files", async () => {
    const one = await scratch()
    expect(await one.write("a/b.txt", Buffer.alloc(900_000))).toMatchObject({ type: "written" })
    expect(await one.write("c.txt", Buffer.alloc(200_000))).toMatchObject({
      type: "refused",
      reason: expect.stringContaining("900000 of 1000000 bytes"),
    })
    for (let at = 0; at < 18; at++) await one.write(`f${at}`, Buffer.alloc(1))
    expect(await one.write("one-more", Buffer.alloc(1))).toMatchObject({ type: "refused" })
    expect(await one.usage()).toEqual({ bytes: 900_018, files: 20 })
  })

  it("[BIN-052] writes nothing outside", async () => {
    const { data, folders: all } = await folders()
    const one = await all.open("ses_1")
    await symlink(data, join(one.path, "out"))
    for (const path of ["../x", "/etc/x", "out/x", "out/scratch/x"])
      expect(await one.write(path, Buffer.from("x"))).toMatchObject({ type: "refused" })
    expect((await readdir(data)).sort()).toEqual(["scratch"])
  })

  it("[SCR-002] is filled again from blobs after it was swept", async () => {
    const { data, folders: all } = await folders()
    const blobs = new FileBlobs(join(data, "blobs"))
    const { content_id } = await blobs.putBytes(Buffer.from("hello"))
    for (let round = 0; round < 2; round++) {
      const one = await all.open("ses_1")
      const placed = await one.materialise(blobs, content_id, { name: "../../a b.txt" })
      if (placed.type !== "placed") throw new Error(placed.reason)
      expect(placed.path.startsWith(one.path)).toBe(true)
      expect(await readFile(placed.path, "utf8")).toBe("hello")
      await all.remove("ses_1")
    }
  })

  it("[SCR-001] outlives its session only by promotion", async () => {
    const { data, folders: all } = await folders()
    const blobs = new FileBlobs(join(data, "blobs"))
    const one = await all.open("ses_1")
    await one.write("made.txt", Buffer.from("made"))
    const kept = await one.promote(blobs, "made.txt")
    await all.remove("ses_1")
    if (!("content_id" in kept)) throw new Error(kept.reason)
    expect((await collectBytes(blobs.open(kept.content_id))).toString()).toBe("made")
  })

  it("takes a name from outside apart", () => {
    expect(safeName("../../etc/passwd")).toBe("passwd")
    expect(safeName("C:\\x\\a?.txt")).toBe("a_.txt")
    expect(safeName("..")).toBe("_")
    expect(Buffer.byteLength(safeName("ü".repeat(300)))).toBeLessThanOrEqual(200)
  })
})

describe("sweeping scratch", () => {
  it("[BIN-051] removes what is old or belongs to nobody, and nothing else", async () => {
    const { base, folders: all } = await folders()
    for (const id of ["ses_old", "ses_gone", "ses_lives"]) await all.open(id)
    const long = new Date(Date.now() - 60_000)
    await utimes(join(base, "ses_old"), long, long)
    const before = Date.now() - 30_000
    const removed = await all.sweep({ before, lives: (id) => id !== "ses_gone" })
    expect([...removed].sort()).toEqual(["ses_gone", "ses_old"])
    expect(await readdir(base)).toEqual(["ses_lives"])
  })

  it("[SCR-003] follows no link out of a session's folder", async () => {
    const { data, folders: all } = await folders()
    const precious = join(data, "precious")
    await mkdir(precious)
    await writeFile(join(precious, "a"), "a")
    const one = await all.open("ses_1")
    await symlink(precious, join(one.path, "link"))
    await mkdir(join(one.path, "deep", "er"), { recursive: true })
    await symlink(precious, join(one.path, "deep", "er", "link"))
    await all.remove("ses_1")
    expect(await readdir(precious)).toEqual(["a"])
    await expect(stat(one.path)).rejects.toThrow()
  })

  it("[SCR-003] does nothing where its base is a link or someone else's", async () => {
    const { data, base, folders: all } = await folders()
    await all.open("ses_1")
    await rename(base, join(data, "moved"))
    await symlink(join(data, "moved"), base)
    expect(await all.sweep({ before: Date.now() + 1000 })).toEqual([])
    await all.remove("ses_1")
    await expect(all.open("ses_1")).rejects.toThrow(/is a link or belongs to someone else/)
    expect(await readdir(join(data, "moved"))).toEqual(["ses_1"])
  })

  it("[SCR-003] does nothing where others may look into its base", async () => {
    const { base, folders: all } = await folders()
    await all.open("ses_1")
    await chmod(base, 0o755)
    expect(await all.sweep({ before: Date.now() + 1000 })).toEqual([])
    await expect(all.open("ses_1")).rejects.toThrow(/not used as scratch/)
  })

  it("[SCR-003] removes a session's folder that was swapped for a link as the link it is", async () => {
    const { data, base, folders: all } = await folders()
    const precious = join(data, "precious")
    await all.open("ses_x")
    await mkdir(precious)
    await writeFile(join(precious, "a"), "a")
    await symlink(precious, join(base, "ses_1"))
    await all.remove("ses_1")
    expect(await readdir(precious)).toEqual(["a"])
    expect(await readdir(base)).toEqual(["ses_x"])
  })
})

const fault = missing("bubblewrap") ? "there is no bubblewrap" : await sandboxFault()

describe.skipIf(fault !== undefined)("scratch in the sandbox", () => {
  const run = (one: Scratch, command: string) =>
    runSandboxed({ command, workspace: null, scratch: one })

  it("[BIN-050] is where a command writes, and what it wrote stays", async () => {
    const one = await scratch()
    await one.write("in.txt", Buffer.from("in"))
    const ran = await run(
      one,
      'cat in.txt; mkdir -p "$SCRATCH/a" && echo out > a/out.txt; rm in.txt',
    )
    expect(ran).toMatchObject({ type: "output", code: 0, text: "in", notes: [] })
    expect(await readdir(one.path)).toEqual(["a"])
    expect(await readFile(join(one.path, "a/out.txt"), "utf8")).toBe("out\n")
    expect(await run(one, "cat a/out.txt")).toMatchObject({ text: "out\n" })
  })

  it("[BIN-062] [BIN-070] is full when its quota is, and what was there stays", async () => {
    const one = await scratch()
    await one.write("in.txt", Buffer.from("in"))
    const ran = await run(one, "head -c 5000000 /dev/zero > big; ls -l big | cut -d' ' -f5")
    expect(ran).toMatchObject({ type: "output" })
    expect((await one.usage()).bytes).toBeLessThanOrEqual(QUOTA.bytes)
    const many = await run(one, "for at in $(seq 100); do echo > $at; done")
    expect(many).toMatchObject({ notes: [expect.stringContaining("more than 20 files")] })
    expect((await one.usage()).files).toBeLessThanOrEqual(QUOTA.files)
    const sparse = await run(one, "rm -f big; truncate -s 1T hole")
    expect(sparse).toMatchObject({ type: "output" })
    expect((await one.usage()).bytes).toBeLessThanOrEqual(QUOTA.bytes)
    expect(await readFile(join(one.path, "in.txt"), "utf8")).toBe("in")
  })

  it("[SCR-001] keeps files and folders, and no links or pipes", async () => {
    const one = await scratch()
    const ran = await run(one, "ln -s /etc/passwd link; mkfifo pipe; echo x > file; ln file hard")
    expect(ran).toMatchObject({
      notes: [expect.stringMatching(/only files and folders/), expect.anything()],
    })
    expect((await readdir(one.path)).sort()).toEqual(["file", "hard"])
  })

  it("[SCR-001] shows a command no other session's scratch", async () => {
    const { folders: all, base } = await folders()
    await (await all.open("ses_2")).write("secret", Buffer.from("secret"))
    const one = await all.open("ses_1")
    expect(await run(one, `ls ${base}`)).toMatchObject({ text: "ses_1\n" })
  })

  it("[BIN-052] leaves no place outside to write to", async () => {
    const one = await scratch()
    for (const path of ["/x", "/usr/x", "/run/scratch/x", "/etc/x", "/var/x"])
      expect(await run(one, `echo x > ${path}`)).toMatchObject({ code: 2 })
  })

  it("keeps what was there when a command is stopped", async () => {
    const one = await scratch()
    await one.write("in.txt", Buffer.from("in"))
    const ran = await runSandboxed({
      command: "rm in.txt; sleep 5",
      workspace: null,
      scratch: one,
      timeout_ms: 300,
    })
    expect(ran).toMatchObject({ type: "stopped" })
    expect(await readdir(one.path)).toEqual(["in.txt"])
  })
})
