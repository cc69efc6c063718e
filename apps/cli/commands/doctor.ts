import process from "node:process"
import type { CheckFinding } from "../checks/finding.ts"
import { folderFindings } from "../checks/folder.ts"
import { insideFindings } from "../checks/inside.ts"
import { machineFindings } from "../checks/machine.ts"
import { type CommonOptions, dataFolder } from "../connect.ts"
import { printJson, printLine } from "../print.ts"

/** Look at what is needed, say what is not as it should be, and what to do about it. Exit code 1 when
 *  something must be mended. */
export async function doctorCommand(options: CommonOptions) {
  const machine = await machineFindings()
  // Another server has its folder elsewhere.
  const folder = options.url === undefined ? await folderFindings(dataFolder(options)) : []
  const findings = [...machine, ...folder, ...(await insideFindings(options, folder))]
  if (options.json) printJson(findings)
  else printLine(shown(findings))
  if (findings.some(({ state }) => state === "wrong")) process.exitCode = 1
}

const SIGNS = { fine: "ok", missing: "--", wrong: "!!" } as const

function shown(findings: readonly CheckFinding[]): string {
  const widest = Math.max(...findings.map(({ about }) => about.length))
  const lines = findings.flatMap(({ about, state, says, mend }) => [
    `${SIGNS[state]}  ${about.padEnd(widest)}  ${says}`,
    ...(mend === undefined ? [] : [`${" ".repeat(widest + 6)}→ ${mend}`]),
  ])
  return [...lines, "", summaryOf(findings)].join("\n")
}

function summaryOf(findings: readonly CheckFinding[]): string {
  const count = (state: CheckFinding["state"]) =>
    findings.filter((one) => one.state === state).length
  const [faults, notes] = [count("wrong"), count("missing")]
  if (faults > 0) return `${faults} to mend (!!), ${notes} worth knowing (--).`
  return notes > 0 ? `Nothing to mend; ${notes} worth knowing (--).` : "All is well."
}
