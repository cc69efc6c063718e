// `npm run torture -- kill9 --cycles 50`: hurts the real server and counts what it promised and lost.

import process from "node:process"
import { runByName } from "../kit/bench/run-by-name.ts"
import { keepFigures, showFigures } from "./figures.ts"

const JOURNAL = {
  name: "journal",
  type: "string",
  summary: "a file in which places are noted once looked at; another run goes on from it",
} as const

const ran = await runByName(
  "torture",
  [
    {
      name: "kill9",
      minutes: 60,
      quick: ["--cycles", "3", "--points", "12", "--restarts", "3"],
      summary: "SIGKILL the server at random while four clients send",
      options: [
        { name: "cycles", type: "string", summary: "how often (50)" },
        { name: "points", type: "string", summary: "and at so many calls of a session (200)" },
        { name: "restarts", type: "string", summary: "and time so many of the built server (50)" },
        JOURNAL,
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ cycles, points, restarts, journal, seed }) {
        const { kill9 } = await import("../kit/torture/kill9.ts")
        const { killPoints } = await import("../kit/torture/kill-points.ts")
        const random = Math.floor(Math.random() * 2 ** 32)
        const kept = await kill9({ cycles: numberOf(cycles, 50), seed: numberOf(seed, random) })
        const held = await killPoints({
          points: numberOf(points, 200),
          journal: textOf(journal),
        })
        const { tortureRestart } = await import("../kit/torture/restart.ts")
        return (await tortureRestart({ restarts: numberOf(restarts, 50) })) && held && kept
      },
    },
    {
      name: "triggers",
      quick: ["--kills", "3"],
      summary:
        "SIGKILL three servers on one folder while schedules fire and webhooks are delivered",
      options: [
        { name: "kills", type: "string", summary: "how often (50)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ kills, seed }) {
        const { tortureTriggers } = await import("../kit/torture/triggers.ts")
        const random = Math.floor(Math.random() * 2 ** 32)
        return tortureTriggers({ kills: numberOf(kills, 50), seed: numberOf(seed, random) })
      },
    },
    {
      name: "model",
      minutes: 60,
      quick: ["--steps", "3000"],
      summary: "random lives of sessions against lists in memory",
      options: [
        { name: "steps", type: "string", summary: "how many (100000)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
        { name: "store", type: "string", summary: "sqlite or postgres (sqlite)" },
      ],
      async run({ steps, seed, store }) {
        const { tortureModel } = await import("../kit/torture/model.ts")
        const random = Math.floor(Math.random() * 2 ** 31)
        return tortureModel({
          steps: numberOf(steps, 100_000),
          seed: numberOf(seed, random),
          store: store === "postgres" ? "postgres" : "sqlite",
        })
      },
    },
    {
      name: "turns",
      minutes: 180,
      quick: ["--turns", "300"],
      summary: "three servers over one folder, killed and frozen while they run turns",
      options: [
        { name: "turns", type: "string", summary: "how many (100000)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ turns, seed }) {
        const { tortureTurns } = await import("../kit/torture/turns.ts")
        const random = Math.floor(Math.random() * 2 ** 31)
        return tortureTurns({ turns: numberOf(turns, 100_000), seed: numberOf(seed, random) })
      },
    },
    {
      name: "cluster",
      minutes: 120,
      quick: ["--turns", "200"],
      summary: "three nodes on one PostgreSQL, killed, frozen and cut off while they run turns",
      options: [
        { name: "turns", type: "string", summary: "how many (20000)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ turns, seed }) {
        const { tortureCluster } = await import("../kit/torture/cluster.ts")
        const random = Math.floor(Math.random() * 2 ** 31)
        return tortureCluster({ turns: numberOf(turns, 20_000), seed: numberOf(seed, random) })
      },
    },
    {
      name: "streams",
      quick: ["--cycles", "3"],
      summary: "SIGKILL the server at random while producers append to streams",
      options: [
        { name: "cycles", type: "string", summary: "how often (40)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ cycles, seed }) {
        const { tortureStreams } = await import("../kit/torture/streams.ts")
        const random = Math.floor(Math.random() * 2 ** 32)
        return tortureStreams({ cycles: numberOf(cycles, 40), seed: numberOf(seed, random) })
      },
    },
    {
      name: "sends",
      quick: ["--keys", "300"],
      summary: "the same send several times at once, under many keys",
      options: [{ name: "keys", type: "string", summary: "how many (10000)" }],
      async run({ keys }) {
        const { tortureSends } = await import("../kit/torture/sends.ts")
        return tortureSends({ keys: numberOf(keys, 10_000) })
      },
    },
    {
      name: "faults",
      minutes: 120,
      quick: ["--first", "5", "--points", "20"],
      summary: "ENOSPC and EIO at the calls by which a session changes its folder",
      options: [
        { name: "first", type: "string", summary: "of each kind of call, the first (300)" },
        { name: "points", type: "string", summary: "at most so many of them (all)" },
        JOURNAL,
      ],
      async run({ first, points, journal }) {
        const { tortureFaults } = await import("../kit/torture/faults.ts")
        return tortureFaults({
          first: numberOf(first, 300),
          points: numberOf(points, 10_000),
          journal: textOf(journal),
        })
      },
    },
    {
      name: "powerloss",
      quick: ["--states", "60"],
      summary: "what a disk may hold after a power cut, opened and held against what was promised",
      options: [
        { name: "states", type: "string", summary: "how many (2000)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ states, seed }) {
        const { powerloss } = await import("../kit/torture/powerloss.ts")
        const random = Math.floor(Math.random() * 2 ** 31)
        return powerloss({ states: numberOf(states, 2000), seed: numberOf(seed, random) })
      },
    },
    {
      name: "paths",
      quick: ["--reads", "5000"],
      summary: "read, write and list a workspace whose files are swapped for links meanwhile",
      options: [{ name: "reads", type: "string", summary: "how many (200000)" }],
      async run({ reads }) {
        const { torturePaths } = await import("../kit/torture/paths.ts")
        return torturePaths({ reads: numberOf(reads, 200_000) })
      },
    },
    {
      name: "edit",
      minutes: 60,
      quick: ["--count", "200", "--chromium", "10", "--terminal", "10"],
      summary: "open random messages for editing and save them unchanged",
      options: [
        { name: "count", type: "string", summary: "how many by the editors' function (5000)" },
        { name: "chromium", type: "string", summary: "how many by hand of Chromium (200)" },
        { name: "terminal", type: "string", summary: "how many in a terminal (200)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ count, chromium, terminal, seed }) {
        const { tortureEdit } = await import("../kit/torture/edit.ts")
        const random = Math.floor(Math.random() * 2 ** 32)
        return tortureEdit({
          count: numberOf(count, 5000),
          chromium: numberOf(chromium, 200),
          terminal: numberOf(terminal, 200),
          seed: numberOf(seed, random),
        })
      },
    },
    {
      name: "archives",
      quick: ["--count", "60"],
      summary: "extract archives of every format that were damaged at random",
      options: [
        { name: "count", type: "string", summary: "how many (2000)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ count, seed }) {
        const { tortureArchives } = await import("../kit/torture/archives.ts")
        const random = Math.floor(Math.random() * 2 ** 32)
        return tortureArchives({ count: numberOf(count, 2000), seed: numberOf(seed, random) })
      },
    },
    {
      name: "documents",
      quick: ["--count", "40"],
      summary: "read documents, pictures and recordings that were damaged at random",
      options: [
        { name: "count", type: "string", summary: "how many (1000)" },
        { name: "seed", type: "string", summary: "the seed of its choices (random)" },
      ],
      async run({ count, seed }) {
        const { tortureDocuments } = await import("../kit/torture/documents.ts")
        const random = Math.floor(Math.random() * 2 ** 32)
        return tortureDocuments({ count: numberOf(count, 1000), seed: numberOf(seed, random) })
      },
    },
  ],
  process.argv.slice(2),
  (one) => keepFigures("torture", one),
)
if (ran.length > 0) console.log(showFigures(ran))

function numberOf(value: string | boolean | undefined, otherwise: number): number {
  const number = Number(value ?? otherwise)
  if (Number.isInteger(number) && number >= 0) return number
  console.error(`torture: ${String(value)} is not a whole number`)
  process.exit(2)
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined
}
