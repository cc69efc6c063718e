import type { Policy } from "compositor-core/lower/policy"
import type { ModelChoice } from "compositor-core/message/message"
import { looksOnly, type Metadata } from "compositor-core/message/row"
import type { Capabilities } from "compositor-core/model/capabilities"
import type { Model } from "compositor-core/model/models"
import type { Envelope } from "compositor-core/wires/define-wire"
import { toolsOf } from "../agents/agent.ts"
import { agentOf, envelopeOf, policyOf, thinkingOf, type TurnRooms } from "./turn-context.ts"
import { systemPrompt, toolCatalog } from "./system-prompt.ts"

export type MannerRooms = Pick<
  TurnRooms,
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

export interface Asked {
  readonly choice: ModelChoice
  readonly model: Model
  readonly capabilities: Capabilities
}

/** How a session's agent would ask a model: what its requests say beside their messages, and how
 *  parts are lowered for it. */
export interface Manner {
  readonly envelope: Envelope
  readonly policy: Policy
}

export async function mannerOf(
  rooms: MannerRooms,
  speaker: Speaker,
  { choice, model, capabilities }: Asked,
): Promise<Manner> {
  const { id, agent: type, workspace_root, parent_id = null, metadata = {} } = speaker
  const agent = await agentOf(rooms, type, workspace_root)
  const place = { session_id: id, workspace_root, agent }
  const read_only = looksOnly({ parent_id, metadata })
  const tools = toolsOf(agent, await rooms.tools(place), { ...capabilities, read_only })
  const system = systemPrompt({ manifest: agent.prompt, ...(await rooms.sections(place)) })
  const thinking = thinkingOf(model, choice)
  return {
    envelope: envelopeOf(model, { system, catalog: toolCatalog(tools), thinking }),
    policy: policyOf(agent, tools, thinking),
  }
}
