import { open, rm } from "node:fs/promises"
import process from "node:process"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { fileChunks } from "../../packages/files/blobs/blocks.ts"

// Takes a file into a blob store and tells how long that took and how much memory came with it.

const SAMPLE_MS = 10
const { folder } = JSON.parse(process.argv[2] ?? "{}") as { folder: string }

export interface Ingested {
  readonly ms: number
  readonly content_id: string
  readonly rss_growth: number
}

process.on("message", ({ file }: { file: string }) => void ingest(file))
process.send?.("ready")

async function ingest(file: string) {
  const blobs = new FileBlobs(folder)
  const before = process.memoryUsage.rss()
  let most = before
  const sample = () => (most = Math.max(most, process.memoryUsage.rss()))
  const timer = setInterval(sample, SAMPLE_MS)
  const began = performance.now()
  const handle = await open(file)
  const maxBytes = Number.MAX_SAFE_INTEGER
  const { content_id } = await blobs.put(fileChunks(handle), { maxBytes })
  await handle.close()
  const ms = performance.now() - began
  sample()
  clearInterval(timer)
  const answer: Ingested = { ms, content_id, rss_growth: most - before }
  await rm(folder, { recursive: true, force: true })
  process.send?.(answer)
}
