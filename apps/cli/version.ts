import { readFileSync } from "node:fs"

/** The version of the package that this file is a part of. */
export function version(): string {
  const file = new URL("../../package.json", import.meta.url)
  const { version }: { version: string } = JSON.parse(readFileSync(file, "utf8"))
  return version
}
