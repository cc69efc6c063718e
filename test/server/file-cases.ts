import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { docx } from "../files/convert/samples.ts"
import { zipOf } from "../files/convert/zip.ts"
import { type Door, MISSING, type Request } from "./house.ts"

type Case = readonly [path: string, request?: Request]
interface At {
  readonly session: string
}
type Cases = (at: At) => { good: Case; bad: readonly [...Case, status: number] }

const SERVER = join(
  import.meta.dirname,
  "../../node_modules/@modelcontextprotocol/server-everything/dist/index.js",
)

/** A text, an archive, a letter, and a server of tools that the user agreed to. */
export async function knownFiles({ host }: Door) {
  const root = host.workspace ?? ""
  await writeFile(join(root, "known.txt"), "known\n")
  await writeFile(join(root, "known.zip"), zipOf([{ name: "in.txt", data: "inside" }]))
  await writeFile(join(root, "known.docx"), docx("<w:p><w:r><w:t>Known</w:t></w:r></w:p>"))
  const everything = { command: process.execPath, args: [SERVER, "stdio"] }
  const path = join(root, ".mcp.json")
  await writeFile(path, JSON.stringify({ mcpServers: { everything } }))
  await host.workspaces.trust.trust(path)
}

/** Each route of files and of servers, asked rightly and wrongly. */
export const FILE_CASES: Readonly<Record<string, Cases>> = {
  "put /v1/sessions/:id/mcp": ({ session }) => ({
    good: [`/v1/sessions/${session}/mcp`, { json: { servers: [] } }],
    bad: [`/v1/sessions/${session}/mcp`, { json: { servers: [{ name: "" }] } }, 422],
  }),
  "get /v1/sessions/:id/mcp": ({ session }) => ({
    good: [`/v1/sessions/${session}/mcp`],
    bad: [`/v1/sessions/${MISSING.session}/mcp`, {}, 404],
  }),
  "delete /v1/sessions/:id/mcp": ({ session }) => ({
    good: [`/v1/sessions/${session}/mcp`],
    bad: [`/v1/sessions/${MISSING.session}/mcp`, {}, 404],
  }),
  "get /v1/files": () => ({
    good: ["/v1/files?folder="],
    bad: ["/v1/files?folder=../elsewhere", {}, 404],
  }),
  "get /v1/files/content": () => ({
    good: ["/v1/files/content?path=known.zip&entry=in.txt"],
    bad: ["/v1/files/content?path=../known.txt", {}, 404],
  }),
  "get /v1/files/inside": () => ({
    good: ["/v1/files/inside?path=known.zip"],
    bad: ["/v1/files/inside?path=known.txt", {}, 422],
  }),
  "get /v1/files/text": () => ({
    good: ["/v1/files/text?path=known.docx"],
    bad: ["/v1/files/text", {}, 422],
  }),
  "get /v1/sessions/:id/files": ({ session }) => ({
    good: [`/v1/sessions/${session}/files`],
    bad: [`/v1/sessions/${MISSING.session}/files`, {}, 404],
  }),
  "get /v1/mcp/:server": () => ({
    good: ["/v1/mcp/everything"],
    bad: ["/v1/mcp/nobody", {}, 409],
  }),
  "post /v1/mcp/:server/reconnect": () => ({
    good: ["/v1/mcp/everything/reconnect", { json: {} }],
    bad: ["/v1/mcp/nobody/reconnect", { json: {} }, 409],
  }),
}
