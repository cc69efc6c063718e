// A service that speaks enough of S3 to keep blobs, and that lies when it is told to.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import type { Environment } from "./product.ts"

/** `redirect`: objects lie at another host. `bytes`: they have other bytes. `more`: they do not end. */
export type Lie = "none" | "redirect" | "bytes" | "more"

export interface LyingBucket {
  lie: Lie
  /** Everything that it was asked, `METHOD /path?query`. */
  readonly asked: string[]
  /** What the other host was asked, with its headers. */
  readonly elsewhere: string[]
  readonly objects: ReadonlyMap<string, Buffer>
  readonly environment: Environment
}

export async function startLyingBucket(): Promise<LyingBucket> {
  const objects = new Map<string, Buffer>()
  const elsewhere: string[] = []
  const other = await listen((request, response) => {
    elsewhere.push(`${request.method} ${request.url} ${request.rawHeaders.join(" ")}`)
    response.end("bytes of another host")
  })
  const asked: string[] = []
  const bucket = { lie: "none" as Lie, asked, elsewhere, objects }
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push(`${request.method} ${request.url}`)
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://x")
    if (searchParams.has("list-type")) return void response.end(listed(objects))
    if (bucket.lie === "redirect")
      return void response.writeHead(307, { location: `${other}${request.url}` }).end()
    if (request.method === "PUT") objects.set(pathname, Buffer.concat(chunks))
    if (request.method === "DELETE") objects.delete(pathname)
    const found = objects.get(pathname)
    if (!found) return void response.writeHead(request.method === "DELETE" ? 204 : 404).end()
    if (request.method === "PUT") return void response.end()
    send(request, response, { found, lie: bucket.lie })
  }
  const url = await listen((request, response) => void answer(request, response))
  const environment = {
    COMPOSITOR_BLOBS: `s3://lying-bucket/in/here?endpoint=${url}`,
    AWS_ACCESS_KEY_ID: "AKIAOFTHEBUCKET",
    AWS_SECRET_ACCESS_KEY: "secret-of-the-bucket",
  }
  return Object.assign(bucket, { environment })
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { found, lie }: { readonly found: Buffer; readonly lie: Lie },
) {
  response.setHeader("last-modified", new Date().toUTCString())
  if (method === "HEAD") return void response.setHeader("content-length", found.length).end()
  if (lie === "bytes") return void response.end(Buffer.alloc(found.length, "F"))
  if (lie !== "more") return void response.end(found)
  const more = () => {
    while (!response.destroyed && response.write(Buffer.alloc(1024 * 1024, "M"))) continue
  }
  response.on("drain", more)
  more()
}

/** What it keeps, and keys that are none of the server's. */
function listed(objects: ReadonlyMap<string, Buffer>): string {
  const keys = [...objects.keys()].map((path) => path.replace("/lying-bucket/", ""))
  const foreign = ["in/here/../../etc/passwd", "of/another", "in/hereafter/aa/bb", "/in/here/tmp/x"]
  const entries = [...keys, ...foreign].map(
    (key) =>
      `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2001-01-01T00:00:00Z</LastModified></Contents>`,
  )
  return `<ListBucketResult>${entries.join("")}</ListBucketResult>`
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
