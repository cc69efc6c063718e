import { partOf } from "compositor-core/compose/keep-parts"
import { none, type PartData } from "compositor-core/parts/define-part"
import { definitionOf, openPart } from "compositor-core/parts/table"
import { readFile } from "node:fs/promises"
import { z } from "zod"
import { listArchive, readEntry } from "compositor-files/archives/archive"
import { readAll } from "compositor-files/blobs/blocks"
import type { ConvertFile } from "compositor-files/formats/converted"
import { MAX_NAME_CHARACTERS, MAX_PATH_CHARACTERS } from "compositor-core/message/limits"
import { Refusal } from "compositor-core/message/refusal"
import type { StoredMessage } from "compositor-core/message/row"
import { entriesOf, type Looked, MAX_LOOKED_AT_BYTES, withCopy } from "../browsing.ts"
import { ANSWER_HEADERS } from "../door.ts"
import { type Asked, type Route, route } from "../route.ts"
import { rootOf, Where } from "./commands.ts"
import { existing } from "./sessions.ts"

const MAX_LISTED = 1000
const MESSAGES_AT_ONCE = 200
const Path = z.string().max(MAX_PATH_CHARACTERS)

/** Which file: a path in the workspace, or a content of the session. */
const Which = z.object({
  ...Where,
  path: Path.optional(),
  content_id: z.string().max(80).optional(),
  name: z.string().min(1).max(MAX_NAME_CHARACTERS).default("file"),
})
const InArchive = z.object({ name: z.string(), size: z.int().nullable() })
const Carried = z.looseObject({ message_id: z.string(), part_id: z.string(), role: z.string() })

/** Files as a person looks at them: what lies in the workspace, what messages carry, and what can be
 *  taken out of either. */
export const fileRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/files",
    summary: "What lies in a folder of the workspace, but for what the policy hides",
    query: z.object({ ...Where, folder: Path.default("") }),
    answer: z.object({
      folder: z.string(),
      entries: z.array(
        z.object({
          name: z.string(),
          path: z.string(),
          is_folder: z.boolean(),
          size: z.int().nullable(),
        }),
      ),
      more: z.boolean(),
    }),
    async handle({ host, caller, query }) {
      const root = await workspaceOf({ host, caller }, query)
      return entriesOf(host, root, query.folder.replace(/^\/+|\/+$/g, ""))
    },
  }),
  route({
    method: "get",
    path: "/v1/files/content",
    summary: "The bytes of a file of the workspace, or of one inside an archive",
    query: Which.extend({ entry: Path.optional() }),
    async handle({ host, caller, query }) {
      const looked = await lookedAt({ host, caller }, query)
      return withCopy(host, looked, async (file) => {
        const bytes = await bytesOf(file, query.entry)
        const headers = { ...ANSWER_HEADERS, ...ONLY_DOWNLOADED }
        return new Response(bytes, { headers })
      })
    },
  }),
  route({
    method: "get",
    path: "/v1/files/inside",
    summary: "What an archive says it holds",
    query: Which,
    answer: z.object({ format: z.string(), entries: z.array(InArchive), more: z.boolean() }),
    async handle({ host, caller, query }) {
      return withCopy(host, await lookedAt({ host, caller }, query), async ({ path, name }) => {
        const listed = await listArchive({ path, name })
        if (listed.type === "unsupported")
          throw new Refusal("invalid", `${name} is no archive that can be read here`)
        if (listed.type !== "listed") throw new Refusal("invalid", listed.reason)
        const entries = listed.entries.slice(0, MAX_LISTED)
        const shown = entries.map(({ name, size }) => ({ name, size: size ?? null }))
        const more = listed.more || listed.entries.length > MAX_LISTED
        return { format: listed.format, entries: shown, more }
      })
    },
  }),
  route({
    method: "get",
    path: "/v1/files/text",
    summary: "The text that can be taken out of a document",
    query: Which,
    answer: z.object({ text: z.string(), truncated: z.boolean(), note: z.string().optional() }),
    async handle({ host, caller, query }) {
      return withCopy(host, await lookedAt({ host, caller }, query), async (file, scratch) => {
        const { convert } = await import("compositor-files/formats/convert")
        const made = await convert(file, { to: "text" }, { scratch })
        if (made.type === "refused") throw new Refusal("invalid", made.reason)
        if (made.type !== "text") throw new Error(`${file.name} became ${made.type}, not text`)
        const { text, truncated, note } = made
        return { text, truncated, ...(note === undefined ? {} : { note }) }
      })
    },
  }),
  route({
    method: "get",
    path: "/v1/sessions/:id/files",
    summary: "The files that the messages of a session carry or name, the last first",
    query: z.object({ before: z.string().max(200).optional() }),
    answer: z.object({ files: z.array(Carried), next: z.string().nullable() }),
    async handle({ host, param, query }) {
      const { id } = await existing(host, param("id"))
      const page = await host.store.history(id, { limit: MESSAGES_AT_ONCE, before: query.before })
      return { files: page.messages.toReversed().flatMap(filesOf), next: page.next }
    },
  }),
]

const ONLY_DOWNLOADED = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "content-security-policy": "sandbox; default-src 'none'",
  "cache-control": "no-store",
}

type By = Pick<Asked, "host" | "caller">

async function workspaceOf(
  by: By,
  where: { session?: string | undefined; workspace?: string | undefined },
): Promise<string> {
  const root = await rootOf(by, where)
  if (root === null) throw new Refusal("not_found", "there is no workspace here")
  return root
}

async function lookedAt(by: By, which: z.output<typeof Which>): Promise<Looked> {
  const { path, content_id, session, name } = which
  if (path !== undefined) return { root: await workspaceOf(by, which), path }
  if (content_id === undefined || session === undefined)
    throw new Refusal("invalid", "say a path, or a content_id and the session that has it")
  return { session_id: session, content_id, name }
}

async function bytesOf(file: ConvertFile, entry: string | undefined) {
  const { path, name } = file
  if (entry === undefined) return readFile(path)
  const read = await readEntry({ path, name }, entry)
  if (read.type === "unsupported") throw new Refusal("invalid", `${name} is no archive`)
  if (read.type !== "entry") throw new Refusal("not_found", read.reason)
  if (read.size > MAX_LOOKED_AT_BYTES)
    throw new Refusal("too_large", `${entry} has ${read.size} bytes`)
  return Buffer.from(await readAll(read.bytes, read.size))
}

function filesOf(message: StoredMessage) {
  return message.parts
    .filter((row) => hasHandle(partOf(row)))
    .map(({ id, data }) => {
      const { data: bytes, ...part } = data
      // Small ones may be carried in the part alone.
      const inline = part.content_id === undefined && bytes !== undefined ? { data: bytes } : {}
      return { ...part, ...inline, message_id: message.id, part_id: id, role: message.role }
    })
}
/** Whether tools can be given something to reach what a part names: then it is a file of the session. */
function hasHandle(data: PartData): boolean {
  return definitionOf(openPart(data)).handles !== none
}
