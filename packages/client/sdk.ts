export type { Part } from "compositor-core/parts/table"
export type { Range } from "compositor-core/message/file-reference"
export type { PartData } from "compositor-core/parts/define-part"
/** What a program needs to speak to a server: `compositor/client`. */
export * from "./answer.ts"
export * from "./client.ts"
export { follow, followHost } from "./events.ts"
export type { FollowEvent, FollowOptions, HostEvent } from "./events.ts"
export * as parts from "./parts.ts"
export { applyEvent, isBusy, prepend, turnOf, viewOfPage } from "./view.ts"
export type { SessionView } from "./view.ts"
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
