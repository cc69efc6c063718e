import { isDeepStrictEqual } from "node:util"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createClient } from "../../packages/client/client.ts"
import { bodyOfEditable, openMessage } from "../../packages/core/compose/editable.ts"
import { readMarks, writeMarks } from "../../packages/core/compose/marks.ts"
import type { StoredMessage } from "../../packages/core/message/row.ts"
import { mirror } from "../../packages/engine/providers/mirror.ts"
import { type Running, serve } from "../../packages/server/serve.ts"
import { editInChromium } from "./edit-chromium.ts"
import { randomSend } from "./edit-messages.ts"
import { editInTerminal } from "./edit-terminal.ts"
import { Random } from "./random.ts"

export interface EditOptions {
  /** Messages through the function that both editors use. */
  readonly count: number
  /** So many of them by hand of Chromium, and so many in a terminal. */
  readonly chromium: number
  readonly terminal: number
  readonly seed: number
}

const TOLD_EVERY = 500
const BATCH = 25

/** Sends random messages of every kind and origin, opens each for editing and saves it unchanged: by the
 *  function that both editors use, by hand of Chromium, and in a terminal. Each has byte-equal parts
 *  afterwards (QUE-009). */
export async function tortureEdit(options: EditOptions): Promise<boolean> {
  const { count, chromium, terminal, seed } = options
  console.log(`${count} messages to edit, seed ${seed}`)
  const folder = await mkdtemp(join(tmpdir(), "compositor-edit-"))
  await writeFile(join(folder, "a.ts"), "one\ntwo\nthree\n")
  const data = join(folder, "data")
  const running = await serve({
    data,
    workspace: folder,
    environment: {},
    providers: new Map([["mirror", mirror()]]),
  })
  const bench = new Bench(running, new Random(seed))
  try {
    await bench.byFunction(count)
    await bench.inBatches(chromium, "Chromium", (edit) =>
      editInChromium({ url: running.url, token: running.token }, edit),
    )
    await bench.inBatches(terminal, "a terminal", (edit) => editInTerminal({ data, folder }, edit))
  } finally {
    await running.close()
    await rm(folder, { recursive: true, force: true })
  }
  for (const fault of bench.faults.slice(0, 20)) console.log(`FAULT ${fault}`)
  console.log(
    `${count} by the function (each unchanged, and with a word more), ${chromium} by hand of Chromium, ` +
      `${terminal} in a terminal: ${bench.faults.length} with other parts than before`,
  )
  return bench.faults.length === 0
}

/** What an editor is to open and save unchanged, one message after the other. */
export interface EditJob {
  readonly session: string
  readonly messages: readonly StoredMessage[]
  /** Resolves when the message is put back into the queue. */
  readonly saved: (message: StoredMessage) => Promise<void>
}

class Bench {
  readonly faults: string[] = []
  readonly #client: ReturnType<typeof createClient>
  readonly #random: Random

  constructor({ url, token }: Running, random: Random) {
    this.#client = createClient({ url, token })
    this.#random = random
  }

  async byFunction(count: number) {
    for (let done = 0; done < count; ) {
      const session = await this.#session()
      const messages = await this.#send(session, Math.min(BATCH, count - done))
      for (const { origin, message } of messages) {
        await this.#save(message, "")
        await this.#compare(origin, message, "unchanged")
        await this.#saveLonger(origin, message)
        if (++done % TOLD_EVERY === 0) console.log(`  ${done}: ${this.faults.length} faults`)
      }
      await this.#client.sessions.remove(session)
    }
  }

  async inBatches(count: number, where: string, edit: (job: EditJob) => Promise<void>) {
    for (let done = 0; done < count; ) {
      const session = await this.#session()
      const sent = await this.#send(session, Math.min(BATCH, count - done))
      await edit({
        session,
        messages: sent.map(({ message }) => message),
        saved: (message) => this.#putBack(message),
      })
      for (const { origin, message } of sent) await this.#compare(origin, message, `in ${where}`)
      done += sent.length
      console.log(`  ${done} in ${where}: ${this.faults.length} faults`)
      await this.#client.sessions.remove(session)
    }
  }

  async #session(): Promise<string> {
    const { session } = await this.#client.sessions.create({ title: "To be edited" })
    await this.#client.send(session.id, { source: "the head", mode: "paused" })
    return session.id
  }

  async #send(session: string, count: number) {
    const sent: { origin: string; message: StoredMessage }[] = []
    while (sent.length < count) {
      const { origin, body } = randomSend(this.#random)
      try {
        const { message } = await this.#client.send(session, { ...body, mode: "queued" } as object)
        if (message && !message.metadata.action) sent.push({ origin, message })
        else if (message) await this.#client.queue.cancel(session, message.id)
      } catch (error) {
        // What the server would not take is nothing to edit.
        if (!(error instanceof Error && "status" in error && error.status === 422)) throw error
      }
    }
    return sent
  }

  /** As an editor does: opened, with marks in the text, read again, and saved. */
  async #save(message: StoredMessage, more: string) {
    const { source, literals, inserts, rest } = openMessage(message)
    const { text, marks } = writeMarks(source, inserts)
    const read = readMarks(text + more, marks)
    const body = bodyOfEditable({ ...read, literals, rest })
    await this.#client.queue.update(message.session_id, message.id, body)
  }

  /** A word more at the end changes one text, or adds one, and nothing else. */
  async #saveLonger(origin: string, message: StoredMessage) {
    if (message.parts.some(({ type }) => type === "command")) return
    await this.#save(message, "\nmore")
    const after = partsOf(await this.#stored(message))
    const left = partsOf(message).filter(
      (part) => !after.some((one) => isDeepStrictEqual(one, part)),
    )
    const isText = left.every(({ type }) => type === "text")
    if (left.length > 1 || !isText) this.#fault(origin, message, "with a word more", after)
  }

  async #compare(origin: string, message: StoredMessage, how: string) {
    const after = partsOf(await this.#stored(message))
    if (JSON.stringify(after) !== JSON.stringify(partsOf(message)))
      this.#fault(origin, message, how, after)
  }

  #fault(origin: string, message: StoredMessage, how: string, after: object[]) {
    const before = JSON.stringify(partsOf(message))
    console.log(`FAULT ${origin}, ${how}`)
    this.faults.push(`${origin}, ${how}:\n  ${before}\n  ${JSON.stringify(after)}`)
  }

  async #putBack(message: StoredMessage) {
    while ((await this.#stored(message)).state !== "queued")
      await new Promise((resolve) => setTimeout(resolve, 20))
  }

  async #stored({ session_id, id }: StoredMessage): Promise<StoredMessage> {
    const { queue } = await this.#client.queue.list(session_id)
    const found = queue.find((message) => message.id === id)
    if (!found) throw new Error(`the message ${id} waits no more`)
    return found
  }
}

function partsOf({ parts }: StoredMessage) {
  return parts.map(({ id, type, data }) => ({ id, type, data }))
}
