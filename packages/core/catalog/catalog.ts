import { type Arrangement, arrange, type NamedCommand, type Hidden } from "./arrange.ts"
import type { Command, CommandKind } from "./command.ts"
import type { CommandFileFinding } from "./finding.ts"

/** What one owner brings: the files of the project, the prompts of a server, an entity's own. */
export interface CommandLayer {
  readonly owner: string
  readonly commands: readonly Command[]
  /** What was noticed while the layer was read. */
  readonly findings?: readonly CommandFileFinding[]
}

/** The commands that can be typed, in layers by owner. What an owner learns while it runs hides
 *  what it declared; unlearnt, the declared one is there again (EA-013). */
export class Catalog {
  readonly #declared = new Map<string, CommandLayer>()
  readonly #learnt = new Map<string, Map<string, Command>>()
  #arrangement: Arrangement | undefined
  #revision = 0

  constructor(layers: readonly CommandLayer[] = []) {
    for (const layer of layers) this.declare(layer)
  }

  /** Grows with every change, so that a reader knows when to look again. */
  get revision(): number {
    return this.#revision
  }

  /** Put an owner's layer in, or in place of the one before. False when nothing changed. */
  declare(layer: CommandLayer): boolean {
    if (isSame(this.#declared.get(layer.owner), layer)) return false
    this.#declared.set(layer.owner, layer)
    return this.#changed()
  }

  /** Take away everything an owner declared or learnt. */
  remove(owner: string): boolean {
    const declared = this.#declared.delete(owner)
    const learnt = this.#learnt.delete(owner)
    return declared || learnt ? this.#changed() : false
  }

  /** By name, for one owner; the same command again changes nothing (EA-014). */
  register(owner: string, command: Command): boolean {
    const learnt = this.#learnt.get(owner) ?? new Map<string, Command>()
    if (isSame(learnt.get(command.name), command)) return false
    this.#learnt.set(owner, learnt.set(command.name, command))
    return this.#changed()
  }

  unregister(owner: string, name: string): boolean {
    return this.#learnt.get(owner)?.delete(name) ? this.#changed() : false
  }

  /** For a loader that knows its whole set. */
  replaceOwned(owner: string, commands: readonly Command[]): boolean {
    const before = [...(this.#learnt.get(owner)?.values() ?? [])]
    if (isSame(before, commands)) return false
    this.#learnt.set(owner, new Map(commands.map((command) => [command.name, command])))
    return this.#changed()
  }

  /** The command that is meant by what was typed after the slash. */
  get(typed: string): Command | undefined {
    return this.entry(typed)?.command
  }

  entry(typed: string): NamedCommand | undefined {
    return this.#arranged().byName.get(typed)
  }

  /** Every name and spelling, with the command it means. */
  names(): ReadonlyMap<string, NamedCommand> {
    return this.#arranged().byName
  }

  list(): readonly NamedCommand[] {
    return this.#arranged().entries
  }

  /** The commands that cannot be typed, each with what stands before it. */
  hidden(): readonly Hidden[] {
    return this.#arranged().hidden
  }

  findings(): readonly CommandFileFinding[] {
    return [...this.#declared.values()].flatMap((layer) => layer.findings ?? [])
  }

  #arranged(): Arrangement {
    this.#arrangement ??= arrange(this.#effective())
    return this.#arrangement
  }

  #effective(): Command[] {
    const owners = new Set([...this.#declared.keys(), ...this.#learnt.keys()])
    return [...owners].flatMap((owner) => {
      const learnt = this.#learnt.get(owner) ?? new Map<string, Command>()
      const declared = this.#declared.get(owner)?.commands ?? []
      return [...declared.filter(({ name }) => !learnt.has(name)), ...learnt.values()]
    })
  }

  #changed(): true {
    this.#arrangement = undefined
    this.#revision += 1
    return true
  }
}

function isSame(before: unknown, after: unknown): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(after)
}

/** Everything that can be typed after a slash, and of which kind it is: what a parser asks for. */
interface CommandVocabulary {
  readonly commands: ReadonlyMap<string, CommandKind>
}

/** The same object until the catalog changes, so that what was prepared for it can be kept. */
export function vocabulary(catalog: Pick<Catalog, "names">): CommandVocabulary {
  const names = catalog.names()
  const known = vocabularies.get(names)
  if (known) return known
  const commands = new Map(Array.from(names, ([name, { command }]) => [name, command.kind]))
  const vocabulary = { commands }
  vocabularies.set(names, vocabulary)
  return vocabulary
}

const vocabularies = new WeakMap<ReadonlyMap<string, NamedCommand>, CommandVocabulary>()
