import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { homedir } from "node:os"
import { extname, join } from "node:path"
import { onTestFinished } from "vitest"
import { temporaryFolder } from "../build.ts"

const ROOT = join(import.meta.dirname, "..", "..")

/** Packages that only examples need: of this checkout, or installed beside it. */
const SHELVES = [
  join(ROOT, "node_modules"),
  join(
    process.env["COMPOSITOR_PEERS"] ?? join(homedir(), ".cache", "compositor", "peers"),
    "ui",
    "node_modules",
  ),
]

/** Where a package lies; undefined where it is not installed. */
export function shelfOf(name: string): string | undefined {
  return SHELVES.find((shelf) => existsSync(join(shelf, name, "package.json")))
}

/** An example's page, built, and served beside a server of ours as one origin: what a proxy does. */
export async function servePage(example: string, shelf: string, upstream: string) {
  const folder = await temporaryFolder()
  const vite = await import("vite")
  const react = (await import("@vitejs/plugin-react")).default
  const alias = ["@ai-sdk/react", "@assistant-ui/react", "ai", "react-dom", "react"].map(
    (name) => ({
      find: new RegExp(`^${name}(?=/|$)`),
      replacement: join(shelf, name),
    }),
  )
  await vite.build({
    configFile: false,
    root: join(ROOT, "examples", example),
    logLevel: "error",
    plugins: [react()],
    resolve: { alias },
    build: { outDir: folder, target: "esnext", minify: false },
  })
  const server = createServer((asked, answer) => {
    const path = asked.url ?? "/"
    if (path.startsWith("/v1/")) {
      const { origin: _, ...headers } = asked.headers
      const to = request(`${upstream}${path}`, {
        method: asked.method ?? "GET",
        headers: { ...headers, host: new URL(upstream).host },
      })
      to.on("response", (from) => {
        answer.writeHead(from.statusCode ?? 500, from.headers)
        from.pipe(answer)
      })
      to.on("error", () => answer.destroy())
      answer.on("close", () => to.destroy())
      asked.pipe(to)
      return
    }
    const file = join(folder, path === "/" ? "index.html" : path)
    readFile(file).then(
      (bytes) => answer.writeHead(200, { "content-type": TYPES[extname(file)] ?? "" }).end(bytes),
      () => answer.writeHead(404).end(),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
}
