/** What an editor, or a mention of something in it, tells the model. */
export interface EditorState {
  readonly kind: string
  readonly source?: string | undefined
  readonly payload: unknown
}

/** The marker around editor state (CMP-108). Kind, source and payload are the host's and may carry
 *  text a stranger wrote: nothing in them can close the marker or open another. */
export function editorMarker({ kind, source, payload }: EditorState): string {
  const json = JSON.stringify(payload)
  if (json === undefined) throw new Error("its payload is not JSON")
  const from = source === undefined ? "" : ` source="${escapeAttribute(source)}"`
  return `<editor_context kind="${escapeAttribute(kind)}"${from}>${escapeJson(json)}</editor_context>`
}

/** Still the same JSON: these characters occur in strings only, where an escape says the same. */
function escapeJson(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, unicodeEscape)
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}

export function escapeAttribute(value: string): string {
  return value.toWellFormed().replace(/[&<>"'\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, entity)
}

function entity(character: string): string {
  return ENTITIES[character] ?? " "
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
}
