import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { runSandboxed, type SandboxedRun } from "../../packages/files/sandbox/sandbox.ts"
import { missing } from "../machine.ts"

/** In some places, a chroot among them, the kernel lets nobody put up walls. */
const trial = await runSandboxed({ command: "true", workspace: tmpdir() })

it("says why where it cannot be put up, and runs nothing", () => {
  if (trial.type === "unavailable") expect(trial.reason).toMatch(/bubblewrap|bwrap/)
  else expect(trial).toMatchObject({ type: "output", code: 0 })
})

describe.skipIf(missing("bubblewrap") || trial.type === "unavailable")("sandbox", () => {
  let workspace = ""
  beforeAll(async () => {
    workspace = await mkdtemp(join(tmpdir(), "sandbox-"))
    await writeFile(join(workspace, "a.txt"), "hello\n")
  })
  afterAll(() => rm(workspace, { recursive: true }))

  const run = (command: string, more: Partial<SandboxedRun> = {}) =>
    runSandboxed({ command, workspace, ...more })

  it("[BEY-05] runs a command in the workspace and gives back what it said", async () => {
    expect(await run("cat a.txt; exit 3")).toEqual({
      type: "output",
      code: 3,
      text: "hello\n",
      truncated: false,
      notes: [],
    })
  })

  it("[BIN-052] lets nothing be written outside its scratch", async () => {
    expect(await run("echo x > a.txt")).toMatchObject({ code: 2 })
    expect(await run("echo x > /usr/x")).toMatchObject({ code: 2 })
    expect(await run("echo x > /tmp/x && cat /tmp/x")).toMatchObject({ code: 0, text: "x\n" })
  })

  it("shows nothing of the user's but the workspace", async () => {
    expect(await run("ls /root /home /var 2>&1 | grep -v 'No such'")).toMatchObject({ text: "" })
    expect(await run("env | grep -c -i -E 'key|token|secret'")).toMatchObject({ text: "0\n" })
  })

  it("has no network", async () => {
    expect(await run("cat /proc/net/dev | grep -c eth")).toMatchObject({ text: "0\n" })
  })

  it("[BIN-062] stops what writes, says or takes too much", async () => {
    expect(await run("head -c 30000000 /dev/zero > /tmp/x")).toMatchObject({ code: 1 })
    expect(await run("yes", { max_output_bytes: 1000 })).toMatchObject({ truncated: true })
    expect(await run("sleep 5", { timeout_ms: 200 })).toMatchObject({ type: "stopped" })
  })
})
