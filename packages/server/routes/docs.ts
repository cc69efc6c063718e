import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { readFile, stat } from "node:fs/promises"
import { extname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import type { Context, Hono } from "hono"
import { ANSWER_HEADERS } from "../door.ts"
import { HttpError } from "../errors.ts"

/** The site that `npm run docs` makes. It carries no data, so it needs no token. */
const ROOT = fileURLToPath(new URL("../../../", import.meta.url))
const SITE = join(ROOT, "dist", "docs")
/** Only in a checkout: there the site is made from its sources when somebody asks for it. */
const MAKER = join(ROOT, "scripts", "docs.ts")
const FROM_SOURCE = import.meta.url.endsWith(".ts") && existsSync(MAKER)

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".png": "image/png",
}

const CONTENT_SECURITY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export function mountDocs(app: Hono) {
  app.get("/docs", (context) => context.redirect("/docs/", 302))
  app.get("/docs/*", (context) => docsPage(context))
}

async function docsPage(context: Context): Promise<Response> {
  const name = nameOf(context.req.path)
  const type = TYPES[extname(name)]
  if (FROM_SOURCE) await made()
  const bytes = type === undefined ? undefined : await read(name)
  if (!bytes || type === undefined)
    throw new HttpError(404, "not_found", `there is no page at ${context.req.path}`)
  return new Response(bytes, {
    headers: {
      ...ANSWER_HEADERS,
      "content-type": type,
      "content-security-policy": CONTENT_SECURITY,
      "cache-control": "no-cache",
    },
  })
}

function nameOf(path: string): string {
  const name = normalize(decodePath(path)).replace(/^\/docs\/?/, "")
  return name === "" ? "index.html" : name
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    throw new HttpError(400, "invalid_request", `${path} is not a proper address`)
  }
}

async function read(name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (name.startsWith("..") || name.startsWith("/") || name.includes("\0")) return undefined
  const bytes = await readFile(join(SITE, name)).catch(() => undefined)
  return bytes && new Uint8Array(bytes)
}

const FRESH_MS = 60_000
let making: Promise<void> | undefined

/** In a checkout the site is made when it is not there, or at most once a minute where it is older
 *  than that: whoever writes it sees what was written. */
async function made(): Promise<void> {
  const { mtimeMs = 0 } = (await stat(SITE).catch(() => undefined)) ?? {}
  if (Date.now() - mtimeMs < FRESH_MS) return
  making ??= make().finally(() => {
    making = undefined
  })
  // An older site is better than none while a newer one is made.
  if (mtimeMs === 0) await making
}

function make(): Promise<void> {
  const child = spawn(process.execPath, [MAKER], { cwd: ROOT, stdio: "ignore" })
  return new Promise((resolve) => {
    child.on("error", () => resolve())
    child.on("close", () => resolve())
  })
}
