import { execFile } from "node:child_process"
import { once } from "node:events"
import { writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, it, onTestFinished } from "vitest"
import { bytes, png, temporaryFolder } from "../build.ts"
import { MAIN } from "../program.ts"

/** The command line as a person starts it. */
async function run(home: string, ...words: readonly string[]) {
  const env = { PATH: process.env["PATH"] ?? "", HOME: home }
  const started = promisify(execFile)(process.execPath, [MAIN, ...words], { env, cwd: home })
  return started.then(
    ({ stdout, stderr }) => ({ code: 0, out: stdout, error: stderr }),
    (failed: { code: number; stdout: string; stderr: string }) => ({
      code: failed.code,
      out: failed.stdout,
      error: failed.stderr,
    }),
  )
}

describe("compositor fetch", () => {
  it("shows what lies at an address that it was told it may reach", async () => {
    const server = createServer((_, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<h1>Tea</h1>"),
    )
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const home = await temporaryFolder()
    const { code, out } = await run(home, "fetch", `http://${host}/`, "--allow", host, "--json")
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ type: "fetched", status: 200, text: "# Tea\n" })
    const raw = await run(home, "fetch", `http://${host}/`, "--allow", host, "--raw")
    expect(raw.out).toBe("<h1>Tea</h1>\n")
  })

  it("says why it fetched nothing, and fails", async () => {
    const home = await temporaryFolder()
    const { code, out } = await run(home, "fetch", "http://0x7f.1/", "--json")
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual({
      type: "refused",
      reason: "127.0.0.1 is not on the public internet",
    })
    expect((await run(home, "fetch", "http://x/", "--max-bytes", "many")).code).toBe(2)
  })
})

describe("compositor attach", () => {
  async function attach(name: string, content: Uint8Array, ...words: readonly string[]) {
    const home = await temporaryFolder()
    await writeFile(join(home, name), content)
    const data = join(home, "data")
    return run(home, "attach", join(home, name), "--data", data, ...words)
  }
  const whole = bytes(png(20, 10), "IEND", [0xae, 0x42, 0x60, 0x82])

  it("[BIN-005] prints the part that a message carries, with the type that its bytes have", async () => {
    const { out } = await attach("a.txt", whole, "--json", "--name", "b.bin", "--mime", "text/css")
    expect(JSON.parse(out)).toMatchObject({
      type: "file-attachment",
      name: "b.bin",
      mime: "image/png",
      declared_mime: "text/css",
      size: whole.length,
    })
  })

  it("[BIN-001] tells what would become of it for an API", async () => {
    const seen = await attach("a.png", whole, "--json", "--api", "anthropic-messages")
    expect(JSON.parse(seen.out)).toMatchObject({
      receipt: { outcome: "native" },
      blocks: [{ type: "image" }],
    })
    const said = await attach("a.bin", Buffer.alloc(50), "--api", "anthropic-messages")
    expect(said.out).toMatch(/descriptor/)
  })

  it("says which file is missing", async () => {
    const home = await temporaryFolder()
    const { code, error } = await run(home, "attach", "nowhere", "--data", join(home, "data"))
    expect(code).toBe(2)
    expect(error).toMatch(/nowhere: there is no such file/)
  })
})
