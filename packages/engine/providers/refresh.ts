import { randomUUID } from "node:crypto"
import { mkdir, open, readFile, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { z } from "zod"
import { ModelFacts } from "compositor-core/wires/layers"
import { CATALOG_URL, readCatalog } from "./models-dev.ts"

const HOUR_MS = 60 * 60 * 1000
const MAX_AGE_MS = 24 * HOUR_MS
/** After a failure the next try waits this long. */
const MIN_PAUSE_MS = HOUR_MS
const MAX_CATALOG_BYTES = 32 * 1024 * 1024
const MAX_FILE_BYTES = 16 * 1024 * 1024
const TIMEOUTS = { connect_ms: 10_000, idle_ms: 20_000 }

const Kept = z.object({
  version: z.literal(1),
  url: z.string(),
  etag: z.string().nullable(),
  /** When its facts came, and when somebody last asked whether they are still true. */
  fetched_at: z.int(),
  checked_at: z.int(),
  models: z.array(ModelFacts),
})
/** The last good catalog, as far as it concerns us. */
export type StoredCatalog = z.infer<typeof Kept>

export type Refreshed =
  | { readonly type: "recent"; readonly kept: StoredCatalog }
  | { readonly type: "unchanged"; readonly kept: StoredCatalog }
  | { readonly type: "updated"; readonly kept: StoredCatalog }
  /** What we had is still what we have. */
  | { readonly type: "failed"; readonly reason: string }

interface RefreshOptions {
  /** Where the last good catalog is kept. */
  readonly file: string
  readonly url?: string | undefined
  readonly now?: (() => number) | undefined
  readonly signal?: AbortSignal | undefined
}

/** What an earlier refresh kept; a file that is damaged or of another version is no file. */
export async function readStoredCatalog(file: string): Promise<StoredCatalog | undefined> {
  try {
    if ((await stat(file)).size > MAX_FILE_BYTES) return undefined
    return Kept.parse(JSON.parse(await readFile(file, "utf8")))
  } catch {
    return undefined
  }
}

/** Ask the catalog for news, at most once a day unless `force` says so. Never throws: without a
 *  network, or with nonsense from it, the last good catalog stays. */
export async function refresh(
  kept: StoredCatalog | undefined,
  options: RefreshOptions,
  force = false,
): Promise<Refreshed> {
  const { url = CATALOG_URL, now = Date.now } = options
  const known = kept?.url === url ? kept : undefined
  if (known && !force && now() - known.checked_at < MAX_AGE_MS)
    return { type: "recent", kept: known }
  try {
    return await fetchNews(known, { ...options, url, now })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const reason = `${url} could not be read: ${why}`
    return { type: "failed", reason }
  }
}

async function fetchNews(
  known: StoredCatalog | undefined,
  options: RefreshOptions & { readonly url: string; readonly now: () => number },
): Promise<Refreshed> {
  const { file, url, now, signal = new AbortController().signal } = options
  const { askSmall: ask } = await import("./ask.ts")
  const headers = { accept: "application/json", ...(known?.etag ? tagged(known.etag) : {}) }
  const page = await ask({ url, headers, max_bytes: MAX_CATALOG_BYTES, signal, timeouts: TIMEOUTS })
  const checked_at = now()
  if (page.status === 304 && known)
    return { type: "unchanged", kept: await keep(file, { ...known, checked_at }) }
  if (page.status !== 200) throw new Error(`it answered with status ${page.status}`)
  const models = readCatalog(page.text)
  const etag = page.headers.etag ?? null
  const made: StoredCatalog = { version: 1, url, etag, fetched_at: checked_at, checked_at, models }
  return { type: "updated", kept: await keep(file, made) }
}

function tagged(etag: string) {
  return { "if-none-match": etag }
}

/** Whoever reads the file sees the old one or the new one. */
async function keep(file: string, kept: StoredCatalog): Promise<StoredCatalog> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, "wx", 0o600)
    try {
      await handle.writeFile(JSON.stringify(kept))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  return kept
}

/** Whether it is time to ask again; a failure is not repeated at once. */
export function isDue(
  kept: StoredCatalog | undefined,
  failed_at: number | undefined,
  now: number,
): boolean {
  if (failed_at !== undefined && now - failed_at < MIN_PAUSE_MS) return false
  return !kept || now - kept.checked_at >= MAX_AGE_MS
}
