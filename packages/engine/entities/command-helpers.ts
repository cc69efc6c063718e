import type {
  CommandChange,
  SlashCommandDefinition,
  SlashCommandRow,
  Store,
} from "../store/store.ts"
import type { RegisterOptions, SlashCommandHelpers } from "./context.ts"
import type { EffectLog } from "./effect-log.ts"
import { SlashCommand, SlashCommands } from "compositor-core/contract/entities"

const HANDLER = "handler"

type CommandStore = Pick<Store, "slashCommands" | "changeCommands">

/** The commands of an entity while its handler runs: nobody else changes them meanwhile, so they are
 *  read once, and what is there already is not written (EA-014). */
export async function commandHelpers(
  store: CommandStore,
  deeds: EffectLog,
): Promise<SlashCommandHelpers> {
  const { session_id } = deeds
  const held = new Held(await store.slashCommands(session_id))
  const change = async (one: CommandChange) => {
    const effect = deeds.next(`commands:${one.type}`)
    if (held.isThere(one)) return
    await store.changeCommands({ session_id, effect, changes: [one] })
    held.rows = byName(await store.slashCommands(session_id))
  }
  return {
    get: (name) => held.rows.get(name.replace(/^\//, "")),
    list: () => [...held.rows.values()],
    register: (command, { owner = HANDLER, version }: RegisterOptions = {}) =>
      change({
        type: "register",
        owner: ownerOf(owner),
        command: { ...checked(command), ...(version === undefined ? {} : { version }) },
      }),
    unregister: (name, { owner } = {}) =>
      change({ type: "unregister", name, owner: owner ?? null }),
    replaceOwned: (owner, commands) =>
      change({ type: "replace", owner: ownerOf(owner), commands: allChecked(commands) }),
  }
}

function byName(rows: readonly SlashCommandRow[]): ReadonlyMap<string, SlashCommandRow> {
  return new Map(rows.map((row) => [row.name, row]))
}

function ownerOf(owner: string): string {
  if (owner !== "" && owner.length <= 128) return owner
  throw new Error(`${JSON.stringify(owner)} is no owner of commands`)
}

function checked(command: SlashCommandDefinition): SlashCommandDefinition {
  return SlashCommand.parse(command)
}

function allChecked(commands: readonly SlashCommandDefinition[]): SlashCommandDefinition[] {
  return SlashCommands.parse(commands)
}

class Held {
  rows: ReadonlyMap<string, SlashCommandRow>

  constructor(rows: readonly SlashCommandRow[]) {
    this.rows = byName(rows)
  }

  isThere(change: CommandChange): boolean {
    switch (change.type) {
      case "register":
        return this.#has(change.owner, change.command)
      case "unregister":
        return !this.rows
          .get(change.name)
          ?.dynamic_layers?.some(({ owner }) => change.owner === null || owner === change.owner)
      case "replace":
        return this.#hasAll(change.owner, change.commands)
    }
  }

  #hasAll(owner: string, commands: readonly SlashCommandDefinition[]): boolean {
    const named = new Set(commands.map(({ name }) => name))
    const more = [...this.rows.values()].some(
      ({ name, dynamic_layers = [] }) =>
        !named.has(name) && dynamic_layers.some((layer) => layer.owner === owner),
    )
    return !more && commands.every((command) => this.#has(owner, command))
  }

  #has(owner: string, command: SlashCommandDefinition): boolean {
    const layers = this.rows.get(command.name)?.dynamic_layers ?? []
    const layer = layers.find((one) => one.owner === owner)
    return layer !== undefined && tellOf(layer) === tellOf(command)
  }
}

function tellOf(command: SlashCommandDefinition & { readonly version?: string | undefined }) {
  const { description, arguments: hints, version } = command
  return JSON.stringify([description, hints, version])
}
