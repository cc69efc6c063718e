// `npm start`: builds the page where it is out of date, serves it, and opens it where a desktop exists.

import process from "node:process"
import { buildPage } from "./build.ts"

await buildPage()
const { main } = await import("../apps/cli/main.ts")
await main(["serve", "--open", ...process.argv.slice(2)])
