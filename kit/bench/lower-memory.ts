// A process that makes one request out of many images, and tells how much memory that took.

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setInterval } from "node:timers"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import type { Media } from "../../packages/core/model/prompt.ts"
import { post } from "../../packages/engine/providers/transport.ts"
import { pictureBytes, pictures, rowsOf, storePictures } from "./lower-histories.ts"
import { Ours } from "./lower-ours.ts"

const { folder, images } = JSON.parse(process.argv[2] ?? "{}") as {
  folder: string
  images: number
}
/** So many different ones; a history may show the same image again. */
const DIFFERENT = 16
const LOOK_EVERY_MS = 2

const blobs = new FileBlobs(folder)
const bytes = Array.from({ length: Math.min(images, DIFFERENT) }, () => pictureBytes())
const stored = await storePictures(blobs, bytes)
bytes.length = 0
const rows = rowsOf(
  pictures(images),
  Array.from({ length: images }, (_, at) => stored[at % stored.length] ?? fail()),
)
const ours = new Ours(blobs)

// Another process would read it; here nobody keeps a byte of it.
const server = createServer((request, response) => {
  request.resume().on("end", () => response.end())
})
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

process.on("message", () => void request().then((grown) => process.send?.(grown)))
process.send?.({ ready: true })

async function request() {
  globalThis.gc?.()
  const before = process.memoryUsage.rss()
  let most = before
  const look = () => (most = Math.max(most, process.memoryUsage.rss()))
  const watch = setInterval(look, LOOK_EVERY_MS)
  const body = await ours.cold(rows)
  const open = async function* ({ content_id }: Media) {
    for await (const chunk of blobs.open(content_id)) {
      look()
      yield chunk
    }
  }
  const answer = await post({
    url,
    headers: {},
    body,
    open,
    signal: new AbortController().signal,
  })
  for await (const _ of answer.chunks);
  look()
  clearInterval(watch)
  return { body_bytes: body.size, grown_bytes: most - before }
}

function fail(): never {
  throw new Error("there is no image")
}
