import type { AnyPart } from "../client/client.ts"
import { printAddress } from "../compose/address.ts"
import type { CommandPart, FileRefPart, MentionPart } from "../message/part.ts"
import type { StoredMessage, StoredPart } from "../message/row.ts"

export function partOf(part: StoredPart): AnyPart {
  return { ...part.data, type: part.type }
}

export function textIn(part: StoredPart): string {
  return typeof part.data.text === "string" ? part.data.text : ""
}

/** What the user put into a message; what was made of it is made again. */
export function ownParts(message: StoredMessage): AnyPart[] {
  return message.parts.filter((part) => part.data.derived_from === undefined).map(partOf)
}

const BESIDE = new Set(["file-attachment", "editor-context", "directory-ref", "quote"])

/** A message as something to write on: what was typed, and what went with it. */
export function sourceOf(message: StoredMessage): {
  source: string
  rest: readonly AnyPart[]
} {
  const own = ownParts(message)
  const typed = typedSource(message)
  if (typed !== undefined)
    return { source: typed, rest: own.filter((part) => BESIDE.has(part.type)) }
  const forms = own.map((part) => ({ part, form: typedForm(part) }))
  const said = forms.flatMap(({ form }) => form ?? [])
  return {
    source: said.join(" ").replace(/ +/g, " "),
    rest: forms.flatMap(({ part, form }) => (form === undefined ? [part] : [])),
  }
}

/** How a part of a message that nobody typed would have been typed; undefined where it could not.
 *  The schemas know more ways, and weigh more than the rest of the page's own code together. */
function typedForm(part: AnyPart): string | undefined {
  switch (part.type) {
    case "text":
      return typeof part.text === "string" ? part.text : undefined
    case "command":
      return typeof part.raw === "string" ? part.raw : (part as CommandPart).id
    case "file-ref": {
      const { ref } = part as FileRefPart
      const address = ref.kind === "path" ? printAddress(ref) : undefined
      return address === undefined ? undefined : `@${address}`
    }
    case "mention": {
      const { kind, name } = (part as MentionPart).target
      return typeof name === "string" && /^\S+$/.test(name) ? `@${kind}:${name}` : undefined
    }
    default:
      return undefined
  }
}

/** What was typed, where it is known. */
export function typedSource({ metadata }: StoredMessage): string | undefined {
  const input = metadata.composer_input as { source?: unknown } | undefined
  return typeof input?.source === "string" ? input.source : undefined
}

export function editKey(message: string): string {
  return `edit.${message}`
}
