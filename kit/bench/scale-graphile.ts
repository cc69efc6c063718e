// The peer's jobs, one named queue for each of our sessions, in a process of its own: bench/child.ts
// starts it.

import { join } from "node:path"
import process from "node:process"
import { pathToFileURL } from "node:url"
import type { PairsAnswer, PairsInput, PairsQuestion } from "./scale-pairs.ts"

export interface GraphileInput extends PairsInput {
  /** The program in the peer's folder; the library lies beside it. */
  readonly program: string
}

export interface GraphileQuestion extends PairsQuestion {
  readonly way: keyof typeof WAYS
}

/** As it comes each worker claims and completes by itself. For throughput its documentation has it claim
 *  ahead and complete in batches. It is not told when a queue is free again, so it looks often. */
const WAYS = {
  alone: { pollInterval: 100 },
  batches: {
    pollInterval: 10,
    localQueue: { size: 500 },
    completeJobBatchDelay: 0,
    failJobBatchDelay: 0,
  },
} as const

interface Library {
  run(options: object): Promise<{ stop(): Promise<void> }>
  makeWorkerUtils(options: object): Promise<{
    addJobs(specs: readonly object[]): Promise<unknown>
    migrate(): Promise<void>
    release(): Promise<void>
  }>
  Logger: new (factory: () => () => void) => unknown
}

const { url, workers, program } = JSON.parse(process.argv[2] ?? "") as GraphileInput
const main = join(program, "..", "..", "graphile-worker", "dist", "index.js")
const library = (await import(pathToFileURL(main).href)) as Library
const logger = new library.Logger(() => () => undefined)
const utils = await library.makeWorkerUtils({ connectionString: url, logger })
await utils.migrate()
process.on("message", (question: GraphileQuestion) => {
  void measure(question).then((answer) => process.send?.(answer))
})
process.on("SIGTERM", () => process.exit(0))
process.on("disconnect", () => process.exit(1))
process.send?.({})

/** From the first job that ran to the last: neither its start nor its last completion counts. */
async function measure({ queues, jobs, way }: GraphileQuestion): Promise<PairsAnswer> {
  await utils.addJobs(
    Array.from({ length: jobs }, (_, at) => ({
      identifier: "nothing",
      payload: {},
      queueName: `queue-${at % queues}`,
    })),
  )
  let pairs = 0
  let began = 0
  const all = Promise.withResolvers<void>()
  const worker = {
    connectionString: url,
    concurrentJobs: workers,
    maxPoolSize: workers + 2,
    logger,
  }
  const runner = await library.run({
    preset: { worker: { ...worker, ...WAYS[way] } },
    noHandleSignals: true,
    taskList: {
      nothing: async () => {
        began ||= performance.now()
        pairs += 1
        if (pairs === jobs) all.resolve()
      },
    },
  })
  await all.promise
  const seconds = (performance.now() - began) / 1000
  await runner.stop()
  return { pairs, seconds }
}
