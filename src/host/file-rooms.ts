import { join } from "node:path"
import { transcriberOf } from "../files/convert/transcriber.ts"
import type { FileSettings } from "../files/settings.ts"
import type { ModelChoice } from "../message/message.ts"
import type { KnownModels } from "../provider/known-models.ts"
import { ASSISTANT } from "../session/agent.ts"
import { type Formats, formatsIn, routeFor } from "../session/formats.ts"
import { agentOf, type TurnRooms } from "../session/talk.ts"
import type { Store } from "../store/store.ts"
import { InlineLedger } from "../submit/inline-ledger.ts"
import type { SubmitRooms } from "../submit/submit.ts"

interface FileHouse {
  readonly store: Store
  readonly files: FileSettings
  readonly known: KnownModels
  readonly default_model: ModelChoice
}

/** What becomes of files that are sent: which of their bytes parts carry, how they reach a model, and
 *  how much of them may lie where the agent's tools read. */
export function fileRooms(
  { store, files, known, default_model }: FileHouse,
  agents: Pick<TurnRooms, "agents" | "agent">,
): Required<Pick<SubmitRooms, "inline" | "route" | "scratch">> {
  return {
    inline: new InlineLedger(store, files),
    route: routeFor(known, default_model),
    scratch: async ({ agent = ASSISTANT.type, workspace_root }) =>
      (await agentOf(agents, agent, workspace_root)).scratch,
  }
}

/** Who knows formats in a data folder, with whoever transcribes there. */
export function houseFormats(
  { data, files }: { readonly data: string; readonly files: FileSettings },
  environment: Readonly<Record<string, string | undefined>>,
): Formats {
  return formatsIn(join(data, "formats"), transcriberOf(files.transcriber, environment))
}
