// A service that speaks S3, for servers that keep their blobs in a bucket.

import { mkdtemp, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { Environment } from "./product.ts"

const BUCKET = "blobs-of-attacks"

export interface S3 {
  readonly endpoint: string
  /** Where blobs are kept, for `--blobs`. */
  readonly url: string
  readonly environment: Environment
}

export async function startS3(): Promise<S3> {
  const S3rver = createRequire(import.meta.url)("s3rver")
  const directory = await mkdtemp(join(tmpdir(), "compositor-s3-"))
  const about = { port: 0, address: "127.0.0.1", silent: true, directory }
  const server = new S3rver({ ...about, configureBuckets: [{ name: BUCKET }] })
  const { port } = (await server.run()) as AddressInfo
  onTestFinished(async () => {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  })
  const endpoint = `http://127.0.0.1:${port}`
  return {
    endpoint,
    url: `s3://${BUCKET}/in/here?endpoint=${endpoint}`,
    environment: { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" },
  }
}
