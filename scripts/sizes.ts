// `npm run sizes`: what a page has to load for each thing that others embed, minified and gzipped. Fails when
// one is larger than it may be.

import { join } from "node:path"
import process from "node:process"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"

export interface BundleSize {
  readonly name: string
  readonly bytes: number
  readonly limit_bytes: number
}

interface Bundle {
  readonly name: string
  /** What is imported, as somebody's own file would write it. */
  readonly source: string
  readonly limit_kb: number
}

const BUNDLES: readonly Bundle[] = [
  {
    name: "parse",
    source: 'export { parse } from "compositor-core/compose/parse"',
    limit_kb: 8,
  },
  {
    name: "client",
    source: 'export { createClient } from "compositor-client/client"',
    limit_kb: 8,
  },
  {
    name: "lower and one wire",
    source: `export { lower } from "compositor-core/lower/lower"
export { anthropicMessages } from "compositor-core/wires/anthropic-messages"`,
    limit_kb: 20,
  },
]

const root = join(import.meta.dirname, "..")

/** Bundle each for a browser, as a page of somebody else's would. */
export async function measureBundles(): Promise<BundleSize[]> {
  const sizes: BundleSize[] = []
  for (const { name, source, limit_kb } of BUNDLES)
    sizes.push({ name, bytes: await gzippedSize(source), limit_bytes: limit_kb * 1024 })
  return sizes
}

const ENTRY = join(root, "packages", "bundle-entry.ts")

async function gzippedSize(source: string): Promise<number> {
  const build = await rolldown({
    input: ENTRY,
    platform: "browser",
    logLevel: "silent",
    plugins: [
      {
        name: "entry",
        resolveId: (id) => (id === ENTRY ? id : null),
        load: (id) => (id === ENTRY ? source : null),
      },
    ],
  })
  const { output } = await build.generate({ format: "esm", minify: true })
  await build.close()
  const code = output.map((file) => (file.type === "chunk" ? file.code : "")).join("\n")
  return gzipSync(code, { level: 9 }).length
}

if (process.argv[1] === import.meta.filename) {
  const sizes = await measureBundles()
  for (const { name, bytes, limit_bytes } of sizes)
    console.log(
      `${name.padEnd(20)} ${kilobytes(bytes).padStart(8)} gz  (at most ${kilobytes(limit_bytes)})`,
    )
  if (sizes.some(({ bytes, limit_bytes }) => bytes > limit_bytes)) process.exitCode = 1
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`
}
