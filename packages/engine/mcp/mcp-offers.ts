import type { CommandLayer } from "compositor-core/catalog/catalog"
import type { McpCommand } from "compositor-core/catalog/command"
import type { McpOffers } from "./mcp-servers.ts"
import type { ArgumentPosition, CompletionSource, Offer } from "../completion/completion.ts"
import type { Tool } from "../tools/tool.ts"

/** Asks a server what may stand for an argument of its prompt. */
export type CompleteArgument = (
  command: McpCommand,
  asked: { readonly query: string; readonly at: ArgumentPosition },
) => Promise<readonly Offer[]>

/** What the servers of a workspace add to its tools, its catalog and its completion. */
export interface Offered {
  readonly tools: readonly Tool[]
  /** The prompts, a layer of commands for each server. */
  readonly layers: readonly CommandLayer[]
  /** Resources by their server's name, and values for the arguments of prompts. */
  readonly sources: readonly CompletionSource[]
}

export function combineOffers(
  offers: ReadonlyMap<string, McpOffers>,
  complete: CompleteArgument,
): Offered {
  const all = [...offers]
  return {
    tools: all.flatMap(([, { tools }]) => tools),
    layers: all.map(([server, { commands }]) => ({ owner: `mcp:${server}`, commands })),
    sources: [
      ...all.map(([server, { resources }]) => resourceSource(server, resources)),
      ...all.flatMap(([, { commands }]) => commands.map((one) => argumentSource(one, complete))),
    ],
  }
}

function resourceSource(server: string, resources: McpOffers["resources"]): CompletionSource {
  const offers = resources.map(({ uri, name, description }) => ({
    value: uri,
    description: description ?? name,
  }))
  return {
    prefix: server,
    kind: "resource",
    complete: async (query, limit) => {
      const wanted = query.toLowerCase()
      const fitting = offers.filter(({ value, description }) =>
        `${value} ${description}`.toLowerCase().includes(wanted),
      )
      return fitting.slice(0, limit)
    },
  }
}

function argumentSource(command: McpCommand, complete: CompleteArgument): CompletionSource {
  return {
    prefix: `/${command.name}`,
    kind: "argument",
    complete: async (query, _limit, _signal, at) =>
      at === undefined ? [] : complete(command, { query, at }),
  }
}
