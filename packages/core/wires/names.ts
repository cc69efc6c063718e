const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const CALL_ID = /^[a-zA-Z0-9]{9}$/
const CALL_ID_CHARACTERS = 9

/** The id of a tool call as every API takes it: nine letters and digits. The same id always becomes
 *  the same one, so a call and its result still belong together. */
export function callId(id: string): string {
  if (id !== newest.id) newest = { id, made: CALL_ID.test(id) ? id : shortHash(id) }
  return newest.made
}

// A result comes right after its call.
let newest = { id: "", made: shortHash("") }

const TOOL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/
const MAX_TOOL_NAME = 64

/** The name of a tool as every API takes it; see `toolNames` for the way back. */
export function toolName(name: string): string {
  if (TOOL_NAME.test(name)) return name
  const head = name.replace(/[^a-zA-Z0-9_-]/g, "_").replace(/^[^a-zA-Z_]/, "_$&")
  return `${head.slice(0, MAX_TOOL_NAME - CALL_ID_CHARACTERS - 1)}_${shortHash(name)}`
}

/** Our names by those that a model was told. */
export function toolNames(tools: readonly { readonly name: string }[]): Map<string, string> {
  return new Map(tools.map(({ name }) => [toolName(name), name]))
}

/** 53 bits in nine characters: two multiplicative hashes that stir each other. */
function shortHash(text: string): string {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    high = Math.imul(high ^ unit, 0x9e3779b1)
    low = Math.imul(low ^ unit, 0x5f356495)
  }
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  let rest = (high & 0x1fffff) * 0x100000000 + (low >>> 0)
  let id = ""
  for (let at = 0; at < CALL_ID_CHARACTERS; at++) {
    // `%` takes far longer for numbers of this size.
    const left = Math.floor(rest / 62)
    id += ALPHABET[rest - left * 62]
    rest = left
  }
  return id
}
