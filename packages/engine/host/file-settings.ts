import { join } from "node:path"
import { transcriberOf } from "compositor-files/formats/transcriber"
import type { FileSettings } from "compositor-files/settings"
import type { ModelChoice } from "compositor-core/message/message"
import type { KnownModels } from "../providers/known-models.ts"
import { ASSISTANT } from "../agents/agent.ts"
import { type Formats, formatsIn, routeFor } from "../turns/agent-toolset.ts"
import { findTurnAgent, type TurnDependencies } from "../turns/turn-context.ts"
import type { Store } from "../store/store.ts"
import { InlineLedger } from "../submit/inline-ledger.ts"
import type { SubmitDependencies } from "../submit/submit.ts"

interface FileHouse {
  readonly store: Store
  readonly files: FileSettings
  readonly known: KnownModels
  readonly default_model: ModelChoice
}

/** What becomes of files that are sent: which of their bytes parts carry, how they reach a model, and
 *  how much of them may lie where the agent's tools read. */
export function fileDependencies(
  { store, files, known, default_model }: FileHouse,
  agents: Pick<TurnDependencies, "agents" | "agent">,
): Required<Pick<SubmitDependencies, "inline" | "route" | "scratch">> {
  return {
    inline: new InlineLedger(store, files),
    route: routeFor(known, default_model),
    scratch: async ({ agent = ASSISTANT.type, workspace_root }) =>
      (await findTurnAgent(agents, agent, workspace_root)).scratch,
  }
}

/** Who knows formats in a data folder, with whoever transcribes there. */
export function builtinFormats(
  { data, files }: { readonly data: string; readonly files: FileSettings },
  environment: Readonly<Record<string, string | undefined>>,
): Formats {
  return formatsIn(join(data, "formats"), transcriberOf(files.transcriber, environment))
}
