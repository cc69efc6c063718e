import { readFile } from "node:fs/promises"
import { extname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"
import type { Context } from "hono"
import { ANSWER_HEADERS } from "./door.ts"
import { HttpError } from "./errors.ts"

/** The page's files: a shell that carries no data, so it needs no token. */
const FOLDER = fileURLToPath(new URL("../../dist/web/", import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".json": "application/json",
  ".woff2": "font/woff2",
}

const CONTENT_SECURITY = [
  "default-src 'none'",
  "script-src 'self'",
  // The editor writes its style sheet at run time.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ")

export async function page(context: Context): Promise<Response> {
  const name = nameOf(context.req.path)
  const type = TYPES[extname(name)]
  const bytes = type === undefined ? undefined : await read(name)
  if (!bytes || type === undefined)
    throw new HttpError(404, "not_found", `there is nothing at ${context.req.path}`)
  return new Response(bytes, {
    headers: {
      ...ANSWER_HEADERS,
      "content-type": type,
      "content-security-policy": CONTENT_SECURITY,
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      // Built files carry a digest of their content in their name.
      "cache-control": name.startsWith("assets/")
        ? "public, max-age=31536000, immutable"
        : "no-cache",
    },
  })
}

function nameOf(path: string): string {
  const name = normalize(decodePath(path)).replace(/^\/+/, "")
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
  if (name.startsWith("..") || name.includes("\0")) return undefined
  const bytes = await readFile(join(FOLDER, name)).catch(() => undefined)
  return bytes && new Uint8Array(bytes)
}
