import type { EditorContextPart } from "../../packages/core/parts/editor-context.ts"
import type { PartData } from "../../packages/core/parts/define-part.ts"
import type { Client } from "../../packages/client/client.ts"
import {
  type ContextPolicy,
  chooseContexts,
  type GestureRule,
  partOfGesture,
  referenceTo,
  type SentContexts,
} from "../../packages/core/compose/editor-context.ts"

interface Shape {
  readonly id: string
  readonly fill: string
}

/** The selection goes along with every message while it changes, the viewport only what changed of
 *  it, the last action when it is mentioned; a dragged image is shown to the model itself. */
const POLICY: ContextPolicy = {
  kinds: { selection: "automatic", viewport: "automatic", "last-action": "mention" },
  repeat: "delta",
  max_parts: 8,
  max_characters: 8 * 1024,
}
const GESTURES: readonly GestureRule[] = [{ mime: "image/", becomes: "attachment" }]

/** A drawing program that talks to an agent: an image host. */
export class Canvas {
  readonly #client: Client
  readonly #session: string
  #selection: readonly Shape[] = []
  #viewport = { x: 0, y: 0, zoom: 1 }
  #lastAction = "opened the drawing"
  #sent: SentContexts = new Map()
  #attached: PartData[] = []

  constructor(client: Client, session: string) {
    this.#client = client
    this.#session = session
  }

  select(...shapes: readonly Shape[]) {
    this.#selection = shapes
    this.#lastAction = `selected ${shapes.map(({ id }) => id).join(", ")}`
  }

  zoom(zoom: number) {
    this.#viewport = { ...this.#viewport, zoom }
    this.#lastAction = `zoomed to ${zoom}`
  }

  async drop(name: string, bytes: Uint8Array<ArrayBuffer>) {
    const uploaded = await this.#client.upload(bytes, { name })
    this.#attached.push(partOfGesture(GESTURES, uploaded))
  }

  paste(shape: Shape) {
    this.#attached.push(referenceTo({ shape: shape.id }, { source: "canvas", at: Date.now() }))
  }

  async say(source: string) {
    const offered = this.#contexts()
    const { parts, sent } = chooseContexts(POLICY, offered, { sent: this.#sent, asked: [] })
    const answer = await this.#client.send(this.#session, {
      source,
      parts: [...this.#attached, ...parts],
      contexts: offered,
    })
    this.#sent = sent
    this.#attached = []
    return answer
  }

  #contexts(): EditorContextPart[] {
    const about = { type: "editor-context", source: "canvas", emitted_at: Date.now() } as const
    return [
      { ...about, kind: "selection", payload: { shapes: this.#selection } },
      { ...about, kind: "viewport", payload: this.#viewport },
      { ...about, kind: "last-action", payload: { action: this.#lastAction } },
    ]
  }
}
