import { appendFileSync } from "node:fs"

/** The value below which `share` of the values lie. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function perSecond(rate: number): string {
  return `${Math.round(rate).toLocaleString("en")}/s`
}

export function milliseconds(value: number): string {
  return `${value.toFixed(2)} ms`
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)}x`
}

/** What a table showed, for whoever runs everything and puts it together. */
export interface Shown {
  readonly headings: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

/** Whether everything is to be tried in small. What is measured so is marked, and proves nothing. */
export const QUICK = process.env["COMPOSITOR_QUICK"] === "1"

/** A size, or a smaller one where there is no time. */
export function sized(full: number, quick: number): number {
  return QUICK ? quick : full
}

/** Rows under headings, in columns as wide as they need to be. The file that `COMPOSITOR_FIGURES`
 *  names is told them as data. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const notes = process.env["COMPOSITOR_FIGURES"]
  if (notes) appendFileSync(notes, `${JSON.stringify({ headings, rows } satisfies Shown)}\n`)
  const lines = [headings, ...rows]
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .toSpliced(1, 0, widths.map((width) => "-".repeat(width)).join("  "))
    .join("\n")
}
