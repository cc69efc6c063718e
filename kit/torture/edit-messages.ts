import type { Random } from "./random.ts"

/** What a surface sends: a source with parts beside it, or parts alone. */
export interface RandomSend {
  readonly origin: string
  readonly body: {
    readonly source?: string
    readonly nodes?: readonly object[]
    readonly parts?: readonly object[]
  }
}

/** A message of any origin: typed, over HTTP, from an ACP editor, through a pipe, by the command line. */
export function randomSend(random: Random): RandomSend {
  return random.pick(ORIGINS)(random)
}

const ORIGINS: readonly ((random: Random) => RandomSend)[] = [
  function composer(random) {
    return { origin: "composer", body: { source: sourceOf(random) } }
  },
  function attached(random) {
    const parts = list(random, 1, 3, () => random.pick(BESIDE)(random))
    return { origin: "composer with files", body: { source: sourceOf(random), parts } }
  },
  function piped(random) {
    const parts = [{ type: "text", text: textOf(random) }, ...list(random, 0, 2, () => ref(random))]
    return { origin: "pipe and -r", body: { source: sourceOf(random), parts } }
  },
  function pipedAlone(random) {
    return { origin: "pipe", body: { parts: [{ type: "text", text: textOf(random) }] } }
  },
  function unread(random) {
    return { origin: "source without nodes", body: { source: sourceOf(random), nodes: [] } }
  },
  function node(random) {
    const raw = `[${random.pick(WORDS)}]`
    const body = {
      source: `see ${raw} now`,
      nodes: [{ kind: "ticket", start: 4, end: 4 + raw.length, raw, number: random.between(1, 9) }],
    }
    return { origin: "source with a node of another kind", body }
  },
  function blocks(random) {
    const parts = list(random, 1, 5, (at) =>
      at % 2 === 0 ? { type: "text", text: textOf(random) } : random.pick(BESIDE)(random),
    )
    return { origin: "ACP", body: { parts } }
  },
  function http(random) {
    return { origin: "HTTP", body: { parts: list(random, 1, 8, () => random.pick(ANY)(random)) } }
  },
]

const WORDS = ["fix", "this", "файл", "naïve", "日本", "👩‍👩‍👧", "x", "", "é", "return 1"]
const LIKE = [
  "@a.ts",
  "/clear",
  "/review",
  "/no-such-thing",
  "@selection",
  '@"a b.md"',
  "@a.ts#L2-3",
  "$pdf",
  "a@b.c",
  "(@a.ts)",
  "@skill:pdf",
  "/etc/hosts",
  "@ticket:7",
  "`@a.ts`",
  "[a.txt]",
  "[text: x]",
  "```\n@a.ts\n```",
]
const GAPS = [" ", " ", " ", "  ", "\n", "\n    ", "\t", "\r\n", "\n\n\n", "\u00a0", ""]
const ODD = ["\0", "\u001b[31m", "\u200b", "\u202e", "\ud800", "\u2028", "\r", "\u0085"]

function sourceOf(random: Random): string {
  return list(random, 1, 7, () => token(random) + random.pick(GAPS.slice(0, 6))).join("") + "end"
}

/** A text as programs write it: blanks, odd characters, and nothing at all. */
function textOf(random: Random): string {
  if (random.chance(0.06)) return random.pick(["", " ", "\n", "\t\n "])
  const text = list(random, 1, 8, () => token(random) + random.pick(GAPS)).join("")
  return random.chance(0.15) ? `${text}${random.pick(ODD)}${random.pick(WORDS)}` : text
}

function token(random: Random): string {
  return random.chance(0.3) ? random.pick(LIKE) : random.pick(WORDS)
}

function ref(random: Random): object {
  const range = random.chance(0.5) ? { range: { start: 1, end: random.between(1, 3) } } : {}
  return {
    type: "file-ref",
    ref: { kind: "path", path: random.pick(["a.ts", "no/such.ts"]), ...range },
  }
}

type MakePart = (random: Random) => object

const BESIDE: readonly MakePart[] = [
  ref,
  (random) => ({
    type: "file-attachment",
    name: random.pick(["a.txt", "shot.png", "a b[1].txt", "x".repeat(80)]),
    mime: "text/plain",
    data: Buffer.from(random.pick(WORDS) + random.pick(WORDS)).toString("base64"),
  }),
  (random) => ({
    type: "editor-context",
    kind: random.pick(["selection", "tab", "cursor"]),
    payload: { path: random.pick(WORDS), deep: { list: [1, null, random.pick(WORDS)] } },
    emitted_at: random.between(0, 9999),
  }),
  (random) => ({
    type: "quote",
    session_id: "ses_x",
    message_id: "msg_x",
    text: textOf(random) || "quoted",
  }),
  (random) => ({
    type: "file-ref",
    ref: { kind: "url", url: `https://a.b/${random.between(1, 99)}` },
  }),
]

const ANY: readonly MakePart[] = [
  ...BESIDE,
  (random) => ({ type: "text", text: textOf(random) }),
  (random) => ({ type: "text", text: textOf(random) }),
  (random) => ({ type: "text", text: textOf(random), note: random.pick(WORDS) }),
  (random) => ({
    type: "mention",
    target: { kind: random.pick(["branch", "symbol", "ticket"]), name: "main" },
  }),
  (random) => ({
    type: "command",
    id: "/no-such-thing",
    args: { raw: random.pick(WORDS), depth: { a: [random.between(1, 5)] } },
  }),
  (random) => ({
    type: random.pick(["ticket-ref", "node-thing", "x", "poll"]),
    text: random.pick(WORDS),
    value: random.between(1, 99),
  }),
  (random) => ({ type: "empty-thing", nested: { on: random.chance(0.5), nothing: null } }),
]

function list<Item>(
  random: Random,
  least: number,
  most: number,
  make: (at: number) => Item,
): Item[] {
  return Array.from({ length: random.between(least, most) }, (_, at) => make(at))
}
