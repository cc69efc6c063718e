import type { CallPath, Client } from "compositor-client/client"
import type { SessionView } from "compositor-client/view"
import type { Turn, Wait } from "compositor-core/message/row"
import { readToolPart } from "compositor-core/message/tool-part"
import { readInputText } from "./input-text.ts"
import type { PickerChoice } from "./picker.ts"

/** Something that a turn waits for and a person must say. */
export interface TurnQuestion {
  /** The same for the same question. */
  readonly key: string
  readonly title: string
  /** What it is about, whole. */
  readonly about: string
  readonly choices: readonly PickerChoice[]
  /** Whether the answer may be typed: then what is sent next is the answer. */
  readonly typed: boolean
  readonly answer: (client: Client, value: string) => Promise<unknown>
}

/** The first thing that is waited for, if any. */
export function questionOf(view: SessionView | undefined): TurnQuestion | undefined {
  const turn = Object.values(view?.turns ?? {}).find(({ waiting }) => waiting.length > 0)
  const [wait] = turn?.waiting ?? []
  return view && turn && wait ? asked(view, turn, wait) : undefined
}

function asked(view: SessionView, turn: Turn, wait: Wait): TurnQuestion {
  const at = { session_id: turn.session_id, turn_id: turn.id, call_id: wait.call_id }
  const key = `${turn.id} ${wait.call_id} ${wait.for}`
  switch (wait.for) {
    case "approval":
      return approval(key, at, callOf(view, wait))
    case "interrupted":
      return interrupted(key, at, callOf(view, wait))
    case "answer":
      return open(key, at, callOf(view, wait))
  }
}

/** What is shown of a call; what is said to it says of which part it is said. */
interface ShownCall {
  readonly wait: Wait
  readonly input: unknown
  readonly shown: { readonly part_id?: string }
}

function callOf(view: SessionView, wait: Wait): ShownCall {
  const parts = view.messages.flatMap((message) => message.parts)
  const part = parts.findLast(({ tool_call_id }) => tool_call_id === wait.call_id)
  const shown = part === undefined ? {} : { part_id: part.id }
  return { wait, input: readToolPart(part?.data)?.input, shown }
}

function approval(key: string, at: CallPath, { wait, input, shown }: ShownCall): TurnQuestion {
  const always = wait.asks.length > 0
  const about = readInputText(input)
  const isNews = wait.reason !== undefined && !unspaced(about).includes(unspaced(wait.reason))
  return {
    key,
    title: `May ${wait.tool} run?${isNews ? ` (${wait.reason})` : ""}`,
    about,
    choices: [
      { value: "allow", label: "Yes" },
      ...(always ? [{ value: "allow-always", label: "Always in this session" }] : []),
      { value: "deny", label: "No" },
      ...(always ? [{ value: "deny-always", label: "Never in this session" }] : []),
    ],
    typed: false,
    answer: (client, value) => {
      const body = { ...shown, always: value.endsWith("-always") }
      return value.startsWith("allow")
        ? client.calls.approve(at, body)
        : client.calls.deny(at, body)
    },
  }
}

function unspaced(text: string): string {
  return text.replace(/\s+/g, "")
}

function interrupted(key: string, at: CallPath, { wait, input }: ShownCall): TurnQuestion {
  return {
    key,
    title: `${wait.tool} may have run before a crash.`,
    about: readInputText(input),
    choices: [
      { value: "skip", label: "Leave it as it is" },
      { value: "retry", label: "Run it again" },
    ],
    typed: false,
    answer: (client, value) => (value === "retry" ? client.calls.retry(at) : client.calls.skip(at)),
  }
}

interface Asked {
  readonly question?: string
  readonly options?: readonly string[]
  readonly multi_select?: boolean
}

/** A single question with options is chosen from, or answered in other words; several questions are
 *  answered line by line, and where several options may be meant they stand between commas. */
function open(key: string, at: CallPath, { input, shown }: ShownCall): TurnQuestion {
  const { questions = [] } = (input ?? {}) as { questions?: readonly Asked[] }
  const [only] = questions.length === 1 ? questions : []
  const options = only?.multi_select ? [] : (only?.options ?? [])
  return {
    key,
    title: only?.question ?? "Answer each on a line of its own:",
    about: only ? offered(only, options.length > 0) : questions.map(numbered).join("\n"),
    choices: options.map((label) => ({ value: label, label })),
    typed: true,
    answer: (client, value) => {
      const lines = only ? [value] : value.split("\n")
      const answers = questions.map((one, n) => said(one, lines[n]))
      return client.calls.answer(at, { ...shown, answers })
    },
  }
}

function numbered(asked: Asked, at: number): string {
  return [`${at + 1}. ${asked.question ?? ""}`, offered(asked, false)].filter(Boolean).join(" ")
}

function offered({ options = [], multi_select }: Asked, isChosen: boolean): string {
  if (isChosen || options.length === 0) return ""
  return `(${options.join(", ")}${multi_select ? "; several with commas between" : ""})`
}

function said({ multi_select }: Asked, line = ""): string[] {
  return multi_select ? line.split(/\s*,\s*/).filter((word) => word !== "") : [line]
}
