import { once } from "node:events"
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from "node:http"
import { createRequire } from "node:module"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import { readS3Address } from "../../packages/files/blobs/s3-address.ts"
import { temporaryFolder } from "../build.ts"
import { isSigned } from "./s3-signature.ts"

export const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" }
export const BUCKET = "blobs-of-a-test"

export interface Seen {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
}

/** What to do with a request instead of passing it on; undefined passes it on. */
export type Fault = (seen: Seen) => "reset" | "silence" | "cut" | number | undefined

export interface S3Service {
  readonly endpoint: string
  /** Every request that came, oldest first. */
  readonly seen: Seen[]
  fault: Fault
  address(more?: string): ReturnType<typeof readS3Address>
}

/** A real S3 protocol server with a wire in front of it that can be cut. It checks signatures. */
export async function startS3(): Promise<S3Service> {
  const S3rver = createRequire(import.meta.url)("s3rver")
  const directory = await temporaryFolder()
  const rver = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    configureBuckets: [{ name: BUCKET }],
  })
  const { port } = (await rver.run()) as AddressInfo
  onTestFinished(() => rver.close())
  const service = { endpoint: "", seen: [] as Seen[], fault: (() => undefined) as Fault }
  const wire = createServer((asked, answer) => pass(service, port, { asked, answer }))
  wire.listen(0, "127.0.0.1")
  await once(wire, "listening")
  onTestFinished(() => closed(wire))
  const endpoint = `http://127.0.0.1:${(wire.address() as AddressInfo).port}`
  const address = (more = "") =>
    readS3Address(`s3://${BUCKET}/in/here?endpoint=${endpoint}${more}`, KEYS)
  return Object.assign(service, { endpoint, address })
}

interface Exchange {
  readonly asked: IncomingMessage
  readonly answer: ServerResponse
}

function pass(service: { seen: Seen[]; fault: Fault }, port: number, { asked, answer }: Exchange) {
  const { pathname, searchParams } = new URL(asked.url ?? "", "http://s3")
  const seen = { method: asked.method ?? "", path: pathname, query: searchParams }
  service.seen.push(seen)
  const fault = service.fault(seen)
  if (fault === "silence") return
  if (!isSigned(asked, KEYS.AWS_SECRET_ACCESS_KEY))
    return refuse({ asked, answer }, 403, "SignatureDoesNotMatch")
  if (fault === "reset") return asked.socket.destroy()
  if (typeof fault === "number") return refuse({ asked, answer }, fault, CODES[fault] ?? "Odd")
  // It knows no way to end an upload that was begun; a bucket does.
  if (seen.method === "DELETE" && searchParams.has("uploadId")) {
    answer.writeHead(204)
    return answer.end()
  }
  const options = {
    port,
    host: "127.0.0.1",
    method: seen.method,
    path: asked.url,
    headers: asked.headers,
  }
  const onward = request(options, (given) => {
    answer.writeHead(given.statusCode ?? 500, given.headers as OutgoingHttpHeaders)
    if (fault === "cut")
      given.once("data", (chunk) => answer.write(chunk, () => asked.socket.destroy()))
    else given.pipe(answer)
  })
  onward.on("error", () => asked.socket.destroy())
  return asked.pipe(onward)
}

function refuse({ asked, answer }: Exchange, status: number, code: string) {
  asked.resume()
  answer.writeHead(status, { "content-type": "application/xml" })
  answer.end(`<Error><Code>${code}</Code><Message>S3RVER</Message></Error>`)
}

const CODES: Readonly<Record<number, string>> = {
  403: "AccessDenied",
  500: "InternalError",
  503: "SlowDown",
}

async function closed(server: Server) {
  server.closeAllConnections()
  server.close()
  await once(server, "close")
}
