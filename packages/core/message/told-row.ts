import type { MessageRow, Session, SessionStatus, StoredPart, StreamEvent, Turn } from "./row.ts"

/** The rows that a session's stream tells of, by the type of their events. */
interface ToldRows {
  readonly session: Session
  readonly status: SessionStatus
  readonly turn: Turn
  readonly message: MessageRow
  readonly part: StoredPart
}

/** The row that an event tells, where it is of this type and the row is still there. */
export function rowIn<Type extends keyof ToldRows>(
  event: Pick<StreamEvent, "type" | "value">,
  type: Type,
): ToldRows[Type] | undefined {
  if (event.type !== type || event.value === null) return undefined
  const value: unknown = event.value
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an event's type says which row its server wrote
  return value as ToldRows[Type]
}
