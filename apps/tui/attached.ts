import { execFile } from "node:child_process"
import { createReadStream } from "node:fs"
import { stat } from "node:fs/promises"
import { basename } from "node:path"
import { Readable } from "node:stream"
import type { AnyPart, Client } from "compositor-client/client"
import { labelOf } from "compositor-core/compose/marks"

export interface PendingAttachment {
  readonly name: string
  readonly state: "uploading" | "ready" | "failed"
  readonly part?: AnyPart
}

/** What goes along with a draft. */
export class PendingAttachments {
  readonly #changed: () => void
  #list: readonly PendingAttachment[] = []

  constructor(changed: () => void) {
    this.#changed = changed
  }

  get list(): readonly PendingAttachment[] {
    return this.#list
  }

  /** The parts of what arrived. */
  get parts(): AnyPart[] {
    return this.#list.flatMap(({ part }) => part ?? [])
  }

  get uploading(): boolean {
    return this.#list.some(({ state }) => state === "uploading")
  }

  /** The parts of what arrived; the list is empty afterwards. */
  take(): AnyPart[] {
    const { parts } = this
    this.#set([])
    return parts
  }

  /** These and no others; what is still on its way stays. */
  replace(parts: readonly AnyPart[]) {
    this.#set(this.#list.filter(({ state }) => state === "uploading"))
    this.give(parts)
  }

  give(parts: readonly AnyPart[]) {
    const back = parts.map((part) => ({
      name: labelOf(part),
      state: "ready" as const,
      part,
    }))
    this.#set([...back, ...this.#list])
  }

  removeLast(): boolean {
    if (this.#list.length === 0) return false
    this.#set(this.#list.slice(0, -1))
    return true
  }

  async file(client: Client, path: string) {
    const bytes = () => Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
    await this.#upload(client, basename(path), bytes)
  }

  async bytes(client: Client, name: string, bytes: Uint8Array<ArrayBuffer>) {
    await this.#upload(client, name, () => bytes)
  }

  async #upload(client: Client, name: string, open: () => Parameters<Client["upload"]>[0]) {
    let entry: PendingAttachment = { name, state: "uploading" }
    this.#set([...this.#list, entry])
    const become = (next: PendingAttachment) => {
      this.#set(this.#list.map((one) => (one === entry ? next : one)))
      entry = next
    }
    try {
      const { part } = await client.upload(open(), { name })
      become({ name, state: "ready", part })
    } catch (error) {
      become({ name, state: "failed" })
      throw error
    }
  }

  #set(list: readonly PendingAttachment[]) {
    this.#list = list
    this.#changed()
  }
}

/** A longer paste is a file beside the text, as in the browser. */
const LONG_PASTE = 10_000

export function isLong(text: string): boolean {
  return text.length >= LONG_PASTE
}

export function pastedName(text: string): string {
  return `pasted-${text.split("\n").length}-lines.txt`
}

const PICTURE = /\.(png|jpe?g|gif|webp|pdf)$/i

/** A terminal into which a picture is dropped types its path. */
export async function droppedFile(pasted: string): Promise<string | undefined> {
  const path = pasted
    .trim()
    .replace(/^(['"])(.*)\1$/, "$2")
    .replace(/^file:\/\//, "")
    .replace(/\\(.)/g, "$1")
  if (path.includes("\n") || !PICTURE.test(path) || !path.startsWith("/")) return undefined
  const found = await stat(path).catch(() => undefined)
  return found?.isFile() ? path : undefined
}

/** Who can be asked for the picture that was copied, in the order in which they are tried. */
const CLIPBOARDS: readonly (readonly [string, ...string[]])[] = [
  ["wl-paste", "--type", "image/png"],
  ["xclip", "-selection", "clipboard", "-t", "image/png", "-o"],
  ["pngpaste", "-"],
]
const MAX_CLIPBOARD_BYTES = 64 * 1024 * 1024
const CLIPBOARD_MS = 3000

export async function copiedPicture(): Promise<Uint8Array<ArrayBuffer> | undefined> {
  for (const [program, ...args] of CLIPBOARDS) {
    const bytes = await outputOf(program, args)
    if (bytes.length > 0) return new Uint8Array(bytes)
  }
  return undefined
}

function outputOf(program: string, args: readonly string[]): Promise<Buffer> {
  const options = {
    encoding: "buffer",
    maxBuffer: MAX_CLIPBOARD_BYTES,
    timeout: CLIPBOARD_MS,
  } as const
  return new Promise((resolve) => {
    execFile(program, args, options, (error, stdout) => resolve(error ? Buffer.alloc(0) : stdout))
  })
}
