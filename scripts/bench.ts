// `npm run bench -- send`: figures beside the limit they are held against, in one run.

import process from "node:process"
import { runByName } from "../bench/run-by-name.ts"

const JSON_OPTION = { name: "json", type: "boolean", summary: "print the report as JSON" } as const

await runByName(
  "bench",
  [
    {
      name: "send",
      summary: "a message from the caller to the disk and to the provider",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchSend } = await import("../bench/send.ts")
        return benchSend({ json: json === true })
      },
    },
  ],
  process.argv.slice(2),
)
