import { join } from "node:path"

/** The command line that tests start: the bundle that people are given, which `npm test` builds before
 *  and names here; the sources where vitest is run by itself. */
export const MAIN =
  process.env["COMPOSITOR_TEST_MAIN"] ?? join(import.meta.dirname, "..", "apps", "cli", "main.ts")
