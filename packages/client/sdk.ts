/** What a program needs to speak to a server: `compositor/client`. */
export * from "./answer.ts"
export * from "./client.ts"
export { follow, followHost } from "./events.ts"
export type { FollowEvent, FollowOptions, HostEvent } from "./events.ts"
export * as parts from "./parts.ts"
export { applyEvent, isBusy, prepend, turnOf, viewOfPage } from "./view.ts"
export type { SessionView } from "./view.ts"
export type { Part, Range, UnknownPart } from "compositor-core/message/part"
export type {
  Delta,
  Session,
  SessionStatus,
  StoredMessage,
  StoredPart,
  StreamEvent,
  Turn,
  Usage,
  Wait,
} from "compositor-core/message/row"
