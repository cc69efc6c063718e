import { describe } from "vitest"
import type { Maker } from "./build.ts"
import { aloneContract } from "./contract/alone.ts"
import { appendContract } from "./contract/append.ts"
import { blobContract } from "./contract/blobs.ts"
import { deletionContract } from "./contract/deletion.ts"
import { historyContract } from "./contract/history.ts"
import { interruptionContract } from "./contract/interruption.ts"
import { principalContract } from "./contract/principals.ts"
import { queueContract } from "./contract/queue.ts"
import { stepContract } from "./contract/steps.ts"
import { toldContract } from "./contract/told.ts"
import { transferContract } from "./contract/transfer.ts"
import { turnContract } from "./contract/turns.ts"

/** What every store promises, told as stories; each is a file of its own. */
export function storeContract(name: string, maker: Maker) {
  describe(`store: ${name}`, () => {
    appendContract(maker)
    historyContract(maker)
    queueContract(maker)
    turnContract(maker)
    stepContract(maker)
    interruptionContract(maker)
    blobContract(maker)
    deletionContract(maker)
    transferContract(maker)
    principalContract(maker)
    aloneContract(maker)
    toldContract(maker)
  })
}
