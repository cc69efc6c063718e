import type { Catalog } from "compositor-core/catalog/catalog"
import type { Memory } from "../memory/memory.ts"
import type { ModelChoice } from "compositor-core/message/message"
import type { Agent } from "../agents/agent.ts"
import type { Claim, Store, StoredTrigger } from "../store/store.ts"
import type { SubmitDependencies } from "../submit/submit.ts"
import type { Schedule } from "compositor-core/triggers/schedule"

/** What entities need of the house. */
export interface EntityDependencies {
  readonly store: Store
  /** Asked for each time: it knows who runs turns here. */
  submitRooms(): SubmitDependencies
  /** Run a claim that came back from a write. */
  take(claim: Claim): void
  /** Something may be claimable. */
  wake(session_id: string): Promise<void>
  abort(session_id: string): Promise<unknown>
  /** Whose session it is; null for the operator's. */
  ownerOf(session_id: string): Promise<string | null | undefined>
  readonly workspace: string | null
  readonly default_model: ModelChoice
  /** The commands of a workspace. */
  catalog(workspace_root: string | null): Promise<Catalog>
  servers(workspace_root: string | null): readonly string[]
  memory(place: {
    readonly session_id: string
    readonly workspace_root: string | null
  }): Promise<Memory>
  scratch(session_id: string, quota: Agent["scratch"]): Promise<string>
  schedule(
    session_id: string,
    about: { schedule: Schedule; prompt: string },
  ): Promise<StoredTrigger>
  unschedule(trigger_id: string, session_id: string): Promise<boolean>
  readonly log?: ((message: string) => void) | undefined
}
