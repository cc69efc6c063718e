/** A block of Anthropic's Messages API, as far as the kit looks at it. */
interface WireBlock {
  readonly type: string
  readonly text?: string
  readonly source?: { readonly type: string; readonly media_type?: string; readonly data?: string }
  readonly content?: string | readonly WireBlock[]
  readonly name?: string
  readonly input?: unknown
  readonly is_error?: boolean
}

interface WireMessage {
  readonly role: "user" | "assistant"
  readonly content: string | readonly WireBlock[]
}

export interface Wire {
  readonly model: string
  readonly system?: string | readonly WireBlock[]
  readonly messages: readonly WireMessage[]
  readonly tools?: readonly { readonly name: string; readonly description?: string }[]
}

/** One request as the model received it. */
export class Heard {
  readonly wire: Wire

  constructor(wire: Wire) {
    this.wire = wire
  }

  get model(): string {
    return this.wire.model
  }

  get system(): string {
    return wordsOf(this.wire.system ?? "")
  }

  get tools(): string[] {
    return (this.wire.tools ?? []).map(({ name }) => name)
  }

  /** The blocks of what the user said last. */
  get blocks(): readonly WireBlock[] {
    const content = this.wire.messages.findLast(({ role }) => role === "user")?.content ?? []
    return typeof content === "string" ? [{ type: "text", text: content }] : content
  }

  /** Its words. */
  get newest(): string {
    return wordsOf(this.blocks)
  }

  /** All that was said, by both, without the system prompt and the tools. */
  get said(): string {
    return this.wire.messages.map(({ content }) => wordsOf(content)).join("\n")
  }

  /** The results of tools in what came last. */
  get results(): string[] {
    return this.blocks
      .filter(({ type }) => type === "tool_result")
      .map(({ content = "" }) => wordsOf(content))
  }

  get raw(): string {
    return JSON.stringify(this.wire)
  }

  /** The messages without the marks that say up to where a request may be cached. */
  get unmarked(): readonly WireMessage[] {
    const text = JSON.stringify(this.wire.messages, (key, value: unknown) =>
      key === "cache_control" ? undefined : value,
    )
    return JSON.parse(text) as WireMessage[]
  }
}

export function wordsOf(content: string | readonly WireBlock[]): string {
  if (typeof content === "string") return content
  return content
    .map((block) => block.text ?? (block.content === undefined ? "" : wordsOf(block.content)))
    .filter((words) => words !== "")
    .join("\n")
}
