import { type SourceChunk, ChunkList } from "./chunk-list.ts"
import type { KnownNode } from "./node.ts"
import { FIRST_STATE, LOOK_AHEAD, newScan, run, type Scan, type State, stateOf } from "./scan.ts"
import { MAX_QUERY_CHARACTERS, type CompletionTrigger, triggerAt } from "./trigger.ts"
import { windowOf } from "./units.ts"
import { type Vocabulary, type ParserVocabulary, wordsOf } from "./vocabulary.ts"

/** What a chunk is cut to. Smaller ones make a keystroke cheaper, larger ones a document. */
const CHUNK_UNITS = 1024

export interface SourceSpan {
  readonly from: number
  readonly to: number
}

/** A source that is being written. After any edits its nodes are those that `parse` finds in its
 *  source; an edit reads again only what it can affect, so a keystroke that neither opens nor closes
 *  a fence costs the same in a short draft and in a long one. */
export class ComposerDocument {
  readonly #words: ParserVocabulary
  readonly #chunks = new ChunkList()
  readonly #chunkUnits: number
  #source: string | undefined

  constructor(source: string, vocabulary: Vocabulary, chunkUnits = CHUNK_UNITS) {
    this.#words = wordsOf(vocabulary)
    this.#chunkUnits = chunkUnits
    this.#chunks.replace(0, 0, [EMPTY])
    this.edit(0, 0, source)
  }

  get length(): number {
    return this.#chunks.length
  }

  /** The whole text, put together when it is asked for. */
  get source(): string {
    this.#source ??= this.#chunks.texts()
    return this.#source
  }

  /** Replace a stretch of the text. Answers which stretch of the new text was read again. */
  edit(from: number, to: number, insert: string): SourceSpan {
    if (!(0 <= from && from <= to && to <= this.length))
      throw new Error(`The edit ${from}-${to} is outside a source of ${this.length} units.`)
    this.#source = undefined
    const chunks = this.#chunks
    const first = this.#firstAffected(from)
    const end = this.#endOfCore(first, chunks.find(to) + 1)
    const start = chunks.start(first)
    const text = chunks.texts(first, end)
    const core = text.slice(0, from - start) + insert + text.slice(to - start)
    const read = this.#read(core, first, end)
    chunks.replace(first, read.end, read.chunks)
    return { from: start, to: chunks.start(first + read.chunks.length) }
  }

  /** The nodes that touch a stretch, all of them without one, with their places in the source. */
  nodes(from = 0, to: number = this.length): KnownNode[] {
    const found: KnownNode[] = []
    const chunks = this.#chunks
    for (let index = chunks.find(from); index < chunks.count; index++) {
      const offset = chunks.start(index)
      if (offset > to) break
      for (const node of chunks.at(index).nodes) {
        if (node.end + offset < from || node.start + offset > to) continue
        found.push({ ...node, start: node.start + offset, end: node.end + offset })
      }
    }
    return found
  }

  /** A stretch of the text, without putting the whole together. */
  slice(from: number, to: number): string {
    const first = this.#chunks.find(from)
    const start = this.#chunks.start(first)
    return this.#chunks.texts(first, this.#chunks.find(to) + 1).slice(from - start, to - start)
  }

  /** What is being typed at the cursor; nothing, in a fence. */
  trigger(cursor: number): CompletionTrigger | undefined {
    if (this.inFence(cursor)) return undefined
    const start = Math.max(0, cursor - MAX_QUERY_CHARACTERS - 1)
    const found = triggerAt(this.slice(start, cursor), cursor - start)
    return found && { ...found, from: found.from + start, to: cursor }
  }

  /** Whether a place is inside a code fence. */
  inFence(position: number): boolean {
    const index = this.#chunks.find(position)
    const { text, state } = this.#chunks.at(index)
    const scan = newScan(windowOf(text + this.#ahead(index + 1)), this.#words, state)
    run(scan, position - this.#chunks.start(index))
    return scan.fence !== null
  }

  /** The first chunk whose nodes depend on the text behind `position`. */
  #firstAffected(position: number): number {
    const chunks = this.#chunks
    let affected = chunks.find(position)
    for (let index = affected - 1; index >= 0; index--) {
      const start = chunks.start(index)
      if (start + chunks.at(index).text.length + LOOK_AHEAD < position) break
      if (start + chunks.at(index).reach > position) affected = index
    }
    return affected
  }

  /** A chunk that would become very small is read together with the next. */
  #endOfCore(first: number, end: number): number {
    const chunks = this.#chunks
    const units = chunks.start(end) - chunks.start(first)
    return units < this.#chunkUnits / 2 && end < chunks.count ? end + 1 : end
  }

  /** Read the chunks from `first` to before `end` anew, with `core` for their text, and go on until
   *  the next chunk finds itself in the state it was read in. */
  #read(core: string, first: number, end: number): Reread {
    const chunks = this.#chunks
    const made: SourceChunk[] = []
    let { state } = chunks.at(first)
    let text = core
    for (let more = 1; ; more *= 2) {
      const scan = newScan(windowOf(text + this.#ahead(end)), this.#words, state)
      while (scan.at < text.length) made.push(this.#cut(scan, text.length))
      const over = scan.at - text.length
      state = stateOf(scan)
      if (end === chunks.count) break
      if (over === 0 && isSame(state, chunks.at(end).state)) break
      const next = this.#following(end, more, over)
      text = chunks.texts(end, next).slice(over)
      end = next
    }
    const isEmpty = made.length === 0 && first === 0 && end === chunks.count
    return { chunks: isEmpty ? [EMPTY] : made, end }
  }

  /** The next chunk of a text that is read up to `end`. */
  #cut(scan: Scan, end: number): SourceChunk {
    const state = stateOf(scan)
    const start = scan.at
    scan.nodes = []
    scan.base = start
    scan.examined = start
    run(scan, end - start < 1.5 * this.#chunkUnits ? end : start + this.#chunkUnits)
    // A slash at the end has looked at the unit behind it, to see whether a name begins there.
    const examined = Math.max(scan.examined, scan.at + 1)
    const text = scan.text.slice(start, scan.at)
    return { text, nodes: scan.nodes, state, reach: examined - start }
  }

  /** Enough of what follows for a scan that stops before the chunk. */
  #ahead(index: number): string {
    const chunks = this.#chunks
    let end = index
    while (end < chunks.count && chunks.start(end) - chunks.start(index) < LOOK_AHEAD) end++
    return chunks.texts(index, end)
  }

  /** The end of at least so many chunks, and of more units than those that were read already. */
  #following(from: number, count: number, over: number): number {
    const chunks = this.#chunks
    let end = Math.min(chunks.count, from + count)
    while (end < chunks.count && chunks.start(end) - chunks.start(from) <= over) end++
    return end
  }
}

interface Reread {
  readonly chunks: readonly SourceChunk[]
  /** The first chunk that stays. */
  readonly end: number
}

/** A document has one chunk at least. */
const EMPTY: SourceChunk = { text: "", nodes: [], state: FIRST_STATE, reach: 1 }

function isSame(left: State, right: State): boolean {
  return (
    left.openers === right.openers &&
    left.fresh === right.fresh &&
    left.leading === right.leading &&
    left.fence?.mark === right.fence?.mark &&
    left.fence?.length === right.fence?.length
  )
}
