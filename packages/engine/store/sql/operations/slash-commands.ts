import { Refusal } from "compositor-core/message/refusal"
import type { CommandChange, CommandsChanged, Effect, SlashCommandDefinition } from "../../store.ts"
import { effectiveRow, LAYERS, type LayerRecord, STATIC_OWNER } from "../slash-command-rows.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { once } from "./effects.ts"
import { tellRow } from "./tell-row.ts"

const MAX_COMMANDS = 2000

/** What a definition declares, in place of what it declared before (EA-012). */
export function* declareCommands(
  tx: Transaction,
  input: {
    readonly session_id: string
    readonly commands: readonly SlashCommandDefinition[]
    readonly digest: string
  },
): Program<CommandsChanged> {
  yield* tx.session(input.session_id)
  const { session_id, commands } = input
  const layers = new Layers(tx, session_id, yield* tx.all(LAYERS, session_id))
  layers.change({ type: "replace", owner: STATIC_OWNER, commands })
  tx.write(
    "UPDATE entities SET commands_digest = ? WHERE session_id = ?",
    input.digest,
    input.session_id,
  )
  return { changed: layers.tell(), txid: tx.txid }
}

export function* changeCommands(
  tx: Transaction,
  input: {
    readonly session_id: string
    readonly effect: Effect | null
    readonly changes: readonly CommandChange[]
  },
): Program<CommandsChanged> {
  return yield* once(tx, input, function* () {
    yield* tx.session(input.session_id)
    const layers = new Layers(tx, input.session_id, yield* tx.all(LAYERS, input.session_id))
    for (const change of input.changes) layers.change(change)
    return { changed: layers.tell(), txid: tx.txid }
  })
}

/** The layers of one entity while they change. What is told is the difference of what readers see. */
class Layers {
  readonly #tx: Transaction
  readonly #session_id: string
  readonly #before: readonly LayerRecord[]
  readonly #names = new Set<string>()
  #layers: readonly LayerRecord[]
  #position: number

  constructor(tx: Transaction, session_id: string, layers: readonly LayerRecord[]) {
    this.#tx = tx
    this.#session_id = session_id
    this.#before = layers
    this.#layers = this.#before
    this.#position = Math.max(0, ...this.#before.map(({ position }) => position))
  }

  change(change: CommandChange) {
    switch (change.type) {
      case "register":
        return this.#register(change.owner, change.command)
      case "unregister":
        return this.#unregister(change.name, change.owner)
      case "replace":
        return this.#replace(change.owner, change.commands)
    }
  }

  tell(): number {
    if (new Set(this.#layers.map(({ name }) => name)).size > MAX_COMMANDS)
      throw new Refusal("invalid", `an entity has at most ${MAX_COMMANDS} slash commands`)
    const names = [...this.#names].sort()
    return names.filter((name) => this.#tellOne(name)).length
  }

  #tellOne(name: string): boolean {
    const before = effectiveRow(this.#before.filter((layer) => layer.name === name))
    const after = effectiveRow(this.#layers.filter((layer) => layer.name === name))
    if (JSON.stringify(before) === JSON.stringify(after)) return false
    const row = { stream: this.#session_id, type: "slash_command", key: name }
    tellRow(this.#tx, row, { before, after })
    return true
  }

  // The same again changes nothing, not even whose layer is on top (EA-014).
  #register(owner: string, { name, ...rest }: SlashCommandDefinition) {
    const data_json = JSON.stringify(dataOf(rest))
    const known = this.#layers.find((layer) => layer.name === name && layer.owner === owner)
    if (known?.data_json === data_json) return
    this.#remove(name, owner)
    const layer: LayerRecord = {
      session_id: this.#session_id,
      name,
      owner,
      position: owner === STATIC_OWNER ? 0 : ++this.#position,
      data_json,
      updated_at: this.#tx.now,
    }
    this.#tx.write(
      `INSERT INTO slash_commands (session_id, name, owner, position, data_json, updated_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      layer.session_id,
      name,
      owner,
      layer.position,
      data_json,
      layer.updated_at,
    )
    this.#names.add(name)
    this.#layers = [...this.#layers, layer].toSorted((one, other) => one.position - other.position)
  }

  #unregister(name: string, owner: string | null) {
    const dynamic = this.#layers.filter(
      (layer) => layer.name === name && layer.owner !== STATIC_OWNER,
    )
    const whose = owner ?? dynamic.at(-1)?.owner
    if (whose !== undefined && whose !== STATIC_OWNER) this.#remove(name, whose)
  }

  #replace(owner: string, commands: readonly SlashCommandDefinition[]) {
    const named = new Set(commands.map(({ name }) => name))
    const gone = this.#layers.filter((layer) => layer.owner === owner && !named.has(layer.name))
    for (const { name } of gone) this.#remove(name, owner)
    for (const command of commands) this.#register(owner, command)
  }

  #remove(name: string, owner: string) {
    const isIt = (layer: LayerRecord) => layer.name === name && layer.owner === owner
    if (!this.#layers.some(isIt)) return
    this.#tx.write(
      "DELETE FROM slash_commands WHERE session_id = ? AND name = ? AND owner = ?",
      this.#session_id,
      name,
      owner,
    )
    this.#names.add(name)
    this.#layers = this.#layers.filter((layer) => !isIt(layer))
  }
}

type Data = Omit<SlashCommandDefinition, "name"> & { readonly version?: string | undefined }

function dataOf({ description, arguments: hints, version }: Data) {
  return {
    ...(description === undefined ? {} : { description }),
    ...(hints === undefined ? {} : { arguments: hints }),
    ...(version === undefined ? {} : { version }),
  }
}
