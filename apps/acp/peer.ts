import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from "@agentclientprotocol/sdk"

/** The editor, as far as a session needs it. */
export interface Peer {
  update(sessionId: string, update: SessionUpdate): Promise<void>
  askPermission(
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse>
  /** Absent where the editor cannot show a form. */
  readonly elicit?: (
    request: CreateElicitationRequest,
    signal: AbortSignal,
  ) => Promise<CreateElicitationResponse>
}
