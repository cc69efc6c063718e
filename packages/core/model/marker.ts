/** The tags in which the host speaks to a model beside the user's words. Whatever a stranger wrote
 *  must not be taken for one of them (CMP-108, TRU-001). */
export const MARKERS = [
  /** What an editor shows, or a mention of something in it. */
  "editor_context",
  /** A skill's body. */
  "skill_content",
  /** What was said before, summed up. */
  "conversation_summary",
  /** A file that nobody has trusted: material, not instructions. */
  "quoted_file",
  /** A project's instructions that the user trusts. */
  "project_instructions",
  /** The index of memories. */
  "memory_index",
] as const
export type Marker = (typeof MARKERS)[number]

/** Names that models take for somebody's voice. In a fence they are escaped like our own. */
const VOICES = ["system", "system_reminder", "memory", "tool_result", "instructions"]

/** What an editor, or a mention of something in it, tells the model. */
export interface EditorState {
  readonly kind: string
  readonly source?: string | undefined
  readonly payload: unknown
}

/** The marker around editor state (CMP-108). Kind, source and payload are the host's and may carry
 *  text a stranger wrote: nothing in them can close the marker or open another. Where all of a
 *  message is one string, the nonce tells it from whatever stands beside it (TRU-002). */
export function editorMarker({ kind, source, payload }: EditorState, nonce?: string): string {
  const json = JSON.stringify(payload)
  if (json === undefined) throw new Error("its payload is not JSON")
  return `${openMarker("editor_context", { kind, source, nonce })}${escapeJson(json)}</editor_context>`
}

/** The marker around a skill's body. */
export function skillMarker(
  { name, text }: { readonly name: string; readonly text: string },
  nonce?: string,
): string {
  return `${openMarker("skill_content", { name, nonce })}\n${escapeMarkers(text)}\n</skill_content>`
}

type MarkerAttributes = Readonly<Record<string, string | undefined>>

/** A text that the host did not write, in a marker that says where it comes from. The text can
 *  neither close it nor open another, and hides no characters. */
export function fence(marker: Marker, attributes: MarkerAttributes, text: string): string {
  return `${openMarker(marker, attributes)}\n${fencedText(text)}\n</${marker}>`
}

/** The text as it stands in a fence: for whoever writes lines of their own around it. */
function fencedText(text: string): string {
  return escapeWith(VOICE_LIKE, text.toWellFormed().replace(/\r\n?/g, "\n").replace(HIDDEN, ""))
}

// Joiners stay: emoji and several scripts are written with them.
// oxlint-disable-next-line no-control-regex
const HIDDEN =
  /(?![\t\n])\p{Cc}|\p{Bidi_Control}|[\u200B\u2028\u2029\u2060-\u2064\uFEFF\uFFF9-\uFFFB]|[\u{E0000}-\u{E007F}]/gu

function openMarker(marker: Marker, attributes: MarkerAttributes): string {
  const said = Object.entries(attributes).map(([name, value]) =>
    value === undefined ? "" : ` ${name}="${escapeAttribute(value)}"`,
  )
  return `<${marker}${said.join("")}>`
}

/** A text in which nothing looks like a marker of ours any more: a backslash stands behind each
 *  bracket that would open one, as in `<\editor_context`. */
export function escapeMarkers(text: string): string {
  return escapeWith(MARKER_LIKE, text)
}

/** The same, but only where the text as a whole would be taken for a marker: whoever writes about
 *  markers is shown as they wrote. */
export function escapeWholeMarker(text: string): string {
  return STARTS_LIKE_MARKER.test(text) ? escapeMarkers(text) : text
}

/** Whether a row may hold what looks like a marker; it is asked of rows that nobody opens. Written as
 *  JSON, a text differs from itself only in what may stand between the letters of a name. */
export function mayHoldMarker(json: string): boolean {
  return MARKER_IN_JSON.test(json)
}

// Characters that are not seen, or seen as a blank. The names are written with ordinary ones.
const UNSEEN = "[\\s\\p{Cf}\\u034F\\u115F\\u1160\\u2800\\u3164\\uFE00-\\uFE0F\\uFFA0]"
const OPENS = "[<\\u2039\\u2329\\u276E\\u3008\\uFE64\\uFF1C]|&lt;?|&#0*60;?|&#x0*3c;?"
const UNDERSCORE = "[_\\uFF3F-]|&#0*95;?|&#x0*5f;?|&lowbar;"

/** What looks like the opening or closing of a marker: its bracket, if the rest follows. */
function markerLike(names: readonly string[], unseen = UNSEEN, opens = OPENS): string {
  const nameLike = (name: string) =>
    name
      .split("_")
      .map((word) => Array.from(word).join(`(?:${unseen})*`))
      .join(`(?:${unseen}|${UNDERSCORE})*`)
  return `(${opens})(?=(?:${unseen}|/)*(?:${names.map(nameLike).join("|")})(?![\\p{L}\\p{N}]))`
}

const MARKER_LIKE = new RegExp(markerLike(MARKERS), "giu")
const VOICE_LIKE = new RegExp(markerLike([...MARKERS, ...VOICES]), "giu")
const STARTS_LIKE_MARKER = new RegExp(`^${UNSEEN}*${markerLike(MARKERS)}`, "iu")
const MARKER_IN_JSON = new RegExp(
  markerLike(MARKERS, `${UNSEEN}|\\\\[nrtfb/]|\\\\u[0-9a-f]{4}`, `${OPENS}|\\\\u003c`),
  "iu",
)

function escapeWith(pattern: RegExp, text: string): string {
  return text.replace(pattern, "$1\\")
}

/** Still the same JSON: these characters occur in strings only, where an escape says the same. */
function escapeJson(json: string): string {
  return json.replace(/[<>&\u2028\u2029]/g, unicodeEscape)
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
}

function escapeAttribute(value: string): string {
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
