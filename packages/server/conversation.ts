import { callRoutes, type CallEngine } from "./routes/calls.ts"
import { type MessageEngine, messageRoutes } from "./routes/messages.ts"
import type { ServedRoute } from "./route.ts"
import { type SessionEngine, sessionRoutes } from "./routes/sessions.ts"
import { type TurnEngine, turnRoutes } from "./routes/turns.ts"

type ConversationEngine = SessionEngine & MessageEngine & TurnEngine & CallEngine

/** The routes that a message needs: its session, itself, and what comes of it. */
export function conversationRoutes(engine: ConversationEngine): ServedRoute[] {
  return [
    ...sessionRoutes(engine),
    ...messageRoutes(engine),
    ...turnRoutes(engine),
    ...callRoutes(engine),
  ]
}
