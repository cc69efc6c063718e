import type { CompletionAnswer, CompletionItem, ListedCommand } from "compositor-client/client"
import type { PageStore } from "../state/store.ts"
import { strings } from "../state/strings.ts"

/** What could be meant at the cursor: what the server offers, and before it what the entity that
 *  answers here has registered. A command that nobody knew yet is learnt, so that it is a chip too. */
export async function completeIn(
  store: PageStore,
  { source, cursor }: { readonly source: string; readonly cursor: number },
  signal: AbortSignal,
): Promise<CompletionAnswer> {
  const { current, commands, vocabulary } = store.read()
  const where = current ? { session: current } : {}
  const answer = await store.client.commands.complete({ source, cursor, ...where }, signal)
  const names = answer.items.filter(({ kind }) => kind === "command").map(nameOf)
  if (names.some((name) => !vocabulary.commands.has(name))) void store.readCommands()
  const typed = /^\/(\S*)$/.exec(source.slice(answer.from, cursor))?.[1]
  if (typed === undefined) return answer
  const own = commands.filter(({ command }) => command.kind === "entity")
  const offered = own.filter(({ name }) => name.includes(typed) && !names.includes(name))
  const isSide = current && answer.from === 0 && typed !== "" && "side".startsWith(typed)
  const side = isSide && !vocabulary.commands.has("side") ? [SIDE] : []
  return { ...answer, items: [...offered.map(itemOf), ...side, ...answer.items] }
}

/** The page's own command: the server does not hear of it. */
const SIDE: CompletionItem = {
  kind: "command",
  insert: "/side ",
  label: "side",
  positions: [],
  description: strings.composer.side,
  hint: strings.composer.sideHint,
}

function nameOf({ insert }: CompletionItem): string {
  return insert.trim().replace(/^\//, "")
}

function itemOf({ name, command: { description, argument_hint } }: ListedCommand): CompletionItem {
  return {
    kind: "command",
    insert: `/${name} `,
    label: name,
    positions: [],
    ...(description === undefined ? {} : { description }),
    ...(argument_hint === undefined ? {} : { hint: argument_hint }),
  }
}
