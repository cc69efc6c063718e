import type { Flow } from "./flow.ts"
import { decodeAttribute, decodeEntities } from "./html-entities.ts"

/** Write what a reader of a page sees: its text with headings, lists, tables and links. No script
 *  is run, nothing is fetched, and the time it takes grows with the page's length and no faster. */
export function writeHtml(html: string, flow: Flow): void {
  const state: State = { flow, lists: [], links: [], preformatted: 0, space: false }
  for (const token of tokens(html)) {
    if (token.type === "text") say(state, decodeEntities(token.text))
    else if (token.type === "open") opened(state, token.name, token.attributes)
    else closed(state, token.name)
  }
  flow.end()
}

type Token =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "open"; readonly name: string; readonly attributes: string }
  | { readonly type: "close"; readonly name: string }

/** Elements whose content nobody reads. */
const UNREAD: ReadonlySet<string> = new Set(
  "script style template noscript svg math iframe object canvas audio video select".split(" "),
)

function* tokens(html: string): Generator<Token> {
  const quotes = new Quotes(html)
  let at = 0
  while (at < html.length) {
    const mark = html.indexOf("<", at)
    if (mark < 0) return yield { type: "text", text: html.slice(at) }
    if (mark > at) yield { type: "text", text: html.slice(at, mark) }
    const [, slash, name = ""] = TAG.exec(html.slice(mark, mark + 64)) ?? []
    if (name === "") {
      at = afterOther(html, mark)
      if (at === mark + 1) yield { type: "text", text: "<" }
      continue
    }
    const inside = mark + 1 + (slash ? 1 : 0) + name.length
    const end = quotes.endOfTag(inside)
    const element = name.toLowerCase()
    at = end + 1
    if (slash) yield { type: "close", name: element }
    else if (UNREAD.has(element) && html[end - 1] !== "/") at = afterElement(html, element, at)
    else yield { type: "open", name: element, attributes: html.slice(inside, end) }
  }
}

const TAG = /^<(\/?)([a-z][a-z0-9:-]{0,40})/i

/** After a comment, a declaration or an instruction; a lone `<` is text. */
function afterOther(html: string, mark: number): number {
  const comment = html.startsWith("<!--", mark)
  if (!comment && !/[!?/]/.test(html[mark + 1] ?? "")) return mark + 1
  const end = comment ? html.indexOf("-->", mark + 4) : html.indexOf(">", mark)
  return end < 0 ? html.length : end + (comment ? 3 : 1)
}

function afterElement(html: string, name: string, at: number): number {
  const closing = new RegExp(`</${name}[\\s>/]`, "gi")
  closing.lastIndex = at
  const found = closing.exec(html)
  if (!found) return html.length
  const end = html.indexOf(">", found.index)
  return end < 0 ? html.length : end + 1
}

/** Finds where a tag ends. A quote that is nowhere closed is looked for once. */
class Quotes {
  readonly #html: string
  readonly #gone = new Set<string>()

  constructor(html: string) {
    this.#html = html
  }

  endOfTag(from: number): number {
    const html = this.#html
    for (let at = from; at < html.length; at++) {
      const character = html[at] ?? ""
      if (character === ">") return at
      if (character === '"' || character === "'") at = this.#afterQuote(character, at)
    }
    return html.length
  }

  #afterQuote(quote: string, at: number): number {
    const end = this.#gone.has(quote) ? -1 : this.#html.indexOf(quote, at + 1)
    if (end < 0) this.#gone.add(quote)
    return end < 0 ? at : end
  }
}

interface State {
  readonly flow: Flow
  /** The lists we are in: the next number, or nothing for bullets. */
  readonly lists: (number | undefined)[]
  readonly links: string[]
  preformatted: number
  space: boolean
}

function say(state: State, text: string): void {
  if (state.preformatted > 0) return state.flow.say(text)
  const words = text.replace(/[ \t\r\n\f]+/g, " ")
  const open = state.space ? words : words.replace(/^ /, "")
  if (open === "") return
  state.space = !open.endsWith(" ")
  state.flow.say(open)
}

const BLOCKS: ReadonlySet<string> = new Set(
  "p div section article header footer main nav aside figure figcaption address dl dt dd form fieldset blockquote title".split(
    " ",
  ),
)
const HEADING = /^h([1-6])$/
const MAX_LIST_DEPTH = 8

function opened(state: State, name: string, attributes: string): void {
  const { flow, lists } = state
  const level = HEADING.exec(name)?.[1]
  if (level !== undefined || BLOCKS.has(name)) startBlock(state)
  if (level !== undefined) return flow.heading(Number(level))
  switch (name) {
    case "title":
      return flow.heading(1)
    case "blockquote":
      return flow.begin("> ")
    case "ul":
      return startList(state, undefined)
    case "ol":
      return startList(state, 1)
    case "li":
      return startItem(state)
    case "br":
      state.space = false
      return flow.say(lists.length > 0 ? " " : "\n")
    case "hr":
      return startBlock(state)
    case "pre":
      startBlock(state)
      state.preformatted += 1
      return
    case "a":
      if (state.links.length < 64) state.links.push(attributeOf(attributes, "href"))
      return
    case "img":
      return image(state, attributeOf(attributes, "alt"))
    case "table":
      return flow.openTable()
    case "tr":
      return flow.openRow()
    case "td":
    case "th":
      state.space = false
      return flow.openCell()
  }
}

function closed(state: State, name: string): void {
  const { flow, lists, links } = state
  if (HEADING.test(name) || BLOCKS.has(name) || name === "li") startBlock(state)
  else if (name === "ul" || name === "ol") {
    lists.pop()
    startBlock(state)
  } else if (name === "pre") {
    state.preformatted = Math.max(0, state.preformatted - 1)
    startBlock(state)
  } else if (name === "a") {
    const target = links.pop()
    if (target && /^(?:https?|mailto):/i.test(target)) flow.say(` (${target.slice(0, 500)})`)
  } else if (name === "td" || name === "th") flow.end()
  else if (name === "tr") flow.closeRow()
  else if (name === "table") {
    flow.closeTable()
    state.space = false
  }
}

function startBlock(state: State): void {
  state.flow.end()
  state.space = false
}

function startList(state: State, first: number | undefined): void {
  startBlock(state)
  if (state.lists.length < MAX_LIST_DEPTH) state.lists.push(first)
}

function startItem(state: State): void {
  startBlock(state)
  const { lists, flow } = state
  const number = lists.at(-1)
  const mark = number === undefined ? "-" : `${number}.`
  if (number !== undefined) lists[lists.length - 1] = number + 1
  flow.begin(`${"  ".repeat(Math.max(0, lists.length - 1))}${mark} `, "item")
}

function image(state: State, description: string): void {
  if (description !== "") say(state, `[image: ${description.slice(0, 300)}]`)
}

function attributeOf(attributes: string, name: string): string {
  const pattern = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, "i")
  const found = pattern.exec(attributes.slice(0, 8192))
  return decodeAttribute(found?.[1] ?? found?.[2] ?? found?.[3] ?? "")
}
