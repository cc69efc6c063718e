// An S3 server in a process of its own: bench/child.ts starts it.

import { createRequire } from "node:module"
import process from "node:process"

const { directory } = JSON.parse(process.argv[2] ?? "") as { directory: string }
const S3rver = createRequire(import.meta.url)("s3rver")
const bucket = new S3rver({
  port: 0,
  address: "127.0.0.1",
  silent: true,
  directory,
  configureBuckets: [{ name: "memory" }],
})
const { port } = await bucket.run()
process.on("message", () => process.send?.({ endpoint: `http://127.0.0.1:${port}` }))
process.on("SIGTERM", () => process.exit(0))
process.on("disconnect", () => process.exit(1))
process.send?.({})
