// `npm run bench -- send`: figures beside the limit they are held against, in one run.

import process from "node:process"
import { runByName } from "../kit/bench/run-by-name.ts"
import { keepFigures, showFigures } from "./figures.ts"

const JSON_OPTION = { name: "json", type: "boolean", summary: "print the report as JSON" } as const

const ran = await runByName(
  "bench",
  [
    {
      name: "send",
      summary: "a message from the caller to the disk and to the provider",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchSend } = await import("../kit/bench/send.ts")
        return benchSend({ json: json === true })
      },
    },
    {
      name: "scale",
      summary:
        "nodes on one PostgreSQL: claims beside graphile-worker, turns, and how soon others hear",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchScale } = await import("../kit/bench/scale.ts")
        return benchScale({ json: json === true })
      },
    },
    {
      name: "branch",
      summary: "branching a session of a hundred thousand messages, beside one of ten",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchBranch } = await import("../kit/bench/branch.ts")
        return benchBranch({ json: json === true })
      },
    },
    {
      name: "parse",
      summary: "what was typed to nodes, beside a bare scan of its characters",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchParse } = await import("../kit/bench/parse.ts")
        return benchParse({ json: json === true })
      },
    },
    {
      name: "secrets",
      summary:
        "hidden secrets that are found, false alarms, and how long the search holds the loop",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchSecrets } = await import("../kit/bench/secrets.ts")
        return benchSecrets({ json: json === true })
      },
    },
    {
      name: "complete",
      summary: "finding among 200,000 files per keystroke, beside other finders",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchComplete } = await import("../kit/bench/complete.ts")
        return benchComplete({ json: json === true })
      },
    },
    {
      name: "lower",
      summary: "stored messages to a request, beside JSON.stringify and two libraries",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchLower } = await import("../kit/bench/lower.ts")
        return benchLower({ json: json === true })
      },
    },
    {
      name: "stream",
      summary: "appends and their way to a reader, beside the protocol's own server",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchStream } = await import("../kit/bench/stream.ts")
        return benchStream({ json: json === true })
      },
    },
    {
      name: "memory",
      summary: "what a server takes on for an upload, a long history and readers who wait",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchMemory } = await import("../kit/bench/memory.ts")
        return benchMemory({ json: json === true })
      },
    },
    {
      name: "files",
      summary: "taking files in and extracting archives, beside cp, unzip and bsdtar",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchFiles } = await import("../kit/bench/files.ts")
        return benchFiles({ json: json === true })
      },
    },
    {
      name: "web",
      summary: "the page: a key beside a textarea and TipTap, its scripts, a very long thread",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchWeb } = await import("../kit/bench/web.ts")
        return benchWeb({ json: json === true })
      },
    },
    {
      name: "cli",
      summary: "how soon the command line and the terminal start, beside bare Node and two others",
      options: [JSON_OPTION],
      async run({ json }) {
        const { benchCli } = await import("../kit/bench/cli.ts")
        return benchCli({ json: json === true })
      },
    },
  ],
  process.argv.slice(2),
  (one) => keepFigures("bench", one),
)
if (ran.length > 0) console.log(showFigures(ran))
