import { chmod, mkdir, symlink, writeFile } from "node:fs/promises"
import { createServer, type AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import type { CheckFinding } from "../../apps/cli/checks/finding.ts"
import { folderFindings, portFinding, spaceFinding } from "../../apps/cli/checks/folder.ts"
import { machineFindings, nodeFinding, terminalFinding } from "../../apps/cli/checks/machine.ts"
import { temporaryFolder } from "../build.ts"
import { openServed } from "../host/served.ts"
import { type Setting, setting } from "./run.ts"

async function diagnosed(place: Setting, words: readonly string[] = []) {
  const { code, out } = await place.run(["doctor", "--json", ...words])
  return { code, findings: JSON.parse(out) as CheckFinding[] }
}

function about(findings: readonly CheckFinding[], name: string): CheckFinding | undefined {
  return findings.find((finding) => finding.about === name)
}

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  return folder
}

describe("compositor doctor", { timeout: 60_000 }, () => {
  it("finds nothing to mend in a new place, and says so", async () => {
    const place = await setting()
    const { code, out } = await place.run(["doctor"])
    expect(code).toBe(0)
    expect(out).toMatch(/^ok {2}Node\.js/)
    expect(out.trimEnd()).toMatch(/Nothing to mend; \d+ worth knowing \(--\)\.$/)
  })

  it("names each broken file with what is wrong and what to do, and exits with 1", async () => {
    const place = await setting()
    const skill = join(place.workspace, ".claude", "skills", "blank", "SKILL.md")
    await mkdir(dirname(skill), { recursive: true })
    await mkdir(join(place.workspace, ".git"))
    await writeFile(skill, "no description")
    const binary = join(place.workspace, ".claude", "commands", "binary.md")
    await mkdir(dirname(binary), { recursive: true })
    await writeFile(binary, Buffer.from([0xff, 0xfe, 0x00]))
    await mkdir(place.data)
    const mcpServers = { gone: { command: "/nowhere/at-all" } }
    await writeFile(join(place.data, "config.json"), JSON.stringify({ mcpServers }))
    const { code, findings } = await diagnosed(place)
    expect(code).toBe(1)
    const wrong = findings.filter(({ state }) => state === "wrong")
    expect(wrong.map(({ says }) => says).toSorted()).toEqual([
      expect.stringContaining(`${binary}:1: `),
      expect.stringContaining(`${skill}:1: it has no description`),
      expect.stringMatching(/^gone \(.*config\.json\): .*ENOENT/),
    ])
    for (const { mend } of wrong) expect(mend).toBeTruthy()
  })

  it.each([
    ["{ oops", /config\.json is not JSON/],
    ['{"compaction":{"treshold":1}}', /config\.json does not fit: \/compaction/],
  ])("tells once that settings are not as they should be (%s)", async (text, words) => {
    const place = await setting()
    await mkdir(place.data)
    await writeFile(join(place.data, "config.json"), text)
    const { code, findings } = await diagnosed(place)
    expect(code).toBe(1)
    const told = findings.filter(({ says }) => words.test(says))
    expect(told).toEqual([
      { about: "settings", state: "wrong", says: expect.anything(), mend: expect.anything() },
    ])
  })

  it("names a database that is none", async () => {
    const place = await setting()
    await mkdir(place.data)
    await writeFile(join(place.data, "compositor.db"), "no database at all, but a text")
    const { code, findings } = await diagnosed(place)
    expect(code).toBe(1)
    expect(about(findings, "rooms")).toMatchObject({
      state: "wrong",
      says: expect.stringContaining(join(place.data, "compositor.db")),
      mend: expect.stringContaining("backup"),
    })
  })

  it("looks at another server from outside only, and says when it does not answer", async () => {
    const place = await setting()
    const { code, findings } = await diagnosed(place, [
      "--url",
      "http://127.0.0.1:9",
      "--token",
      "x",
    ])
    expect(code).toBe(1)
    expect(about(findings, "data folder")).toBeUndefined()
    expect(about(findings, "rooms")?.says).toContain("http://127.0.0.1:9")
  })
})

describe("what the doctor says of a data folder", () => {
  it("[OPS-10] who could look into it and into its secrets, before it shut them out", async () => {
    const folder = await folderWith({ token: "t" })
    await chmod(folder, 0o755)
    await chmod(join(folder, "token"), 0o644)
    const findings = await folderFindings(folder)
    expect(about(findings, "data folder")).toMatchObject({
      state: "missing",
      says: expect.stringContaining(join(folder, "token")),
    })
    expect(about(findings, "data folder")?.says).toContain("now only you can")
    expect(about(findings, "token")).toMatchObject({ state: "fine" })
    expect(about(await folderFindings(folder), "data folder")).toMatchObject({ state: "fine" })
  })

  it("that it is a file, or not there yet", async () => {
    const folder = await folderWith({ file: "x" })
    const [file] = await folderFindings(join(folder, "file"))
    expect(file).toMatchObject({ state: "wrong", says: `${join(folder, "file")} is a file` })
    const [none] = await folderFindings(join(folder, "a", "b"))
    expect(none).toMatchObject({ state: "missing", says: expect.stringContaining("not there yet") })
  })

  it("that its server is gone, answers no more, or cannot be understood", async () => {
    const said = { id: "srv_1", version: "0", url: "http://127.0.0.1:9", token: "t" }
    const server = async (text: string) =>
      about(await folderFindings(await folderWith({ "server.json": text })), "server")
    expect(await server("{")).toMatchObject({
      state: "missing",
      mend: expect.stringMatching(/^rm /),
    })
    expect(await server(JSON.stringify({ ...said, pid: 2 ** 22 }))).toMatchObject({
      state: "missing",
      says: expect.stringContaining(`process ${2 ** 22}, which is gone`),
    })
    expect(await server(JSON.stringify({ ...said, pid: process.pid }))).toMatchObject({
      state: "wrong",
      says: `process ${process.pid} lives, and nothing answers at http://127.0.0.1:9`,
    })
  })

  it("where its server lives", async () => {
    const { data, running } = await openServed({ registered: true })
    expect(about(await folderFindings(data), "server")).toMatchObject({
      state: "fine",
      says: `${running.url} (process ${process.pid})`,
    })
  })

  it("that the disk is nearly full, or can hold no more files", () => {
    const disk = { bsize: 4096, bavail: 10 ** 7, files: 10 ** 6, ffree: 10 ** 5 }
    expect(spaceFinding("/d", disk)).toMatchObject({ state: "fine" })
    expect(spaceFinding("/d", { ...disk, bavail: 300_000 })).toMatchObject({ state: "missing" })
    expect(spaceFinding("/d", { ...disk, bavail: 1000 })).toMatchObject({
      state: "wrong",
      says: "3.9 MB beside /d: too little",
    })
    expect(spaceFinding("/d", { ...disk, ffree: 3 })).toMatchObject({ state: "wrong" })
    expect(spaceFinding("/d", { ...disk, files: 0, ffree: 0 })).toMatchObject({ state: "fine" })
  })

  it("that the port is taken", async () => {
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    expect(await portFinding(port)).toMatchObject({
      state: "missing",
      says: expect.stringContaining(`${port} is taken (EADDRINUSE)`),
      mend: expect.stringContaining("--port"),
    })
  })
})

describe("what the doctor says of a machine", () => {
  it.each([
    ["24.1.0", "fine"],
    ["22.19.0", "fine"],
    ["22.18.9", "wrong"],
    ["18.0.0", "wrong"],
  ])("that Node %s is %s", (version, state) => {
    expect(nodeFinding(version)).toMatchObject({ state })
  })

  it("which programs are not there, what is not done without them, and which package has them", async () => {
    const folder = await temporaryFolder()
    await symlink(process.execPath, join(folder, "libreoffice"))
    const findings = await machineFindings({ PATH: folder, TERM: "xterm" })
    // It is Node under another's name.
    expect(about(findings, "soffice")).toMatchObject({
      state: "missing",
      says: `${join(folder, "libreoffice")} is another program: no office documents as pages`,
    })
    expect(about(findings, "ffmpeg")).toEqual({
      about: "ffmpeg",
      state: "missing",
      says: "not in PATH: no frames of videos, no sound out of them",
      mend: "install the package ffmpeg",
    })
  })

  it("that a terminal cannot show the composer, or not every letter", () => {
    expect(terminalFinding({ TERM: "xterm", LANG: "C.UTF-8" })).toMatchObject({ state: "fine" })
    expect(terminalFinding({ TERM: "dumb" })).toMatchObject({ state: "missing" })
    expect(terminalFinding({ TERM: "xterm", LANG: "de_DE" })).toMatchObject({ state: "missing" })
  })
})
