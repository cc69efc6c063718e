import type { Policy } from "compositor-core/lower/policy"
import type { ModelChoice } from "compositor-core/message/message"
import { looksOnly, type Metadata } from "compositor-core/message/row"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Model } from "compositor-core/model/models"
import type { RequestEnvelope } from "compositor-core/wires/define-wire"
import { toolsOf } from "../agents/agent.ts"
import {
  findTurnAgent,
  envelopeOf,
  turnPolicy,
  thinkingOf,
  type TurnDependencies,
} from "./turn-context.ts"
import { systemPrompt, toolCatalog } from "./system-prompt.ts"

export type RequestSettingsDependencies = Pick<
  TurnDependencies,
  "agents" | "agent" | "tools" | "sections" | "instructions"
>

/** Whose turn it would be. */
export interface Speaker {
  readonly id: string
  readonly agent: string
  readonly workspace_root: string | null
  /** Whether it is a sidecar that only looks follows from these. */
  readonly parent_id?: string | null
  readonly metadata?: Metadata
}

export interface RequestedModel {
  readonly choice: ModelChoice
  readonly model: Model
  readonly capabilities: Capabilities
}

/** How a session's agent would ask a model: what its requests say beside their messages, and how
 *  parts are lowered for it. */
export interface RequestSettings {
  readonly envelope: RequestEnvelope
  readonly policy: Policy
}

export async function chooseRequestSettings(
  rooms: RequestSettingsDependencies,
  speaker: Speaker,
  { choice, model, capabilities }: RequestedModel,
): Promise<RequestSettings> {
  const { id, agent: type, workspace_root, parent_id = null, metadata = {} } = speaker
  const agent = await findTurnAgent(rooms, type, workspace_root)
  const place = { session_id: id, workspace_root, agent }
  const read_only = looksOnly({ parent_id, metadata })
  const tools = toolsOf(agent, await rooms.tools(place), { ...capabilities, read_only })
  const system = systemPrompt({ manifest: agent.prompt, ...(await rooms.sections(place)) })
  const thinking = thinkingOf(model, choice)
  return {
    envelope: envelopeOf(model, { system, catalog: toolCatalog(tools), thinking }),
    policy: turnPolicy(agent, tools, thinking),
  }
}
