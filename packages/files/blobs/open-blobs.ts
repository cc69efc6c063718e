import { join } from "node:path"
import { type BlobStore, FileBlobs } from "./blobs.ts"

interface BlobLocation {
  readonly data: string
  /** An address like `s3://bucket/prefix`; without, files in the data folder. */
  readonly blobs?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called when the disk failed to sync. */
  readonly broken?: ((reason: string) => void) | undefined
}

/** The place where blobs are kept, after it answered. What a bucket needs is loaded only for one. */
export async function openBlobs(place: BlobLocation): Promise<BlobStore> {
  const { data, blobs, environment, broken } = place
  const address = blobs ?? environment.COMPOSITOR_BLOBS
  if (!address) return new FileBlobs(join(data, "blobs"), broken)
  const { readS3Address } = await import("./s3-address.ts")
  const { S3Blobs } = await import("./s3-blobs.ts")
  const { CopiedBlobs } = await import("./s3-copies.ts")
  const read = readS3Address(address, environment)
  const far = new S3Blobs(read)
  await far.check()
  if (read.cache_bytes === 0) return far
  return new CopiedBlobs(far, { folder: join(data, "copies"), max_bytes: read.cache_bytes })
}
