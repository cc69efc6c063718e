import type { AnyDefinition } from "../../src/entity/definition.ts"
import type { SendRequest } from "../../src/entity/read-send.ts"
import { type House, type HouseOptions, openHouse } from "../session/house.ts"

export interface EntityHouse extends House {
  send(to: string, message: Partial<SendRequest>): ReturnType<House["host"]["entities"]["inbox"]["send"]>
  spawn(to: string, args?: unknown): Promise<string>
}

export const ME = "user:local"

/** A house with entity types, and short ways to talk to them: `/type/id`. */
export async function entityHouse(
  entities: readonly AnyDefinition[],
  options: HouseOptions = {},
): Promise<EntityHouse> {
  const house = await openHouse({ ...options, entities })
  const { entities: room } = house.host
  return {
    ...house,
    send: (to, message) => room.inbox.send(addressIn(to), message, { principal: ME }),
    spawn: async (to, args) => (await room.entities.spawn(addressIn(to), { args })).entity.session_id,
  }
}

export function addressIn(to: string) {
  const [, type = "", id = ""] = to.split("/")
  return { type, id }
}

/** An input with the nodes of its words: `/name` is a command, everything between is text. */
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
