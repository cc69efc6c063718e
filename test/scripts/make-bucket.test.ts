import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { KEYS, startS3 } from "../files/s3-service.ts"

const SCRIPT = join(import.meta.dirname, "..", "..", "deploy", "make-bucket.mjs")

async function makeBucket(blobs: string) {
  const env = { ...process.env, ...KEYS, COMPOSITOR_BLOBS: blobs }
  const child = spawn(process.execPath, [SCRIPT], { env, stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text))
  const [code] = await once(child, "close")
  return { code, said: said.trim() }
}

describe("the bucket of the compose file", () => {
  it("is made once it can be, and found when it is there", async () => {
    const service = await startS3()
    const blobs = `s3://made-for-us/blobs?endpoint=${service.endpoint}&region=us-east-1`
    let asked = 0
    service.fault = () => (++asked === 1 ? 503 : undefined)
    expect(await makeBucket(blobs)).toEqual({ code: 0, said: "made-for-us: made" })
    expect(asked).toBe(2)
    expect(await makeBucket(blobs)).toEqual({ code: 0, said: "made-for-us: is there" })
  }, 60_000)
})
