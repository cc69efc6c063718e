import type { AnyDefinition } from "../../packages/engine/entities/definition.ts"
import { skillsLoader } from "../../packages/engine/entities/skills-loader.ts"
import { TRUST_ALL } from "../../packages/engine/host/host.ts"
import { type Door, openDoor } from "../server/house.ts"
import type { HouseOptions } from "../session/house.ts"
import { write } from "../skill/workspace.ts"

export interface EntityHouse extends Door {
  /** The answer of a send; one that is refused is an error. */
  send(to: string, message: object): Promise<{ key: string; txid: string }>
  /** The id of its session. */
  spawn(to: string, args?: unknown): Promise<string>
}

const SCRIPTED = { provider_id: "scripted", model_id: "scripted" }

/** A house with entity types behind its door, and short ways to talk to them: `/type/id`. */
export async function entityHouse(
  definitions: readonly AnyDefinition[],
  options: HouseOptions = {},
): Promise<EntityHouse> {
  const entities = definitions.map((definition) => ({ model: SCRIPTED, ...definition }))
  const door = await openDoor({ trust: TRUST_ALL, ...options, entities })
  return {
    ...door,
    async send(to, message) {
      const { status, body, text } = await door.ask("post", `/v1/entities${to}/send`, {
        json: message,
      })
      if (status !== 200) throw new Error(`${to} answered ${status}: ${text}`)
      return body
    },
    async spawn(to, args) {
      const { status, body, text } = await door.ask("put", `/v1/entities${to}`, { json: { args } })
      if (status !== 201) throw new Error(`${to} answered ${status}: ${text}`)
      return body.entity.session_id
    },
  }
}

/** An input with the nodes of its words: `/name` is a command, all between is text. */
export function input(source: string) {
  const nodes = [...source.matchAll(/(?<=^|\s)\/([a-z][a-z0-9-]*)/g)].map((match) => ({
    kind: "slash_command",
    start: match.index,
    end: match.index + match[0].length,
    raw: match[0],
    name: match[1],
  }))
  return { type: "composer_input", payload: { source, nodes } }
}

/** Skills of a workspace, each of which says its name and its arguments. */
export async function writeSkills(workspace: string, names: readonly string[]) {
  const files = names.map((name) => [
    `.agents/skills/${name}/SKILL.md`,
    `---\nname: ${name}\ndescription: What ${name} is for.\n---\nThis is ${name} with $ARGUMENTS.\n`,
  ])
  await write(workspace, { ".git/HEAD": "ref: refs/heads/main\n", ...Object.fromEntries(files) })
}

/** An entity that loads skills and then asks the model. */
export const LOADER = {
  type: "loader",
  resolve: "handler",
  handler: async (ctx) => {
    await skillsLoader(ctx)
    if (ctx.wake.type !== "spawn") await ctx.agent()
  },
} satisfies AnyDefinition
