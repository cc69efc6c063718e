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

interface Library {
  run(options: object): Promise<{ stop(): Promise<void> }>
  makeWorkerUtils(options: object): Promise<{
    addJob(name: string, payload: object, spec: object): Promise<unknown>
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
process.on("message", (question: PairsQuestion) => {
  void measure(question).then((answer) => process.send?.(answer))
})
process.on("SIGTERM", () => process.exit(0))
process.on("disconnect", () => process.exit(1))
process.send?.({})

async function measure({ queues, jobs }: PairsQuestion): Promise<PairsAnswer> {
  for (let at = 0; at < jobs; at++)
    await utils.addJob("nothing", {}, { queueName: `queue-${at % queues}` })
  let pairs = 0
  const all = Promise.withResolvers<void>()
  const began = performance.now()
  const runner = await library.run({
    connectionString: url,
    concurrency: workers,
    maxPoolSize: workers + 2,
    pollInterval: 100,
    noHandleSignals: true,
    logger,
    taskList: {
      nothing: async () => {
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
