import type { RuleReport, Verdict } from "./run.ts"

const WORDS: Readonly<Record<Verdict["type"], string>> = {
  pass: "pass",
  fail: "FAIL",
  "not-run": "not run",
  unseen: "no wire",
}

const TEXT_CHARACTERS = 100

/** One line for each rule, those that are broken with what was expected and what came. */
export function showReport(reports: readonly RuleReport[]): string {
  const width = Math.max(...reports.map(({ rule }) => rule.id.length))
  const lines = reports.flatMap(({ rule, verdict }) => [
    `${rule.id.padEnd(width)}  ${WORDS[verdict.type].padEnd(7)}  ${cut(rule.text)}`,
    ...detailsOf(verdict).map((line) => `${"".padEnd(width)}           ${line}`),
  ])
  return [...lines, "", showCounts(reports)].join("\n")
}

function cut(text: string): string {
  return text.length > TEXT_CHARACTERS ? `${text.slice(0, TEXT_CHARACTERS - 1)}…` : text
}

function detailsOf(verdict: Verdict): string[] {
  switch (verdict.type) {
    case "pass":
      return []
    case "fail": {
      const { what, expected, came } = verdict.unmet
      return [`${verdict.in}: ${what}`, `expected  ${expected}`, `came      ${came}`]
    }
    case "not-run":
    case "unseen":
      return [verdict.reason]
  }
}

export function counts(reports: readonly RuleReport[]): Readonly<Record<Verdict["type"], number>> {
  const of = (type: Verdict["type"]) =>
    reports.filter(({ verdict }) => verdict.type === type).length
  return { pass: of("pass"), fail: of("fail"), "not-run": of("not-run"), unseen: of("unseen") }
}

function showCounts(reports: readonly RuleReport[]): string {
  const { pass, fail, "not-run": missed, unseen } = counts(reports)
  return [
    `${reports.length} rules: ${pass} pass, ${fail} FAIL`,
    `${missed} not run, ${unseen} that no wire shows`,
  ].join(", ")
}
