import { describe, expect, it } from "vitest"
import { broken, neighbours, serverToTry, tried } from "./house.ts"
import { type Answered, type Asked, type Fault, faultyProxy } from "./proxy.ts"

// oxlint-disable-next-line typescript/no-explicit-any
type Json = any

const LOWER = "/v1/lower"

function isPost(at: { method: string; path: string }, path: RegExp): boolean {
  return at.method === "POST" && path.test(at.path)
}

function isGet(at: { method: string; path: string }, path: RegExp): boolean {
  return at.method === "GET" && path.test(at.path)
}

function withText(answer: Answered, change: (text: string) => string) {
  if (answer.path !== LOWER) return
  for (const message of answer.json.prompt?.messages ?? [])
    for (const block of message.blocks) if (block.type === "text") block.text = change(block.text)
}

/** One rule broken on purpose, each in another way. Rules beside it may fall with it, where they say
 *  the same of another place. */
const FAULTS: readonly (readonly [rule: string, what: string, fault: Fault, beside?: string[]])[] =
  [
    [
      "CMP-003",
      "tells parts in another order",
      {
        answered: ({ path, json }) => {
          if (/\/messages\?/.test(path)) for (const one of json.messages) one.parts.reverse()
        },
      },
      ["CMP-005", "CMP-100", "CMP-115", "PER-013"],
    ],
    [
      "CMP-120",
      "leaves schema_version out",
      {
        answered: ({ path, json }) => {
          if (/\/messages\?/.test(path))
            for (const { metadata } of json.messages) delete metadata.schema_version
        },
      },
    ],
    [
      "CMP-025",
      "shows the whole file for a range",
      {
        asked: ({ path, json }) => {
          for (const { ref } of path === LOWER ? json.message.parts : [])
            if (ref?.range?.unit === undefined && ref?.entry === undefined) delete ref?.range
        },
      },
    ],
    [
      "BEY-01",
      "loses the last receipt",
      {
        answered: ({ path, json }) => {
          if (path === LOWER && json.receipts?.length > 1) json.receipts.pop()
        },
      },
      ["BEY-02"],
    ],
    [
      "CMP-044",
      "says nothing of an unknown command",
      { answered: ({ path, json }) => void (path === LOWER && (json.warnings = [])) },
    ],
    [
      "CMP-108",
      "lets a payload close its marker",
      {
        answered: (answer) =>
          withText(answer, (text) => text.replaceAll("\\u003c", "<").replaceAll("\\u003e", ">")),
      },
    ],
    [
      "BIN-012",
      "does not count an archive's entries",
      { answered: (answer) => withText(answer, (text) => text.replace("2 entries", "entries")) },
    ],
    [
      "CMP-112",
      "ends every text with a space",
      {
        answered: ({ path, json }) => {
          const [message] = (path === LOWER && json.body?.messages) || []
          for (const block of Array.isArray(message?.content) ? message.content : [])
            if (block.type === "text") block.text += " "
        },
      },
    ],
    [
      "QUE-003",
      "forgets the id that a sender made",
      {
        asked: (request) => {
          if (isPost(request, /\/messages$/) && request.json?.id) delete request.json.id
        },
      },
      ["BEY-07"],
    ],
    [
      "QUE-002",
      "lists the queue backwards",
      {
        answered: (answer) => {
          if (isGet(answer, /\/queue$/)) answer.json.queue.reverse()
        },
      },
      ["QUE-005"],
    ],
    [
      "UX-002",
      "does not say since when a message waits",
      {
        answered: (answer) => {
          if (isGet(answer, /\/queue$/))
            for (const { metadata } of answer.json.queue) delete metadata.queued_at
        },
      },
      ["QUE-005"],
    ],
    [
      "PER-004",
      "lists archived sessions always",
      {
        asked: (request) => {
          if (isGet(request, /^\/v1\/sessions\?/)) request.path += "&archived=true"
        },
      },
    ],
    [
      "UX-021",
      "lists sidecars always",
      {
        asked: (request) => {
          if (isGet(request, /^\/v1\/sessions\?(?!.*ephemeral)/)) request.path += "&ephemeral=true"
        },
      },
    ],
    [
      "DAE-001",
      "lets everybody in",
      { asked: ({ headers }: Asked) => void (headers["x-give-token"] = "yes") },
    ],
    [
      "DOOR-01",
      "calls a wrong part its own failure",
      {
        answered: (answer) => {
          if (isPost(answer, /\/messages$/) && answer.status === 422) answer.status = 500
        },
      },
    ],
    [
      "DOOR-02",
      "gives a file to whoever knows its id",
      {
        answered: (answer) => {
          if (isGet(answer, /\/blobs\/sha256/) && answer.status === 404) answer.status = 200
        },
      },
    ],
    [
      "EA-006",
      "moves a node without a word",
      {
        answered: (answer) => {
          if (isPost(answer, /\/send$/)) delete answer.json.warnings
        },
      },
    ],
    [
      "SES-002",
      "leaves out what a cache gave",
      {
        answered: ({ path, json }) => {
          if (path.endsWith("/turns"))
            for (const { usage } of json.turns) if (usage) delete usage.cache_read
        },
      },
    ],
    [
      "PER-014",
      "loses a row of the stream",
      {
        frame: (text) => (/"type":"status"/.test(text) && /"busy"/.test(text) ? undefined : text),
      },
      ["SES-060"],
    ],
    [
      "SES-020",
      "branches from the end, whatever the point",
      {
        asked: (request) => {
          if (isPost(request, /\/branch$/)) delete (request.json as Json).from_message_id
        },
      },
      ["SES-021", "DEC-17", "PER-004"],
    ],
  ]

describe("a server that breaks one rule", () => {
  it.each(FAULTS.map(([rule, what, fault, beside = []]) => ({ rule, what, fault, beside })))(
    "[BEY-11] $what, and the kit names $rule",
    { timeout: 120_000 },
    async ({ rule, fault, beside }) => {
      const server = await serverToTry()
      const url = await faultyProxy(server.url, server.token, fault)
      const named = broken(await tried({ ...server, url }, neighbours(rule)))
      expect(named).toContain(rule)
      expect(named.filter((id) => id !== rule && !beside.includes(id))).toEqual([])
    },
  )
})
