import type { CommandPart } from "compositor-core/parts/command"
import type { EditorContextPart } from "compositor-core/parts/editor-context"
import type { FileRefPart } from "compositor-core/parts/file-ref"
import type { MentionPart } from "compositor-core/parts/mention"
import { openPart, type Part, writePart } from "compositor-core/parts/table"
import type { Catalog } from "compositor-core/catalog/catalog"
import type {
  Command,
  McpCommand,
  SkillCommand,
  TemplateCommand,
} from "compositor-core/catalog/command"
import { type ExpandedPart, type Expansion, expand } from "compositor-core/catalog/expand"
import { type Skill, skillCommand } from "compositor-core/catalog/skill"
import type { CommandActions } from "compositor-core/commands/command-actions"
import type { AtOnceCommand, ComposingCommand } from "compositor-core/commands/define-command"
import type { QueueEffect } from "compositor-core/commands/queue-effect"
import { findBuiltInCommand } from "compositor-core/commands/table"
import { printAddress } from "compositor-core/compose/address"
import { partOfContext } from "compositor-core/compose/editor-context"
import { newId } from "compositor-core/message/id"
import { Refusal, type RefusalDetail } from "compositor-core/message/refusal"
import { findButtonCommand } from "./find-button-command.ts"
import {
  readCommandCall,
  argumentValues,
  refuseMissingArguments,
  rawOf,
  refuseMissing,
  typedArguments,
} from "./command-arguments.ts"
import { skillKey } from "./loaded-skills.ts"
import { type TemplateDependencies, ranParts } from "./run-template.ts"
import { promptParts, resourceParts, type ServerPartDependencies } from "./server-parts.ts"

export interface NamedPart {
  readonly id: string
  readonly part: Part
}

interface ResolveDependencies extends TemplateDependencies {
  readonly catalog: Pick<Catalog, "get">
  /** A skill that was found, whether or not it can be typed as a command. */
  skill(name: string): Skill | undefined
  /** The skills that the model has already, by `skillKey`. */
  loaded(): Promise<ReadonlySet<string>>
  /** Absent where no server is connected. */
  readonly servers?: ServerPartDependencies | undefined
  /** What a built-in command may ask for. */
  readonly actions: CommandActions
}

export interface Unresolved {
  readonly parts: readonly Part[]
  /** Parts that were resolved and admitted before, by their place: each stays what it came to. */
  readonly kept?: ReadonlyMap<number, readonly NamedPart[]> | undefined
  /** What the surface can tell of its state, for `@selection` and the like. */
  readonly contexts?: readonly EditorContextPart[] | undefined
  /** Shell commands that the user was shown and said yes to, word for word. */
  readonly approved_shell?: readonly string[] | undefined
  /** Nothing may change yet: the message is only looked at. */
  readonly is_preview?: boolean | undefined
}

export interface Resolved {
  /** What was typed and what it came to, in order; derived parts say what they derive from. */
  readonly parts: readonly NamedPart[]
  /** What acts on the session, each a row of the queue before the message (decision 6). */
  readonly actions: readonly { readonly action: QueueEffect; readonly part: CommandPart }[]
  /** What only shows something, and ran at once. */
  readonly shown: readonly { readonly command: string; readonly text: string }[]
  readonly notices: readonly RefusalDetail[]
}

/** Give every command exactly one outcome, left to right, and every mention what it stands for
 *  (CMP-041, CMP-060..065). What was typed stays; what it came to stands behind it. */
export async function resolve(rooms: ResolveDependencies, message: Unresolved): Promise<Resolved> {
  const resolving = new Resolving(rooms, message)
  for (const [at, part] of message.parts.entries())
    await (resolving.keepAll(message.kept?.get(at)) || resolving.take(part, at))
  return resolving
}

class Resolving implements Resolved {
  readonly parts: NamedPart[] = []
  readonly actions: { action: QueueEffect; part: CommandPart }[] = []
  readonly shown: { command: string; text: string }[] = []
  readonly notices: RefusalDetail[] = []
  readonly #rooms: ResolveDependencies
  readonly #message: Unresolved
  /** The skills that this message itself brings. */
  readonly #brought = new Set<string>()

  constructor(rooms: ResolveDependencies, message: Unresolved) {
    this.#rooms = rooms
    this.#message = message
  }

  /** False where there is nothing that was kept. */
  keepAll(kept: readonly NamedPart[] | undefined): boolean {
    this.parts.push(...(kept ?? []))
    for (const { part } of kept ?? [])
      if (part.type === "skill-content")
        this.#brought.add(skillKey(part.name, part.arguments ?? ""))
    return kept !== undefined
  }

  async take(part: Part, at: number) {
    if (part.type === "command") return this.#command(part, at)
    if (part.type === "mention") return this.#mention(part, at)
    if (part.type === "file-ref") return this.#reference(part, at)
    this.#keep(part)
  }

  #keep(part: Part): NamedPart {
    const named = { id: newId("prt"), part }
    this.parts.push(named)
    return named
  }

  #derive(part: Part, derived_from: string) {
    this.#keep(openPart({ ...writePart(part), derived_from }))
  }

  async #command(part: CommandPart, at: number) {
    const command = findButtonCommand(part) ?? this.#rooms.catalog.get(part.id.slice(1))
    if (!command) return this.#passThrough(part, at)
    switch (command.kind) {
      case "action":
      case "structured":
        return this.#builtIn(command, part, at)
      case "template":
      case "skill":
        return this.#template(command, part, at)
      case "entity":
        return this.#handled(part)
      case "mcp":
        return this.#prompt(command, part, at)
    }
  }

  async #builtIn(command: Command, part: CommandPart, at: number) {
    const definition = findBuiltInCommand(command.name)
    if (!definition) throw new Error(`/${command.name} is listed and has no definition`)
    const acts = definition.when !== "composes"
    if (acts && !this.#leads(at) && part.chosen !== true)
      return void this.#keep({ type: "text", text: rawOf(part) })
    refuseMissing(command, part, at)
    switch (definition.when) {
      case "queued":
        this.actions.push({
          action: definition.perform(readCommandCall(part)),
          part: { ...part, outcome: "action" },
        })
        return
      case "at-once":
        return this.#show(definition, part)
      case "composes":
        return this.#compose(definition, part, at)
    }
  }

  // What a handler's command takes is said to the model too: only its name is dropped.
  #handled(part: CommandPart) {
    this.#keep({ ...part, outcome: "handler" })
    const text = typedArguments(part)
    if (text !== "") this.#keep({ type: "text", text, argument_of: part.id })
  }

  async #prompt(command: McpCommand, part: CommandPart, at: number) {
    const said = await promptParts(this.#rooms.servers, command, { part, at })
    const { id } = this.#keep({ ...part, outcome: "mcp" })
    for (const derived of said) this.#derive(derived, id)
  }

  async #reference(part: FileRefPart, at: number) {
    const { servers } = this.#rooms
    if (part.ref.kind !== "mcp" || !servers) return void this.#keep(part)
    const found = await resourceParts(servers, part.ref)
    const { id } = this.#keep(found.type === "attached" ? { ...part, attached: true } : part)
    if (found.type === "failed") return this.#notice(at, found.reason)
    for (const derived of found.parts) this.#derive(derived, id)
  }

  // A leading command that nobody knows goes on as it was typed, and the user is told (decision 5).
  #passThrough(part: CommandPart, at: number) {
    this.#keep({ ...part, outcome: "pass-through", raw: rawOf(part) })
    if (this.#leads(at)) this.#notice(at, `${part.id} is no command here: sent as typed`)
  }

  async #show(definition: AtOnceCommand, part: CommandPart) {
    const waits = definition.changes && this.#message.is_preview === true
    const text = waits ? "" : await definition.perform(readCommandCall(part), this.#rooms.actions)
    this.shown.push({ command: part.id, text })
  }

  // A reference that stands behind the command already is not made again.
  async #compose(definition: ComposingCommand, part: CommandPart, at: number) {
    const composed = await definition.perform(readCommandCall(part), this.#rooms.actions)
    const beside = this.#message.parts.slice(at + 1).flatMap(addressIn)
    const { id } = this.#keep({ ...part, outcome: "structured" })
    for (const derived of composed)
      if (!addressIn(derived).some((address) => beside.includes(address))) this.#derive(derived, id)
  }

  async #template(command: TemplateCommand | SkillCommand, part: CommandPart, at: number) {
    const expansion = filled(command, expand(command, argumentValues(part), this.#hostValues()), at)
    const { id } = this.#keep({ ...part, outcome: command.kind })
    if (expansion.unused) this.#notice(at, `/${command.name} has no place for: ${expansion.unused}`)
    if (command.kind === "template")
      for (const derived of await this.#ran(expansion.parts)) this.#derive(derived, id)
    else await this.#skill({ name: command.skill, given: typedArguments(part) }, expansion, id)
  }

  /** A skill called by its command: what it brings, or that the model has it. */
  async #skill(call: SkillCall, expansion: Filled, derived_from: string) {
    if (await this.#isNew(call)) return this.#bring(call, expansion, derived_from)
    const { name, given } = call
    const target = { kind: "skill", name, ...(given === "" ? {} : { arguments: given }) }
    this.#derive({ type: "mention", target, ...LOADED_BEFORE }, derived_from)
  }

  #ran(parts: readonly ExpandedPart[]): Promise<Part[]> {
    return ranParts(this.#rooms, parts, this.#message.approved_shell)
  }

  /** Once for the same arguments while the model has it (decision 7). */
  async #isNew({ name, given }: SkillCall): Promise<boolean> {
    const key = skillKey(name, given)
    if (this.#brought.has(key) || (await this.#rooms.loaded()).has(key)) return false
    this.#brought.add(key)
    return true
  }

  // The body reaches the model as what the `skill` call gave out, and in no other way (CMP-062).
  async #bring({ name, given }: SkillCall, expansion: Filled, derived_from: string) {
    const parts = await this.#ran(expansion.parts)
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
    const about = given === "" ? {} : { arguments: given }
    this.#derive({ type: "skill-content", name, ...about, text, initiator: "user" }, derived_from)
    for (const part of parts) if (part.type !== "text") this.#derive(part, derived_from)
  }

  async #mention(part: MentionPart, at: number) {
    const { kind, name } = part.target
    if (kind === "skill") return this.#mentionedSkill(part, String(name), at)
    const { id } = this.#keep(part)
    if (kind === "context") await this.#mentionedContext(String(name), id, at)
  }

  async #mentionedSkill(part: MentionPart, name: string, at: number) {
    const command = this.#skillNamed(name)
    const expansion = command && expand(command, "", this.#hostValues())
    if (expansion?.type !== "parts") {
      this.#keep(part)
      return this.#notice(at, whyNoSkill(name, expansion))
    }
    const call = { name: command?.skill ?? name, given: "" }
    const isNew = await this.#isNew(call)
    const { id } = this.#keep(isNew ? part : { ...part, ...LOADED_BEFORE })
    if (isNew) await this.#bring(call, expansion, id)
  }

  // A server's or an entity's skill is only in the catalog.
  #skillNamed(name: string): SkillCommand | undefined {
    const skill = this.#rooms.skill(name)
    if (skill) return skillCommand(skill)
    const command = this.#rooms.catalog.get(name)
    return command?.kind === "skill" ? command : undefined
  }

  async #mentionedContext(name: string, id: string, at: number) {
    const found = (this.#message.contexts ?? []).filter(
      ({ kind }) => KINDS[name]?.includes(kind) ?? kind === name,
    )
    if (found.length === 0) return this.#notice(at, `nothing here says what @${name} is`)
    for (const context of found) this.#derive(await this.#told(context), id)
  }

  // Lines of a file that is not here are shown as the editor told them.
  async #told(context: EditorContextPart): Promise<Part> {
    const part = partOfContext(context)
    if (part.type !== "file-ref" || part.ref.kind !== "path") return part
    return (await this.#rooms.isFile(part.ref.path)) ? part : context
  }

  #notice(at: number, message: string) {
    this.notices.push({ path: `/parts/${at}`, message })
  }

  #hostValues(): Record<string, string> {
    const selection = this.#message.contexts?.find(({ kind }) => kind === "selection")
    const text = selection?.payload.text
    return typeof text === "string" ? { selection: text } : {}
  }

  #leads(at: number): boolean {
    const before = this.#message.parts.slice(0, at)
    return before.every((part) => part.type === "command" || isBlank(part))
  }
}

function addressIn(part: Part): string[] {
  if (part.type !== "file-ref") return []
  const { ref } = part
  return [(ref.kind === "path" ? printAddress(ref) : undefined) ?? JSON.stringify(ref)]
}

/** What a context may call itself besides the word it is asked for by. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  cursor: ["cursor", "selection"],
  last: ["last", "last-action"],
}

/** Whether commands and skills have to be known to resolve a part. */
export function asksTheCatalog({ type }: Part): boolean {
  return type === "command" || type === "mention"
}

export function isBlank(part: Part): boolean {
  return part.type === "text" && part.text.trim() === ""
}

type Filled = Extract<Expansion, { type: "parts" }>

function filled(command: TemplateCommand | SkillCommand, expansion: Expansion, at: number): Filled {
  if (expansion.type === "parts") return expansion
  if (expansion.type === "missing") throw refuseMissingArguments(command, expansion.missing, at)
  const { code, reason } = expansion
  throw new Refusal(code === "untrusted" ? "untrusted" : "invalid", reason, [
    { path: `/parts/${at}`, message: reason },
  ])
}

interface SkillCall {
  readonly name: string
  readonly given: string
}

/** Stands in the part, for the receipt to tell. */
const LOADED_BEFORE = { loaded: "before" } as const

function whyNoSkill(name: string, expansion: Exclude<Expansion, Filled> | undefined): string {
  if (!expansion) return `there is no skill ${name} here`
  if (expansion.type === "missing") return `the skill ${name} needs arguments`
  return `the skill ${name} is not loaded: ${expansion.reason}`
}
