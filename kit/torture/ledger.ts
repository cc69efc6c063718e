/** Whether something was asked for, and whether the server said that it is so. What was only asked
 *  for may or may not have happened; what was acknowledged must hold for ever. */
export type Word = "never" | "asked" | "acknowledged"

/** A send may also be refused, and then it must never have happened. */
export type SendWord = Word | "refused"

export interface SentSession {
  readonly id: string
  creation: Word
  deletion: Word
}

export interface SentMessage {
  readonly id: string
  readonly session_id: string
  readonly client: number
  readonly text: string
  sending: SendWord
  cancellation: Word
}

/** What the clients know, kept apart from the server that is being killed. */
export class Ledger {
  readonly sessions = new Map<string, SentSession>()
  /** In the order in which each client sent them. */
  readonly messages = new Map<string, SentMessage>()
  /** Answers that no client should have been given. */
  readonly surprises: string[] = []

  session(id: string): SentSession {
    const session: SentSession = { id, creation: "asked", deletion: "never" }
    this.sessions.set(id, session)
    return session
  }

  message(message: Pick<SentMessage, "id" | "session_id" | "client" | "text">): SentMessage {
    const sent: SentMessage = { ...message, sending: "asked", cancellation: "never" }
    this.messages.set(sent.id, sent)
    return sent
  }

  acknowledged(): SentMessage[] {
    return [...this.messages.values()].filter(({ sending }) => sending === "acknowledged")
  }

  isDeleted(session_id: string): boolean {
    return this.sessions.get(session_id)?.deletion !== "never"
  }
}
