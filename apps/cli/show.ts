/** How answers look in a terminal: plain columns, no colour needed to understand them. */
/** A line for each row: a cell has no lines of its own, or it could look like further rows. */
export function table(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replace(/[\r\n]+/g, " ")))
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length)
  return rows.map((row) => line(row, widths)).join("\n")
}

function line(row: readonly string[], widths: readonly number[]): string {
  const last = row.length - 1
  return row.map((cell, at) => (at === last ? cell : cell.padEnd(widths[at] ?? 0))).join("  ")
}

export function showSize(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KB`
  if (bytes < 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(1)} MB`
  return `${(bytes / 1024 ** 3).toFixed(1)} GB`
}

export function showAge(at: number, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - at) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`
  return new Date(at).toISOString().slice(0, 10)
}
