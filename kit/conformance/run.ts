import { Kit, type KitOptions } from "./kit.ts"
import { isBinding, type Rule } from "./rule.ts"
import { type Need, type Scenario, Seeing, type Unmet } from "./scenario.ts"
import { SCENARIOS } from "./scenarios.ts"
import { UNSEEN } from "./unseen.ts"

export interface RunOptions extends KitOptions {
  readonly rules: readonly Rule[]
  /** Only these rules. */
  readonly only?: readonly string[]
  readonly tell?: (line: string) => void
}

export type Verdict =
  | { readonly type: "pass"; readonly seen: number }
  | { readonly type: "fail"; readonly unmet: Unmet; readonly in: string }
  /** Something that the scenario needs is missing here. */
  | { readonly type: "not-run"; readonly reason: string }
  /** No wire shows it. */
  | { readonly type: "unseen"; readonly reason: string }

export interface RuleReport {
  readonly rule: Rule
  readonly verdict: Verdict
}

/** Hold a server against the rules. Every binding rule is in the report, whatever became of it. */
export async function runConformance(options: RunOptions): Promise<RuleReport[]> {
  const wanted = options.rules.filter((rule) => isWanted(rule, options.only))
  const ids = new Set(wanted.map(({ id }) => id))
  const scenarios = SCENARIOS.filter(({ rules }) => rules.some((id) => ids.has(id)))
  const kit = await Kit.open(options)
  const lived: Lived[] = []
  try {
    const missing = await missingHere(kit)
    for (const scenario of scenarios) {
      options.tell?.(scenario.title)
      lived.push(await live(scenario, kit, missing))
    }
  } finally {
    await kit.close()
  }
  return wanted.map((rule) => ({ rule, verdict: judge(rule, lived) }))
}

function isWanted(rule: Rule, only: readonly string[] = []): boolean {
  return only.length > 0 ? only.includes(rule.id) : isBinding(rule)
}

interface Lived {
  readonly scenario: Scenario
  readonly seeing: Seeing
  readonly missing?: string
  readonly broke?: string
}

async function live(
  scenario: Scenario,
  kit: Kit,
  missing: Readonly<Partial<Record<Need, string>>>,
): Promise<Lived> {
  const seeing = new Seeing()
  const lacking = scenario.needs.map((need) => missing[need]).find((why) => why !== undefined)
  if (lacking !== undefined) return { scenario, seeing, missing: lacking }
  kit.model.play()
  try {
    await scenario.live(kit, seeing)
    return { scenario, seeing }
  } catch (error) {
    return { scenario, seeing, broke: error instanceof Error ? error.message : String(error) }
  }
}

function judge({ id }: Rule, lived: readonly Lived[]): Verdict {
  const about = lived.filter(({ scenario }) => scenario.rules.includes(id))
  const [first] = about
  if (!first) {
    const reason = UNSEEN[id] ?? "no scenario of this kit looks at it"
    return { type: "unseen", reason }
  }
  const verdicts = about.map((one) => verdictOf(id, one))
  const failed = verdicts.find(({ type }) => type === "fail")
  const missed = verdicts.find(({ type }) => type === "not-run")
  return failed ?? missed ?? { type: "pass", seen: about.length }
}

function verdictOf(id: string, { scenario, seeing, missing, broke }: Lived): Verdict {
  if (missing !== undefined) return { type: "not-run", reason: missing }
  const unmet = seeing.unmet.get(id)
  if (unmet) return { type: "fail", unmet, in: scenario.title }
  if (seeing.met.has(id)) return { type: "pass", seen: 1 }
  const came = broke ?? "the scenario ended without having seen it"
  const what = "what the scenario wanted to see of it"
  return { type: "fail", unmet: { what, expected: "to be seen", came }, in: scenario.title }
}

const HELLO = "Is anybody there?"

/** What this server, seen from here, cannot be asked. */
async function missingHere(kit: Kit): Promise<Partial<Record<Need, string>>> {
  const missing: Partial<Record<Need, string>> = {}
  await kit.file("conformance.txt", "The kit was here.\n")
  const lowered = await kit
    .lower([{ type: "file-ref", ref: { kind: "path", path: "conformance.txt" } }], {
      model: "mirror",
    })
    .catch(() => undefined)
  if (!JSON.stringify(lowered ?? "").includes("The kit was here."))
    missing.folder = `the server cannot read ${kit.folder}: run the kit on the server's machine`
  const fault = await unheard(kit, missing.folder === undefined ? {} : { workspace_root: null })
  if (fault !== undefined)
    missing.model = `${kit.model_name} is not asked at ${kit.model.url}: ${fault}`
  return missing
}

/** Why the kit's model was not asked; undefined when it was. */
async function unheard(kit: Kit, place: object): Promise<string | undefined> {
  try {
    const id = await kit.session(place)
    if ((await kit.turn(id, HELLO)).heard.length > 0) return undefined
    const { error, state } = await kit.lastTurn(id)
    return error?.message ?? `the turn is ${state}`
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
