import { times } from "./figures.ts"

/** In milliseconds: what else runs on the machine makes a figure longer, not larger. */
export async function processorTime(work: () => Promise<unknown>): Promise<number> {
  const since = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1000
}

/** What must hold, and whether it does. */
export interface Gate {
  readonly says: string
  readonly figure: string
  readonly passed: boolean
}

export function atMost(says: string, ratio: number, limit: number): Gate {
  return { says, figure: times(ratio), passed: ratio <= limit }
}
