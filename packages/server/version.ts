import { readFileSync } from "node:fs"

/** The version that package.json says; the file lies two folders up, in sources and when built. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
).version
