import {
  type CreateElicitationRequest,
  type ElicitationPropertySchema,
  type PermissionOption,
  RequestError,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk"
import { ApiError, type CallPath, type Client } from "compositor-client/client"
import type { Turn, Wait } from "compositor-core/message/row"
import { isObject } from "./json-rpc.ts"
import { isMode, type ModeId } from "./modes.ts"
import type { Peer } from "./peer.ts"
import { kindOf } from "./tool-calls.ts"

interface PermissionRequest {
  readonly client: Client
  readonly peer: Peer
  readonly turn: Turn
  readonly wait: Wait
  /** How the person was told of the call, so that the question shows it. */
  readonly call: ToolCallUpdate | undefined
  readonly mode: string
  readonly signal: AbortSignal
}

/** Put to the editor what a turn waits for, and carry its answer back (ACP-004). A call that another
 *  surface settled meanwhile waits no longer, and nothing is wrong with that. */
export async function settleWait(asking: PermissionRequest): Promise<void> {
  try {
    await settle(asking)
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 409)) throw error
  }
}

async function settle(asking: PermissionRequest): Promise<void> {
  switch (asking.wait.for) {
    case "approval":
      return approval(asking)
    case "answer":
      return answer(asking)
    case "interrupted":
      return interrupted(asking)
  }
}

const APPROVAL: readonly PermissionOption[] = [
  { optionId: "allow_once", name: "Allow", kind: "allow_once" },
  { optionId: "allow_always", name: "Always allow in this session", kind: "allow_always" },
  { optionId: "reject_once", name: "Reject", kind: "reject_once" },
  { optionId: "reject_always", name: "Always reject in this session", kind: "reject_always" },
]

async function approval(asking: PermissionRequest): Promise<void> {
  const { client, wait, mode } = asking
  const at = placeOf(asking)
  const decided = isMode(mode) ? DECIDED[mode] : undefined
  const options = APPROVAL.filter(({ kind }) => wait.asks.length > 0 || !kind.endsWith("_always"))
  const chosen = decided ?? (await choose(asking, options))
  const always = chosen?.endsWith("_always") ?? false
  if (chosen?.startsWith("allow")) await client.calls.approve(at, { always })
  else await client.calls.deny(at, { always, ...(chosen ? {} : { reason: "nobody answered" }) })
}

/** What a mode answers by itself. */
const DECIDED: Readonly<Partial<Record<ModeId, string>>> = {
  allow: "allow_once",
  deny: "reject_once",
}

async function interrupted(asking: PermissionRequest): Promise<void> {
  const options: PermissionOption[] = [
    { optionId: "retry", name: "Run it again", kind: "allow_once" },
    { optionId: "skip", name: "Leave it as it is", kind: "reject_once" },
  ]
  const chosen = await choose(asking, options)
  if (chosen === "retry") await asking.client.calls.retry(placeOf(asking))
  else await asking.client.calls.skip(placeOf(asking))
}

async function answer(asking: PermissionRequest): Promise<void> {
  const questions = questionsOf(asking.call?.rawInput)
  const answers = asking.peer.elicit
    ? await byForm(asking, questions)
    : await oneByOne(asking, questions)
  if (answers) await asking.client.calls.answer(placeOf(asking), { answers })
  else await asking.client.calls.deny(placeOf(asking), { reason: "the user gave no answer" })
}

interface Question {
  readonly question: string
  readonly options: readonly string[]
  readonly multi: boolean
}

function questionsOf(input: unknown): Question[] {
  const asked = isObject(input) && Array.isArray(input.questions) ? input.questions : []
  return asked.filter(isObject).map(({ question, options, multi_select }) => ({
    question: String(question),
    options: Array.isArray(options) ? options.map(String) : [],
    multi: multi_select === true,
  }))
}

async function byForm(asking: PermissionRequest, questions: readonly Question[]) {
  const fields = questions.map((question, at) => [`answer_${at}`, fieldOf(question)] as const)
  const request: CreateElicitationRequest = {
    mode: "form",
    sessionId: asking.turn.session_id,
    toolCallId: asking.wait.call_id,
    message: questions.map(({ question }) => question).join("\n"),
    requestedSchema: {
      type: "object",
      properties: Object.fromEntries(fields),
      required: fields.map(([name]) => name),
    },
  }
  const given = await answered(asking.peer.elicit?.(request, asking.signal), asking.signal)
  if (!isObject(given) || given.action !== "accept") return undefined
  const content = isObject(given.content) ? given.content : {}
  return questions.map((_, at) => [content[`answer_${at}`] ?? []].flat().map(String))
}

function fieldOf({ question, options, multi }: Question): ElicitationPropertySchema {
  if (options.length === 0) return { type: "string", title: question }
  if (multi)
    return { type: "array", title: question, items: { type: "string", enum: [...options] } }
  return { type: "string", title: question, enum: [...options] }
}

/** An editor without forms can still be asked to choose; what must be written cannot be asked. */
async function oneByOne(asking: PermissionRequest, questions: readonly Question[]) {
  if (questions.some(({ options }) => options.length === 0)) return undefined
  const answers: string[][] = []
  for (const { question, options } of questions) {
    const choices = options.map((name, at) => option(`${at}`, name))
    const call = { ...callOf(asking), title: question }
    const chosen = await choose({ ...asking, call }, choices)
    const value = options[Number(chosen ?? -1)]
    if (value === undefined) return undefined
    answers.push([value])
  }
  return answers
}

function option(optionId: string, name: string): PermissionOption {
  return { optionId, name, kind: "allow_once" }
}

async function choose(
  asking: PermissionRequest,
  options: readonly PermissionOption[],
): Promise<string | undefined> {
  const { peer, turn, signal } = asking
  const request = { sessionId: turn.session_id, toolCall: callOf(asking), options: [...options] }
  return chosenOf(await answered(peer.askPermission(request, signal), signal), options)
}

/** What the editor answered. One that answers with an error gave no answer, and the turn goes on; one that
 *  went away left the question to other surfaces. */
async function answered(answer: Promise<unknown> | undefined, signal: AbortSignal) {
  try {
    return await answer
  } catch (error) {
    if (signal.aborted || !(error instanceof RequestError)) throw error
    return undefined
  }
}

// An editor may answer with an option that it was not offered, or with anything: that is no answer.
function chosenOf(answer: unknown, options: readonly PermissionOption[]) {
  const outcome = isObject(answer) && isObject(answer.outcome) ? answer.outcome : {}
  if (outcome.outcome !== "selected") return undefined
  return options.find(({ optionId }) => optionId === outcome.optionId)?.optionId
}

function callOf({ call, wait }: PermissionRequest): ToolCallUpdate {
  if (call) return call
  const { call_id, tool, asks } = wait
  const title = [tool, ...asks.map(({ subject }) => subject)].join(" ").trim()
  return { toolCallId: call_id, title, kind: kindOf(tool), status: "pending" }
}

function placeOf({ turn, wait }: PermissionRequest): CallPath {
  return { session_id: turn.session_id, turn_id: turn.id, call_id: wait.call_id }
}
