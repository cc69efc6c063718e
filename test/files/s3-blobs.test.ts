import { randomBytes } from "node:crypto"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { BlobMissing, type BlobStore, computeContentId } from "../../packages/files/blobs/blobs.ts"
import { openBlobs } from "../../packages/files/blobs/open-blobs.ts"
import { readS3Address } from "../../packages/files/blobs/s3-address.ts"
import { S3Blobs } from "../../packages/files/blobs/s3-blobs.ts"
import { CopiedBlobs } from "../../packages/files/blobs/s3-copies.ts"
import { chunksOf, collect, collectBytes, temporaryFolder } from "../build.ts"
import { blobsContract } from "./blobs.contract.ts"
import { BUCKET, KEYS, type S3Service, type Seen, startS3 } from "./s3-service.ts"

const HASTE = { pause_ms: 1, silence_ms: 5000, attempts: 4 }
const MANY = { maxBytes: 64 * 1024 * 1024 }
const PART = 8 * 1024 * 1024

blobsContract("objects of a bucket", async () => new S3Blobs((await startS3()).address(), HASTE))
blobsContract("objects of a bucket, copied", async () => copied(await startS3()))

async function copied(service: S3Service, max_bytes = 64 * 1024 * 1024): Promise<BlobStore> {
  const far = new S3Blobs(service.address(), HASTE)
  return new CopiedBlobs(far, { folder: await temporaryFolder(), max_bytes })
}

async function* pieces(bytes: Uint8Array, size = 700_000): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

function parts(service: S3Service): Seen[] {
  return service.seen.filter(({ method, query }) => method === "PUT" && query.has("partNumber"))
}

function ended(service: S3Service): Seen[] {
  return service.seen.filter(({ method, query }) => method === "DELETE" && query.has("uploadId"))
}

describe("blobs in a bucket", () => {
  it.each([PART - 1, PART, PART + 1, 3 * PART + 5])(
    "come back whole when they have %i bytes",
    async (size) => {
      const service = await startS3()
      const blobs = new S3Blobs(service.address(), HASTE)
      const bytes = randomBytes(size)
      const stored = await blobs.put(pieces(bytes), MANY)
      expect(stored).toEqual({ content_id: computeContentId(bytes), size })
      expect((await collectBytes(blobs.open(stored.content_id))).equals(bytes)).toBe(true)
      expect(parts(service)).toHaveLength(size < PART ? 0 : Math.ceil(size / PART))
      expect(await collect(blobs.list())).toHaveLength(1)
    },
  )

  it("[OPS-06] end an upload whose sender hangs up after some parts, and leave no name behind", async () => {
    const service = await startS3()
    const blobs = new S3Blobs(service.address(), HASTE)
    async function* broken() {
      yield* pieces(randomBytes(2 * PART))
      throw new Error("the sender hung up")
    }
    await expect(blobs.put(broken(), MANY)).rejects.toThrow("the sender hung up")
    expect(parts(service).length).toBeGreaterThan(0)
    expect(ended(service)).toHaveLength(1)
    expect(await collect(blobs.list())).toEqual([])
  })

  it("end an upload that is refused, and say bucket and code but no key", async () => {
    const service = await startS3()
    const blobs = new S3Blobs(service.address(), HASTE)
    service.fault = ({ method, query }) =>
      method === "PUT" && query.get("partNumber") === "2" ? 403 : undefined
    const put = blobs.put(pieces(randomBytes(3 * PART)), MANY)
    const said = await put.then(
      () => "nothing failed",
      (reason: unknown) => String(reason),
    )
    expect(said).toMatch(/PUT s3:\/\/blobs-of-a-test\/in\/here\/tmp\/\S+: 403 AccessDenied/)
    expect(said).not.toContain("S3RVER")
    expect(ended(service)).toHaveLength(1)
  })

  it.each([500, 503, "reset", "silence"] as const)(
    "[OPS-06] are put and read although requests fail with %s",
    async (fault) => {
      const service = await startS3()
      const hurried = fault === "silence" ? { ...HASTE, silence_ms: 2000 } : HASTE
      const blobs = new S3Blobs(service.address(), hurried)
      const failures = new Map<string, number>()
      service.fault = ({ method, path, query }) => {
        const key = `${method} ${path} ${query.get("partNumber") ?? query.get("uploadId") ?? ""}`
        const count = (failures.get(key) ?? 0) + 1
        failures.set(key, count)
        // Each silence is waited for: parts and reading stand for all.
        if (fault === "silence")
          return count === 1 && (query.has("partNumber") || method === "GET") ? fault : undefined
        return count <= 2 ? fault : undefined
      }
      const bytes = randomBytes(PART + 100)
      const { content_id } = await blobs.put(pieces(bytes), MANY)
      expect((await collectBytes(blobs.open(content_id))).equals(bytes)).toBe(true)
    },
  )

  it("[OPS-06] go on reading where an answer broke off", async () => {
    const service = await startS3()
    const blobs = new S3Blobs(service.address(), HASTE)
    const bytes = randomBytes(900_000)
    const { content_id } = await blobs.putBytes(bytes)
    let cuts = 0
    service.fault = ({ method }) => (method === "GET" && cuts++ < 3 ? "cut" : undefined)
    expect((await collectBytes(blobs.open(content_id))).equals(bytes)).toBe(true)
    expect(cuts).toBeGreaterThan(3)
  })

  it("give up in the end, and say what failed", async () => {
    const service = await startS3()
    const blobs = new S3Blobs(service.address(), HASTE)
    service.fault = () => 503
    await expect(blobs.putBytes(Buffer.from("x"))).rejects.toThrow(/503/)
    expect(service.seen).toHaveLength(HASTE.attempts)
    service.fault = () => "reset"
    await expect(blobs.size(computeContentId(Buffer.from("x")))).rejects.toThrow(/ECONNRESET/)
  })

  it("stay when they were put again since", async () => {
    const blobs = new S3Blobs((await startS3()).address(), HASTE)
    const { content_id } = await blobs.putBytes(Buffer.from("again"))
    await blobs.remove(content_id, Date.now() - 60_000)
    expect(await blobs.size(content_id)).toBe(5)
    await blobs.remove(content_id, Date.now() + 60_000)
    expect(await blobs.size(content_id)).toBeUndefined()
  })

  it("are swept of what a crash left half written, and not of what is young", async () => {
    const service = await startS3()
    const blobs = new S3Blobs(service.address(), HASTE)
    service.fault = ({ method, path }) =>
      method === "DELETE" && path.includes("/tmp/") ? 500 : undefined
    const bytes = randomBytes(PART + 1)
    await blobs.put(pieces(bytes), MANY)
    service.fault = () => undefined
    const left = () => service.seen.filter(({ method }) => method === "DELETE").length
    const before = left()
    await blobs.sweepTemporary()
    expect(left()).toBe(before)
    await blobs.sweepTemporary(Date.now() + 24 * 60 * 60 * 1000)
    expect(left()).toBe(before + 1)
    expect(await collect(blobs.list())).toHaveLength(1)
  })

  it("are handed out by a link that needs no key of ours, and only for a while", async () => {
    const service = await startS3()
    const blobs = new S3Blobs(service.address("&presign=60"), HASTE)
    const { content_id } = await blobs.putBytes(Buffer.from("linked"))
    const link = await blobs.link(content_id, { type: "image/png", disposition: "attachment" })
    const answer = await fetch(link ?? "")
    expect([answer.status, await answer.text()]).toEqual([200, "linked"])
    expect(answer.headers.get("content-type")).toBe("image/png")
    expect(answer.headers.get("content-disposition")).toBe("attachment")
    expect(new URL(link ?? "").searchParams.get("X-Amz-Expires")).toBe("60")
    const changed = new URL(link ?? "")
    changed.searchParams.set("X-Amz-Expires", "600")
    expect((await fetch(changed)).status).toBe(403)
    const plain = new S3Blobs(service.address(), HASTE)
    expect(await plain.link(content_id, { type: "a/b", disposition: "inline" })).toBeNull()
  })
})

describe("copies of blobs that are far away", () => {
  it("are read instead of the bucket", async () => {
    const service = await startS3()
    const blobs = await copied(service)
    const { content_id } = await blobs.putBytes(randomBytes(400_000))
    const first = await collectBytes(blobs.open(content_id))
    const asked = service.seen.length
    const second = await collectBytes(blobs.open(content_id))
    const range = await collectBytes(blobs.open(content_id, { start: 5, end: 300_000 }))
    expect([second.equals(first), range.equals(first.subarray(5, 300_000))]).toEqual([true, true])
    expect(service.seen).toHaveLength(asked)
  })

  it("take no more room than they may", async () => {
    const service = await startS3()
    const folder = await temporaryFolder()
    const far = new S3Blobs(service.address(), HASTE)
    const blobs = new CopiedBlobs(far, { folder, max_bytes: 1_000_000 })
    for (let count = 0; count < 8; count++) {
      const { content_id } = await blobs.putBytes(randomBytes(200_000))
      await collect(blobs.open(content_id))
    }
    const { content_id } = await blobs.putBytes(randomBytes(600_000))
    await collect(blobs.open(content_id))
    expect(await readdir(join(folder, String(process.pid)))).toHaveLength(5)
  })

  it("are made only of all the bytes, and those of a dead process are removed", async () => {
    const service = await startS3()
    const folder = await temporaryFolder()
    const far = new S3Blobs(service.address(), HASTE)
    const blobs = new CopiedBlobs(far, { folder, max_bytes: 1e8 })
    const { content_id } = await blobs.putBytes(randomBytes(2_000_000))
    for await (const _ of blobs.open(content_id)) break
    expect(await readdir(join(folder, String(process.pid)))).toEqual([])
    await expect(collect(blobs.open(`sha256:${"0".repeat(64)}`))).rejects.toThrow(BlobMissing)
    expect(await readdir(folder)).toEqual([String(process.pid)])
  })

  it("are gone when their blob is, or when they are old", async () => {
    const service = await startS3()
    const folder = await temporaryFolder()
    const blobs = new CopiedBlobs(new S3Blobs(service.address(), HASTE), { folder, max_bytes: 1e8 })
    const [one, two] = [await blobs.putBytes(randomBytes(9)), await blobs.putBytes(randomBytes(9))]
    await collect(blobs.open(one.content_id))
    await collect(blobs.open(two.content_id))
    await blobs.remove(one.content_id)
    await expect(collect(blobs.open(one.content_id))).rejects.toThrow(BlobMissing)
    expect(await readdir(join(folder, String(process.pid)))).toHaveLength(1)
    await blobs.sweepTemporary(Date.now() + 2 * 60 * 60 * 1000)
    expect(await readdir(join(folder, String(process.pid)))).toEqual([])
  })
})

describe("the address of a bucket", () => {
  const read = (text: string, more = {}) => readS3Address(text, { ...KEYS, ...more })

  it("says where, and the environment says as whom", () => {
    const text = "s3://my-bucket/a/b/?endpoint=http://localhost:9000&region=eu-west-1&cache=2g"
    expect(read(text)).toMatchObject({
      bucket: "my-bucket",
      prefix: "a/b",
      region: "eu-west-1",
      in_path: true,
      presign_seconds: null,
      cache_bytes: 2 * 1024 ** 3,
    })
    expect(read("s3://my-bucket", { AWS_REGION: "us-west-2" })).toMatchObject({
      endpoint: new URL("https://s3.us-west-2.amazonaws.com"),
      in_path: false,
      prefix: "",
    })
    expect(read("s3://my.bucket").in_path).toBe(true)
    expect(read("s3://my-bucket", { AWS_ENDPOINT_URL: "http://s3:9000" }).in_path).toBe(true)
  })

  it.each([
    ["https://bucket", /s3:\/\/<bucket>/],
    ["s3://", /s3:\/\/<bucket>/],
    ["s3://UPPER_CASE", /s3:\/\/<bucket>/],
    ["s3://key:secret@bucket", /keys come from the environment/],
    ["s3://bucket?regoin=x", /regoin is not known/],
    ["s3://bucket?endpoint=ftp://x", /endpoint ftp:\/\/x/],
    ["s3://bucket?presign=0", /presign 0/],
    ["s3://bucket?presign=90000", /presign 90000/],
    ["s3://bucket?cache=lots", /cache lots/],
    ["s3://bucket?style=odd", /style odd/],
  ])("%s is refused with a reason", (text, reason) => {
    const failed = () => read(text)
    expect(failed).toThrow(reason)
    expect(String(catching(failed))).not.toContain("secret@")
  })

  it("needs keys, and a bucket that is there", async () => {
    expect(() => readS3Address("s3://bucket", {})).toThrow(/AWS_ACCESS_KEY_ID/)
    const { endpoint } = await startS3()
    const data = await temporaryFolder()
    const open = (bucket: string, environment = KEYS) =>
      openBlobs({ data, blobs: `s3://${bucket}?endpoint=${endpoint}`, environment })
    await expect(open("not-there")).rejects.toThrow(/s3:\/\/not-there\/: 404 NoSuchBucket/)
    const stranger = { ...KEYS, AWS_SECRET_ACCESS_KEY: "guessed" }
    await expect(open(BUCKET, stranger)).rejects.toThrow(/403 SignatureDoesNotMatch/)
    const blobs = await open(BUCKET)
    const { content_id } = await blobs.put(chunksOf(Buffer.from("here")), MANY)
    expect(await blobs.size(content_id)).toBe(4)
  })
})

function catching(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}
