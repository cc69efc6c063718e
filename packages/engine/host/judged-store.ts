import { recordOf } from "compositor-core/message/untyped"
import { Refusal } from "compositor-core/message/refusal"
import { admitWords, type Arrival, judge, type PolicyVerdict } from "../policy/judge.ts"
import type { PolicyConfig } from "../policy/config.ts"
import { type IngressPolicy, policyOf } from "../policy/policy.ts"
import type { ExportRow, Store } from "../store/store.ts"

type Write = (input: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The writes that carry words which are no parts of a message, each with the fields of it that are no
 *  words. (Of a trigger, all but its source is: that holds the key which proves who may fire it.)
 *
 *  The others carry none, or what was judged before: messages come through `submit`, results of tools
 *  through `runTool`, and what a model says was made of what it was shown. A durable stream is bytes
 *  of its owner that no model is shown. */
const WORDS: ReadonlyMap<keyof Store, readonly string[]> = new Map<keyof Store, readonly string[]>([
  ["createSession", []],
  ["changeSession", []],
  ["branch", []],
  ["saveDraft", []],
  ["attachToDraft", []],
  ["resolveCall", []],
  ["spawnEntity", []],
  ["tagEntity", []],
  ["forkEntity", []],
  ["writeRow", []],
  ["putContext", []],
  ["reserveKey", []],
  ["fireTrigger", ["delivery_id"]],
])

/** Fields that others find it by: without the secret in them they would lead nowhere. */
const ADDRESSES = ["name", "key", "collection"]

/** A store that keeps no secret, whoever writes to it and by which way (BEY-04). */
export function judgedStore(store: Store, config: PolicyConfig = {}): Store {
  const policy = policyOf(config)
  const judged = new Map<string | symbol, unknown>()
  for (const [name, kept] of WORDS) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each is called with what it was called with
    const write = (store[name] as unknown as Write).bind(store)
    const judgedWrite: Write = async (input) => write(await judgedInput(policy, input, kept))
    judged.set(name, judgedWrite)
  }
  const importRows: Store["importRows"] = async ({ rows, ...about }) => {
    const clean: ExportRow[] = []
    for (const row of rows) clean.push(await judgedRow(policy, row))
    return store.importRows({ ...about, rows: clean })
  }
  judged.set("importRows", importRows)
  const addTrigger: Store["addTrigger"] = async ({ trigger, ...about }) => {
    const { source, ...words } = trigger
    return store.addTrigger({ ...about, trigger: { ...(await admitWords(policy, words)), source } })
  }
  judged.set("addTrigger", addTrigger)
  return new Proxy(store, {
    get(target, name) {
      const known = judged.get(name)
      if (known !== undefined) return known
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === "function" ? value.bind(target) : value
    },
  })
}

async function judgedInput(
  policy: IngressPolicy,
  input: Readonly<Record<string, unknown>>,
  kept: readonly string[],
) {
  const given = Object.fromEntries(Object.entries(input).map(opened))
  const clean = await admitWords(policy, given)
  if (clean === given) return input
  for (const name of ADDRESSES)
    if (clean[name] !== given[name])
      throw new Refusal("invalid", `the ${name} holds what looks like a secret`)
  const whole = Object.fromEntries(Object.entries(fittingDraft(clean)).map(closed))
  return { ...whole, ...Object.fromEntries(kept.map((name) => [name, input[name]])) }
}

async function judgedRow(policy: IngressPolicy, row: ExportRow): Promise<ExportRow> {
  if (row.type === "blob") return row
  const given = Object.fromEntries(Object.entries(row.data).map(opened))
  // What a person sent with its secrets on purpose was theirs to send.
  const { ingress } = recordOf(given["data_json"])
  if (recordOf(ingress).verdict === "allowed") return row
  const clean = await admitWords(policy, given)
  if (clean === given) return row
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- judging changes what strings say, and no shape
  return { ...row, data: Object.fromEntries(Object.entries(clean).map(closed)) } as ExportRow
}

/** A field that holds JSON is judged as the value it holds. */
function opened([name, value]: [string, unknown]): [string, unknown] {
  return [name, name.endsWith("_json") && typeof value === "string" ? JSON.parse(value) : value]
}

function closed([name, value]: [string, unknown]): [string, unknown] {
  return [name, name.endsWith("_json") ? JSON.stringify(value) : value]
}

/** The nodes of a draft stand at places of its source, and no longer fit when something is gone. */
function fittingDraft(clean: Record<string, unknown>): Record<string, unknown> {
  const body = recordOf(clean["body_json"])
  if (body.nodes === undefined) return clean
  const { nodes: _, ...rest } = body
  return { ...clean, body_json: rest }
}

/** The policy of each workspace as those ask it who read files and run tools there. */
export interface Judging {
  ingress(workspace_root: string | null): (arrival: Arrival) => Promise<PolicyVerdict>
  clean(workspace_root: string | null): <Words>(words: Words) => Promise<Words>
}

export function judgingBy(policy: (workspace_root: string | null) => IngressPolicy): Judging {
  return {
    ingress: (workspace_root) => (arrival) => judge(policy(workspace_root), arrival),
    clean: (workspace_root) => (words) => admitWords(policy(workspace_root), words),
  }
}
