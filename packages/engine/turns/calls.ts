import { NamingBlobs } from "compositor-files/blobs/blobs-behind"
import type { Wait } from "compositor-core/message/row"
import { isOpen, readToolPart, type ToolPart, toolNameOf } from "compositor-core/message/tool-part"
import { isGuarded } from "compositor-files/sandbox/guarded-paths"
import { type Action, judgeCall, type PermissionRule } from "../policy/permissions.ts"
import { watch } from "../policy/watchdog.ts"
import type { NewBlob, PartUpsert } from "../store/store.ts"
import { runInSpan } from "../telemetry/span.ts"
import { runTool } from "../tools/run.ts"
import type { Tool, ToolResult, ToolRuntime } from "../tools/tool.ts"
import type { MadeCall } from "./recorder.ts"
import { keyOf, type TurnContext, type TurnDependencies } from "./turn-context.ts"

/** A call of an answer, as its row is now. */
export interface AnswerCall {
  readonly row: MadeCall["part"]
  readonly part: ToolPart
}

/** Settle what an answer calls for. Every call is looked at before the first one runs; what a person
 *  must say something about makes the turn wait, and nothing has run then. */
export async function settleCalls(
  rooms: TurnDependencies,
  talk: TurnContext,
  answer: { readonly message_id: string; readonly calls: readonly AnswerCall[] },
): Promise<"settled" | "waiting" | "aborted"> {
  const { message_id } = answer
  const open = answer.calls.filter(({ part }) => isOpen(part))
  const plans = await Promise.all(open.map((call) => planOf(rooms, talk, call)))
  const refused = plans.flatMap((one) => (one.type === "refuse" ? [one] : []))
  if (refused.length > 0)
    await rooms.store.recordCalls({
      ...keyOf(talk),
      message_id,
      parts: refused.map(({ call, why }) => rowOf(call.row, failCall(call.part, why))),
      side_effects: false,
    })
  const waiting = plans.flatMap((one) => (one.type === "wait" ? [one.wait] : []))
  if (waiting.length > 0) {
    await rooms.store.waitFor({ ...keyOf(talk), waiting })
    return "waiting"
  }
  const runs = plans.flatMap((one) => (one.type === "run" ? [one] : []))
  const run = (one: Run, signal: AbortSignal) =>
    execute(rooms, talk, { ...one, message_id, signal })
  return (await runAll(runs, run, talk)) ? "settled" : "aborted"
}

/** The calls that an answer's rows hold. */
export function callsOf(made: readonly MadeCall[]): AnswerCall[] {
  return made.flatMap(({ part: row, data }) => {
    const part = readToolPart(data)
    return part ? [{ row, part }] : []
  })
}

type Plan =
  | { readonly type: "run"; readonly call: AnswerCall; readonly tool: Tool }
  | { readonly type: "wait"; readonly wait: Wait }
  | { readonly type: "refuse"; readonly call: AnswerCall; readonly why: string }

async function planOf(rooms: TurnDependencies, talk: TurnContext, call: AnswerCall): Promise<Plan> {
  const { part } = call
  const name = toolNameOf(part.type) ?? ""
  const tool = talk.tools.find(({ id, aliases }) => id === name || aliases.includes(name))
  if (!tool) return { type: "refuse", call, why: `There is no tool ${name} here.` }
  const faults = part.invalid === undefined ? tool.faults(part.input) : ["input: is not JSON"]
  if (faults.length > 0)
    return { type: "refuse", call, why: `The input of ${name} is not valid: ${faults.join("; ")}.` }
  const verdict = await runInSpan("permission.evaluate", { "tool.name": tool.id }, () =>
    judged(rooms, talk, { tool, part }),
  )
  if (verdict.answer === "deny") return { type: "refuse", call, why: `Denied: ${verdict.reason}.` }
  const about = { call_id: part.tool_call_id, tool: name, asks: verdict.asks }
  if (verdict.answer === "ask" && part.approval !== "granted")
    return { type: "wait", wait: { ...about, for: "approval", ...reasonOf(verdict) } }
  if (!tool.waits) return { type: "run", call, tool }
  if (talk.headless) return { type: "refuse", call, why: NOBODY_ANSWERS }
  return { type: "wait", wait: { ...about, for: "answer" } }
}

const NOBODY_ANSWERS = "Nobody is there to answer."

type Judged =
  | { readonly answer: "allow"; readonly asks: Wait["asks"] }
  | { readonly answer: "ask"; readonly asks: Wait["asks"]; readonly reason?: string }
  | { readonly answer: "deny"; readonly reason: string }

/** What the rules say of everything that the tool needs, and then what the watchdog says. */
async function judged(
  rooms: TurnDependencies,
  talk: TurnContext,
  { tool, part }: { tool: Tool; part: ToolPart },
): Promise<Judged> {
  const subject = tool.subject(part.input)
  const needs = tool.requires.map((permission) => ({
    permission,
    subject,
    action: judgeCall(rulesAbout(talk.rules, permission, subject), { permission, subject }),
  }))
  const asks = needs
    .filter(({ action }) => action === "ask")
    .map(({ permission }) => ({ permission, subject }))
  const { session_id, agent } = talk.place
  const answer = await watch(
    rooms.before,
    { tool_id: tool.id, input: part.input, manifest: agent, session_id },
    { rules: strictest(needs.map(({ action }) => action)), headless: talk.headless },
  )
  return answer.answer === "deny" ? answer : { ...answer, asks }
}

/** A rule that allows writing in general does not speak of what other programs obey by themselves: a
 *  person is asked, unless the rule names it or a place outside the workspace. */
function rulesAbout(rules: readonly PermissionRule[], permission: string, subject: string) {
  if (permission !== "fs.write" || !isGuarded(subject)) return rules
  return rules.filter(
    ({ action, pattern }) => action !== "allow" || isGuarded(pattern) || pattern.startsWith("/"),
  )
}

function strictest(actions: readonly Action[]): Action {
  if (actions.includes("deny")) return "deny"
  return actions.includes("ask") ? "ask" : "allow"
}

function reasonOf(verdict: Judged): { reason?: string } {
  if ("reason" in verdict && verdict.reason) return { reason: verdict.reason }
  const subjects = "asks" in verdict ? verdict.asks.map(({ subject }) => subject) : []
  const [subject] = subjects.filter((one) => one !== "")
  return subject === undefined ? {} : { reason: subject.slice(0, MAX_REASON_CHARACTERS) }
}

const MAX_REASON_CHARACTERS = 500

type Run = Extract<Plan, { type: "run" }>

/** Beside each other where none of them changes anything, else one after the other in their order;
 *  false when the turn is to stop. When it is lost to another process, those that still run are
 *  stopped. */
async function runAll(
  runs: readonly Run[],
  run: (one: Run, signal: AbortSignal) => Promise<boolean>,
  { signal }: TurnContext,
): Promise<boolean> {
  const lost = new AbortController()
  const either = AbortSignal.any([signal, lost.signal])
  try {
    if (runs.every(({ tool }) => tool.read_only)) {
      const ran = await Promise.all(runs.map((one) => run(one, either)))
      return !ran.includes(false)
    }
    for (const one of runs) if (!(await run(one, either))) return false
    return true
  } catch (error) {
    lost.abort(error)
    throw error
  }
}

interface Execution extends Run {
  readonly message_id: string
  readonly signal: AbortSignal
}

// That it starts is on disk before it does: a crash in between must not run it a second time.
async function execute(
  rooms: TurnDependencies,
  talk: TurnContext,
  { call, tool, message_id, signal }: Execution,
): Promise<boolean> {
  if (signal.aborted) return false
  const { row, part } = call
  const { read_only } = tool
  const started: ToolPart = { ...part, started_at: Date.now(), read_only }
  const { abort } = await rooms.store.recordCalls({
    ...keyOf(talk),
    message_id,
    parts: [rowOf(row, started)],
    side_effects: !read_only,
  })
  if (abort || signal.aborted) return false
  const blobs = new NamingBlobs(rooms.blobs)
  const running = runInSpan(
    "tool.call",
    { "tool.name": tool.id, "tool.call_id": part.tool_call_id },
    () => runTool(tool, part.input, runtimeOf({ ...rooms, blobs }, talk, { part, signal })),
  )
  const result = await Promise.race([running, patience(signal)])
  // It did not stop when it was told to; its row says that it started, and nobody waits for it.
  if (!result) return false
  await rooms.store.recordCalls({
    ...keyOf(talk),
    message_id,
    parts: [rowOf(row, ended(started, result), blobsOf(result))],
    side_effects: false,
  })
  await blobs.named()
  return true
}

/** So long a tool may take to stop. */
const GRACE_MS = 2000

function patience(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const giveUp = () => void setTimeout(() => resolve(undefined), GRACE_MS)
    if (signal.aborted) giveUp()
    else signal.addEventListener("abort", giveUp, { once: true })
  })
}

function runtimeOf(
  rooms: TurnDependencies,
  talk: TurnContext,
  { part, signal }: { part: ToolPart; signal: AbortSignal },
): ToolRuntime {
  const { claim, place, capabilities, rules } = talk
  return {
    ...rooms.runtime(place, rules),
    session_id: place.session_id,
    turn_id: claim.turn.id,
    call_id: part.tool_call_id,
    workspace_root: place.workspace_root,
    signal,
    blobs: rooms.blobs,
    capabilities,
    ...(rooms.wrote && part.approval === "granted" ? { wrote: rooms.wrote } : {}),
  }
}

function ended(part: ToolPart, result: ToolResult): ToolPart {
  const metadata = { ...result.metadata }
  if (result.type === "error") return { ...failCall(part, result.error_text), metadata }
  const { data, blocks } = result
  const output = { data, ...(blocks ? { blocks: blocks.map((block) => ({ ...block })) } : {}) }
  return { ...part, state: "output-available", output, metadata }
}

export function failCall(part: ToolPart, error_text: string): ToolPart {
  return { ...part, state: "output-error", error_text }
}

function blobsOf(result: ToolResult): NewBlob[] {
  if (result.type === "error") return []
  return (result.blocks ?? []).flatMap((block) => {
    if (block.type === "text") return []
    const { content_id, size, mime } = block.media
    return [{ content_id, size, mime, stored: true }]
  })
}

export function rowOf(
  { id, index, type }: AnswerCall["row"],
  part: ToolPart,
  blobs: readonly NewBlob[] = [],
): PartUpsert {
  const { tool_call_id, state } = part
  return {
    id,
    index,
    type,
    data_json: JSON.stringify(part),
    tool_call_id,
    tool_state: state,
    ...(blobs.length > 0 ? { blobs } : {}),
  }
}
