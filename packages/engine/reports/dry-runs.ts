import type { ModelChoice } from "compositor-core/message/message"
import { Refusal } from "compositor-core/message/refusal"
import type { Knowledge } from "compositor-core/wires/layers"
import type { Provider } from "../providers/provider.ts"
import type { Store } from "../store/store.ts"
import { type DiffLoweringQuery, diffLowering } from "./diff-lowering.ts"
import type { DiffLoweringAnswer, SwitchAnswer } from "compositor-core/contract/models"
import type { DryRun } from "compositor-core/contract/lowering"
import { type DryRunInput, dryRun, heldTokens } from "./dry-run.ts"
import { instructionsIn } from "../turns/instructions.ts"
import type { HistoryDependencies } from "../turns/lower-message.ts"
import type { RequestSettingsDependencies } from "../turns/request-settings.ts"
import { allOf, sinceCompaction } from "../turns/compaction.ts"
import { switchReport } from "./model-switch-report.ts"

interface DryRunsDependencies extends HistoryDependencies, RequestSettingsDependencies {
  readonly store: Store
  readonly providers: ReadonlyMap<string, Provider>
  readonly models: Pick<Knowledge, "models" | "find" | "capabilities">
}

export interface AskedDraft extends Omit<DryRunInput, "speaker" | "history_tokens"> {
  /** The session that it would be said in. */
  readonly session_id?: string | undefined
}

/** What would be sent, without sending it: nothing that is asked here is kept. */
export class DryRuns {
  readonly #rooms: DryRunsDependencies

  constructor(rooms: DryRunsDependencies) {
    this.#rooms = rooms
  }

  /** What a model would be sent for a draft, and how full that makes its context. */
  async lower({ session_id, ...draft }: AskedDraft): Promise<DryRun> {
    const { store } = this.#rooms
    const session = session_id === undefined ? undefined : await this.#session(session_id)
    const rooms = {
      ...this.#rooms,
      ingress: this.#rooms.ingress(draft.workspace_root),
      refused: (api: string, model_id: string) => store.refusals(api, model_id),
      said_instructions: async (id: string) =>
        allOf(sinceCompaction(await store.toldHistory(id, null))).flatMap(instructionsIn),
    }
    const history_tokens = session ? await heldTokens(store, session.id) : 0
    return dryRun(rooms, { ...draft, history_tokens, ...(session ? { speaker: session } : {}) })
  }

  /** What changes when a session goes on with another model. */
  async switchReport(session_id: string, model: ModelChoice): Promise<SwitchAnswer> {
    return switchReport(this.#rooms, await this.#session(session_id), model)
  }

  /** Which stored turns would be lowered differently now. */
  diffLowering(query: DiffLoweringQuery): Promise<DiffLoweringAnswer> {
    return diffLowering(this.#rooms, query)
  }

  async #session(id: string) {
    const session = await this.#rooms.store.session(id)
    if (session) return session
    throw new Refusal("not_found", `there is no session ${id}`)
  }
}
