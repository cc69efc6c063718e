import { writePart } from "../../packages/core/parts/table.ts"
import { AnyPart } from "../../packages/core/parts/read-part.ts"
import type { CommandPart } from "../../packages/core/parts/command.ts"
import type { PartData } from "../../packages/core/parts/define-part.ts"
import type { Range } from "../../packages/core/message/file-reference.ts"
import { deepStrictEqual, ok, strictEqual } from "node:assert"
import fc from "fast-check"
import { partsOfInput } from "../../packages/core/compose/bridge.ts"
import { readComposerInput } from "../../packages/core/compose/composer-input.ts"
import { ComposerDocument } from "../../packages/core/compose/document.ts"
import { inputOfParts } from "../../packages/core/compose/edit-parts.ts"
import { parseFragment, printFragment } from "../../packages/core/message/file-location.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import type { Chip } from "../../packages/core/compose/print-node.ts"
import { piecesOf, serialize } from "../../packages/core/compose/serialize.ts"
import { triggerAt } from "../../packages/core/compose/trigger.ts"
import { vocabulary } from "./words.ts"

/** What holds for every source, as data: `npm test` asks a little of each, `npm run properties` a lot. */
export interface Property {
  readonly title: string
  readonly property: fc.IRawProperty<unknown>
}

const BITS = [
  ...Array.from("/@`~$#:.,!?()[]{}<>\"'\\-_ \n\t\r*123aLBzé日，（）「」。…"),
  "((((((((",
  "[[[[[[[[[[[[[[[[[",
  "``",
  "```",
  "\n```\n",
  "\n~~~~\n",
  "\n> ",
  "\n- ",
  "\r\n",
  "  ",
  "/review",
  "/clear",
  "/team:review",
  "/c++",
  "/评审",
  "/etc/passwd",
  "$pdf",
  "@",
  '@"',
  '""',
  "@a.ts",
  "@src/b.ts",
  "#L1-2",
  "#L9-3",
  ":10-20",
  ":7:1",
  "#page=3",
  "#t=4,7",
  "!/",
  ".zip!/c.ts",
  "@file:",
  "@skill:",
  "@symbol:",
  "@ticket:",
  "@docs:",
  "@selection",
  "https://a.b/@c/d",
  "me@a.b",
  "C:\\x",
  "😀",
  "\ud83d",
  "\u0000",
  "\u2028",
  "\ufeff",
  "word ",
]
// Tokens begin words, and chance seldom puts them there.
const TOKENS = [
  "/review",
  "/search x",
  "/clear",
  "/nobody",
  "/评审",
  "$pdf",
  "@src/b.ts#L1-2",
  "@a.zip!/b.ts",
  '@"a b.ts"',
  "@file:x",
  "@skill:pdf",
  '@symbol:"a b"',
  "@branch:x",
  "@ticket:7",
  "@docs:guide",
  "@selection",
  "(@c.ts)",
  "`@d.ts`",
]
const bit = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...BITS) },
  { weight: 1, arbitrary: fc.constantFrom(...TOKENS).map((token) => ` ${token}`) },
)
const source = fc.array(bit, { maxLength: 40, size: "max" }).map((bits) => bits.join(""))
const anySource = fc.oneof(
  { weight: 9, arbitrary: source },
  fc.string({ unit: "binary", maxLength: 40, size: "max" }),
)
const typed = fc.array(bit, { maxLength: 4 }).map((bits) => bits.join(""))
const edits = fc.array(fc.tuple(fc.nat(2000), fc.nat(8), typed), { maxLength: 8, size: "max" })

function record<Model extends object>(model: { [Key in keyof Model]: fc.Arbitrary<Model[Key]> }) {
  return fc.record(model, { noNullPrototype: true })
}

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/)
const anyName = fc.oneof(name, fc.string({ minLength: 1, maxLength: 12 }).filter(isOneLine))
const path = fc.oneof(
  fc.stringMatching(/^[a-z]{1,5}\/[a-zA-Z()[\] #:!é日]{0,6}[a-z]\.[a-z]{1,3}$/),
  fc.constantFrom(
    "Makefile",
    "a b",
    "x.",
    "it's/here.md",
    "#n/a.md",
    "@types/node",
    "a#L1-2.ts",
    "C:\\x",
  ),
  fc.string({ minLength: 1, maxLength: 12 }).filter(isOneLine),
)
const range: fc.Arbitrary<Range> = fc.oneof(
  fc
    .tuple(fc.integer({ min: 1, max: 99 }), fc.nat(99))
    .map(([start, more]) => ({ start, end: start + more })),
  fc
    .tuple(fc.nat(99), fc.integer({ min: 1, max: 99 }))
    .map(([start, more]) => ({ start, end: start + more, unit: "byte" as const })),
)
const fragment = fc.oneof(
  fc.constant({ unit: "page" as const, start: 3, end: 7 }),
  fc.constant({ unit: "time" as const, start: 40, end: 70.5 }),
  record({ unit: fc.constant("cells" as const), sheet: anyName, cells: fc.constant("A1:D20") }),
  fc.constant({
    unit: "region" as const,
    measure: "percent" as const,
    x: 0,
    y: 1,
    width: 2,
    height: 3,
  }),
)
const place = fc.oneof(
  fc.constant({}),
  range.map((range) => ({ range })),
  fragment.map((fragment) => ({ fragment })),
)
const file = fc
  .tuple(path, fc.option(path, { nil: undefined }), place)
  .map(([path, entry, place]) => ({ kind: "file", path, ...(entry ? { entry } : {}), ...place }))
const chip: fc.Arbitrary<Chip> = fc.oneof(
  file,
  record({ kind: fc.constantFrom("skill", "symbol", "branch"), name: anyName }),
  record({ kind: fc.constant("mention"), of: fc.constant("ticket"), name: anyName }),
  record({ kind: fc.constant("resource"), server: fc.constant("docs"), uri: anyName }),
  record({ kind: fc.constant("context"), name: fc.constantFrom("selection", "open") }),
  record({ kind: fc.constant("slash_command"), name: fc.constantFrom("review", "评审", "c++") }),
)
const said = fc
  .array(fc.stringMatching(/^[a-zA-Zé日😀]{1,6}$/u), { maxLength: 3 })
  .map((words) => words.join(" "))

function isOneLine(text: string): boolean {
  return text.trim() !== "" && !/\p{Cc}/u.test(text)
}

export const PROPERTIES: readonly Property[] = [
  {
    title: "[EA-002] nodes are in order and apart, and each is where it says",
    property: fc.property(anySource, (source) => {
      let end = 0
      for (const node of parse(source, vocabulary)) {
        ok(node.start >= end && node.end > node.start)
        strictEqual(node.raw, source.slice(node.start, node.end))
        end = node.end
      }
    }),
  },
  {
    title: "[EA-003] serializing what was parsed gives the source back",
    property: fc.property(anySource, (source) => {
      const nodes = parse(source, vocabulary)
      deepStrictEqual(serialize(piecesOf({ source, nodes })), { source, nodes })
    }),
  },
  {
    title: "an edited document has the nodes that a parse of its source has",
    property: fc.property(source, edits, fc.integer({ min: 1, max: 24 }), (begun, edits, units) => {
      let source = begun
      const document = new ComposerDocument(source, vocabulary, units)
      for (const [where, size, insert] of edits) {
        const from = where % (source.length + 1)
        const to = Math.min(source.length, from + size)
        document.edit(from, to, insert)
        source = source.slice(0, from) + insert + source.slice(to)
        deepStrictEqual(document.nodes(), parse(source, vocabulary))
      }
      strictEqual(document.source, source)
    }),
  },
  {
    title: "[EA-006] what was parsed is a valid input, and nothing is moved",
    property: fc.property(anySource, (source) => {
      const input = { source, nodes: parse(source, vocabulary) }
      deepStrictEqual(readComposerInput(input), { type: "input", input, warnings: [] })
    }),
  },
  {
    title: "[EA-006] nodes that are a little off are put right",
    property: fc.property(
      fc.uniqueArray(name, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: -3, max: 3 }),
      (names, off) => {
        const source = names.map((name) => `@symbol:${name}.`).join(" and so on ")
        const nodes = parse(source, vocabulary)
        const moved = nodes.map((node) => ({
          ...node,
          start: Math.max(0, node.start + off),
          end: Math.max(0, node.end + off),
        }))
        const read = readComposerInput({ source, nodes: moved })
        deepStrictEqual(read.type === "input" && read.input.nodes, nodes)
      },
    ),
  },
  {
    title: "[EA-040] chips that are printed are read again as the same nodes",
    property: fc.property(
      fc.array(fc.tuple(said, chip), { maxLength: 5, size: "max" }),
      said,
      (pairs, last) => {
        const { source, nodes } = serialize([...pairs.flat(), last])
        deepStrictEqual(parse(`So ${source}`, vocabulary).map(unplaced), nodes.map(unplaced))
      },
    ),
  },
  {
    title: "[EA-041] parts survive the way back to a source and forth again",
    property: fc.property(source, (source) => {
      const parts = partsOfInput({ source, nodes: parse(source, vocabulary) }, vocabulary)
      for (const part of parts) deepStrictEqual(writePart(AnyPart.parse(part)), part)
      // What was text because it was glued to a reference, or because of a quote or a tick on
      // another line, may be a token once white space has come or gone.
      fc.pre(!/["`]/.test(source))
      fc.pre(parts.every((part) => part.type !== "text" || !hasToken(String(part.text))))
      const back = inputOfParts(parts, vocabulary)
      const { source: written, nodes } = back
      deepStrictEqual(readComposerInput({ source: written, nodes }), {
        type: "input",
        input: { source: written, nodes },
        warnings: [],
      })
      deepStrictEqual(partsOfInput(back, vocabulary).map(meaning), parts.map(meaning))
      deepStrictEqual(back.rest, [])
    }),
  },
  {
    title: "[CMP-111] nothing is found in a fence",
    property: fc.property(source, (source) => {
      const code = source.replaceAll("`", "").replaceAll("~", "")
      deepStrictEqual(parse(`\`\`\`\n${code}\n\`\`\``, vocabulary), [])
    }),
  },
  {
    title: "[EA-041] everything that is not a recognised token is said, in order",
    property: fc.property(source, (source) => {
      const bare = { ...vocabulary, commands: new Map() }
      const nodes = parse(source, bare)
      const parts = partsOfInput({ source, nodes }, bare)
      const words = parts.flatMap((part) => {
        if (part.type === "text") return [String(part.text)]
        return part.type === "command" ? [String(part.raw)] : []
      })
      const references = nodes.filter((node) => node.kind !== "slash_command" && !node.fault)
      const left = references.reduceRight(
        (text, { start, end }) => text.slice(0, start) + text.slice(end),
        source,
      )
      strictEqual(words.join("").replace(/\s/g, ""), left.replace(/\s/g, ""))
    }),
  },
  {
    title: "[BEY-08] a fragment that is printed is read as itself",
    property: fc.property(
      fc.oneof(
        fragment,
        range.map(({ start, end, unit = "line" }) => ({ unit, start, end })),
      ),
      (fragment) => {
        const read = parseFragment(printFragment(fragment))
        deepStrictEqual(read, { type: "fragment", fragment })
      },
    ),
  },
  {
    title: "[EA-040] a trigger is the token before the cursor",
    property: fc.property(source, fc.nat(200), (source, place) => {
      const cursor = place % (source.length + 1)
      const trigger = triggerAt(source, cursor)
      if (!trigger) return
      strictEqual(trigger.to, cursor)
      strictEqual(source.charAt(trigger.from), trigger.kind === "command" ? "/" : "@")
      ok(source.slice(trigger.from, cursor).endsWith(trigger.query))
    }),
  },
]

function unplaced({ start: _start, end: _end, ...rest }: Record<string, unknown>) {
  return rest
}

/** A reference may be written another way, and white space around it may come and go. */
function meaning(part: PartData): unknown {
  if (part.type !== "command") return withoutSpace(part)
  const { id, args, outcome, chosen } = part as CommandPart
  return withoutSpace({ id, outcome, chosen, said: args.text ?? args.raw })
}

function withoutSpace(value: object): unknown {
  return JSON.parse(JSON.stringify(value).replace(/(\\[nrt]|\s)+/g, ""))
}

function hasToken(text: string): boolean {
  return parse(`So ${text}`, vocabulary).length > 0
}
