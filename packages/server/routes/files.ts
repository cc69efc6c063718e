import { readFile } from "node:fs/promises"
import type { z } from "zod"
import type { CommandsQuery } from "compositor-core/contract/fields"
import { type CarriedFile, type FileQuery, files } from "compositor-core/contract/files"
import { partOf } from "compositor-core/compose/keep-parts"
import { none, type PartData } from "compositor-core/parts/define-part"
import { definitionOf, openPart } from "compositor-core/parts/table"
import { Refusal } from "compositor-core/message/refusal"
import type { StoredMessage } from "compositor-core/message/row"
import type { Store } from "compositor-engine/store/store"
import { listArchive, readArchiveEntry } from "compositor-files/archives/archive"
import { readAll } from "compositor-files/blobs/blocks"
import type { ConvertFile } from "compositor-files/formats/converted"
import {
  type BrowsedFiles,
  entriesOf,
  type Looked,
  MAX_LOOKED_AT_BYTES,
  withCopy,
} from "../browsing.ts"
import type { Caller } from "../caller.ts"
import { ANSWER_HEADERS } from "../door.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"
import { existing, rootOf, type WorkspaceFinder } from "../workspace-root.ts"

const MAX_LISTED = 1000
const MESSAGES_AT_ONCE = 200

interface FileEngine extends WorkspaceFinder, BrowsedFiles {
  readonly store: WorkspaceFinder["store"] & BrowsedFiles["store"] & Pick<Store, "history">
}

/** Files as a person looks at them: what lies in the workspace, what messages carry, and what can be
 *  taken out of either. */
export function fileRoutes(engine: FileEngine): ServedRoute[] {
  return serveRoutes(files, {
    async listFolder({ caller, query }) {
      const root = await workspaceOf(engine, caller, query)
      return entriesOf(engine.workspaces, root, query.folder.replace(/^\/+|\/+$/g, ""))
    },
    async readFile({ caller, query }) {
      const looked = await lookedAt(engine, caller, query)
      return withCopy(engine, looked, async (file) => {
        const bytes = await bytesOf(file, query.entry)
        const headers = { ...ANSWER_HEADERS, ...ONLY_DOWNLOADED }
        return new Response(bytes, { headers })
      })
    },
    async listArchive({ caller, query }) {
      return withCopy(engine, await lookedAt(engine, caller, query), async ({ path, name }) => {
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
    async readFileText({ caller, query }) {
      return withCopy(engine, await lookedAt(engine, caller, query), async (file, scratch) => {
        const { convert } = await import("compositor-files/formats/convert")
        const made = await convert(file, { to: "text" }, { scratch })
        if (made.type === "refused") throw new Refusal("invalid", made.reason)
        if (made.type !== "text") throw new Error(`${file.name} became ${made.type}, not text`)
        const { text, truncated, note } = made
        return { text, truncated, ...(note === undefined ? {} : { note }) }
      })
    },
    async listCarriedFiles({ param, query }) {
      const { id } = await existing(engine.store, param("id"))
      const page = await engine.store.history(id, { limit: MESSAGES_AT_ONCE, before: query.before })
      return { files: page.messages.toReversed().flatMap(filesOf), next: page.next }
    },
  })
}

const ONLY_DOWNLOADED = {
  "content-type": "application/octet-stream",
  "content-disposition": "attachment",
  "content-security-policy": "sandbox; default-src 'none'",
  "cache-control": "no-store",
}

async function workspaceOf(
  finder: WorkspaceFinder,
  caller: Caller,
  where: CommandsQuery,
): Promise<string> {
  const root = await rootOf(finder, caller, where)
  if (root === null) throw new Refusal("not_found", "there is no workspace here")
  return root
}

async function lookedAt(
  finder: WorkspaceFinder,
  caller: Caller,
  which: z.output<typeof FileQuery>,
): Promise<Looked> {
  const { path, content_id, session, name } = which
  if (path !== undefined) return { root: await workspaceOf(finder, caller, which), path }
  if (content_id === undefined || session === undefined)
    throw new Refusal("invalid", "say a path, or a content_id and the session that has it")
  return { session_id: session, content_id, name }
}

async function bytesOf(file: ConvertFile, entry: string | undefined) {
  const { path, name } = file
  if (entry === undefined) return readFile(path)
  const read = await readArchiveEntry({ path, name }, entry)
  if (read.type === "unsupported") throw new Refusal("invalid", `${name} is no archive`)
  if (read.type !== "entry") throw new Refusal("not_found", read.reason)
  if (read.size > MAX_LOOKED_AT_BYTES)
    throw new Refusal("too_large", `${entry} has ${read.size} bytes`)
  return Buffer.from(await readAll(read.bytes, read.size))
}

function filesOf(message: StoredMessage): CarriedFile[] {
  return message.parts
    .filter((row) => hasHandle(partOf(row)))
    .map(({ id, type, data }) => {
      const { data: bytes, ...part } = data
      // Small ones may be carried in the part alone.
      const isInline = part.content_id === undefined && typeof bytes === "string"
      const inline = isInline ? { data: bytes } : {}
      const place = { message_id: message.id, part_id: id, role: message.role }
      return { ...part, ...inline, ...place, type }
    })
}
/** Whether tools can be given something to reach what a part names: then it is a file of the session. */
function hasHandle(data: PartData): boolean {
  return definitionOf(openPart(data)).handles !== none
}
