import { SCHEMA_VERSION } from "./message.ts"

export type RawPart = Readonly<Record<string, unknown>>
type Upgrade = (part: RawPart) => RawPart

/** How a part of version N reads as version N + 1. History is never rewritten (CMP-123): rows are
 *  brought up to date when they are read. There has been one version so far. */
export const UPGRADES: Readonly<Record<number, Upgrade>> = {}

export function upgradePart(
  part: RawPart,
  version: number,
  upgrades: Readonly<Record<number, Upgrade>> = UPGRADES,
  target: number = SCHEMA_VERSION,
): RawPart {
  let current = part
  for (let at = version; at < target; at++) current = upgrades[at]?.(current) ?? current
  return current
}
