import { structuredParts } from "../catalog/builtin.ts"
import type { Catalog } from "../catalog/catalog.ts"
import type {
  ActionCommand,
  Command,
  CommandArgument,
  SkillCommand,
  TemplateCommand,
} from "../catalog/command.ts"
import { type ExpandedPart, expand } from "../catalog/expand.ts"
import type { Given } from "../catalog/values.ts"
import { newId } from "../message/id.ts"
import type {
  CommandPart,
  EditorContextPart,
  MentionPart,
  Part,
  UnknownPart,
} from "../message/part.ts"
import { Refusal, type RefusalDetail } from "../message/refusal.ts"
import type { SessionAction } from "../store/store.ts"
import { sessionAction } from "./actions.ts"

export interface NamedPart {
  readonly id: string
  readonly part: Part | UnknownPart
}

export interface ResolveRooms {
  readonly catalog: Pick<Catalog, "get" | "list">
  /** Run a command that the user has seen and approved; its output comes back as text. */
  shell(command: string): Promise<string>
}

export interface Unresolved {
  readonly parts: readonly (Part | UnknownPart)[]
  /** What the surface can tell of its state, for `@selection` and the like. */
  readonly contexts?: readonly EditorContextPart[] | undefined
  /** Shell commands that the user was shown and said yes to, word for word. */
  readonly approved_shell?: readonly string[] | undefined
}

export interface Resolved {
  /** What was typed and what it came to, in order; derived parts say what they derive from. */
  readonly parts: readonly NamedPart[]
  /** What acts on the session, each a row of the queue before the message (decision 6). */
  readonly actions: readonly { readonly action: SessionAction; readonly part: CommandPart }[]
  /** What only shows something, and ran at once. */
  readonly shown: readonly { readonly command: string; readonly text: string }[]
  readonly notices: readonly RefusalDetail[]
}

/** Give every command exactly one outcome, left to right, and every mention what it stands for
 *  (CMP-041, CMP-060..065). What was typed stays; what it came to stands behind it. */
export async function resolve(rooms: ResolveRooms, message: Unresolved): Promise<Resolved> {
  const resolving = new Resolving(rooms, message)
  for (const [at, part] of message.parts.entries()) await resolving.take(part, at)
  return resolving
}

class Resolving implements Resolved {
  readonly parts: NamedPart[] = []
  readonly actions: { action: SessionAction; part: CommandPart }[] = []
  readonly shown: { command: string; text: string }[] = []
  readonly notices: RefusalDetail[] = []
  readonly #rooms: ResolveRooms
  readonly #message: Unresolved

  constructor(rooms: ResolveRooms, message: Unresolved) {
    this.#rooms = rooms
    this.#message = message
  }

  async take(part: Part | UnknownPart, at: number) {
    if (part.type === "command") return this.#command(part as CommandPart, at)
    const { id } = this.#keep(part)
    if (part.type === "mention") this.#mention(part as MentionPart, id, at)
  }

  #keep(part: Part | UnknownPart): NamedPart {
    const named = { id: newId("prt"), part }
    this.parts.push(named)
    return named
  }

  #derive(part: Part, derived_from: string) {
    this.#keep({ ...part, derived_from })
  }

  async #command(part: CommandPart, at: number) {
    const command = this.#rooms.catalog.get(part.id.slice(1))
    if (!command) return this.#passThrough(part, at)
    switch (command.kind) {
      case "action":
        return this.#action(command, part, at)
      case "structured":
        return this.#structured(command, part, at)
      case "template":
      case "skill":
        return this.#template(command, part, at)
      case "entity":
        return void this.#keep({ ...part, outcome: "handler" })
      case "mcp":
        throw new Refusal("untrusted", `/${command.name} belongs to a server that is not connected`)
    }
  }

  // A leading command that nobody knows goes on as it was typed, and the user is told (decision 5).
  #passThrough(part: CommandPart, at: number) {
    this.#keep({ ...part, outcome: "pass-through", raw: rawOf(part) })
    if (this.#leads(at))
      this.notices.push({
        path: `/parts/${at}`,
        message: `${part.id} is no command here: sent as typed`,
      })
  }

  #action(command: ActionCommand, part: CommandPart, at: number) {
    if (!this.#leads(at) && part.chosen !== true)
      return void this.#keep({ type: "text", text: rawOf(part) })
    if (command.runs === "at-once") return this.#show(command, part)
    const action = sessionAction(command.name, typedArguments(part))
    this.actions.push({ action, part: { ...part, outcome: "action" } })
  }

  #show(command: ActionCommand, part: CommandPart) {
    if (command.name !== "help") {
      this.shown.push({ command: part.id, text: "" })
      return
    }
    const asked = typedArguments(part).replace(/^\//, "")
    const entries = this.#rooms.catalog.list().filter(({ name }) => asked === "" || name === asked)
    const lines = entries.map(
      ({ name, command: { description } }) => `/${name}  ${description ?? ""}`,
    )
    this.shown.push({ command: part.id, text: lines.join("\n") })
  }

  #structured(command: Extract<Command, { kind: "structured" }>, part: CommandPart, at: number) {
    const outcome = structuredParts(command, typedArguments(part))
    if (outcome.type === "missing") throw missing(command, outcome.missing, at)
    const { id } = this.#keep({ ...part, outcome: "structured" })
    for (const derived of outcome.parts) this.#derive(derived, id)
  }

  async #template(command: TemplateCommand | SkillCommand, part: CommandPart, at: number) {
    const expansion = expand(command, givenOf(part), this.#hostValues())
    if (expansion.type === "missing") throw missing(command, expansion.missing, at)
    if (expansion.type === "refused")
      throw new Refusal(
        expansion.code === "untrusted" ? "untrusted" : "invalid",
        expansion.reason,
        [{ path: `/parts/${at}`, message: expansion.reason }],
      )
    const { id } = this.#keep({ ...part, outcome: command.kind })
    if (expansion.unused)
      this.notices.push({
        path: `/parts/${at}`,
        message: `/${command.name} has no place for: ${expansion.unused}`,
      })
    const parts = await this.#ran(expansion.parts)
    if (command.kind === "template") for (const derived of parts) this.#derive(derived, id)
    else this.#skill(command.skill, typedArguments(part), parts, id)
  }

  async #ran(parts: readonly ExpandedPart[]): Promise<Part[]> {
    const commands = parts.flatMap((part) => (part.type === "shell" ? [part.command] : []))
    const approved = new Set(this.#message.approved_shell ?? [])
    const unseen = commands.filter((command) => !approved.has(command))
    if (unseen.length > 0)
      throw new Refusal(
        "shell_approval",
        `this command runs ${unseen.length === 1 ? "a shell command" : "shell commands"}: approve what is shown`,
        unseen.map((command, at) => ({ path: `/approved_shell/${at}`, message: command })),
      )
    return Promise.all(parts.map((part) => this.#partOf(part)))
  }

  async #partOf(part: ExpandedPart): Promise<Part> {
    if (part.type === "shell") return { type: "text", text: await this.#rooms.shell(part.command) }
    if (part.type === "file-ref") return { type: "file-ref", ref: part.ref }
    return part
  }

  // The body reaches the model as what the `skill` call gave out, and in no other way (CMP-062).
  #skill(name: string, given: string, parts: readonly Part[], derived_from: string) {
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("")
    const about = given === "" ? {} : { arguments: given }
    this.#derive({ type: "skill-content", name, ...about, text, initiator: "user" }, derived_from)
    for (const part of parts) if (part.type !== "text") this.#derive(part, derived_from)
  }

  #mention(part: MentionPart, id: string, at: number) {
    const { kind, name } = part.target
    if (kind === "skill") this.#mentionedSkill(String(name), id, at)
    if (kind === "context") this.#mentionedContext(String(name), id, at)
  }

  #mentionedSkill(name: string, id: string, at: number) {
    const command = this.#rooms.catalog.get(name)
    if (command?.kind !== "skill") return this.#notice(at, `there is no skill ${name} here`)
    if (command.trust !== "trusted") return this.#notice(at, `the skill ${name} is not trusted yet`)
    const expansion = expand(command, "")
    if (expansion.type !== "parts") return this.#notice(at, `the skill ${name} needs arguments`)
    const parts = expansion.parts.flatMap((one): Part[] => (one.type === "text" ? [one] : []))
    this.#skill(name, "", parts, id)
  }

  #mentionedContext(name: string, id: string, at: number) {
    const found = (this.#message.contexts ?? []).filter(
      ({ kind }) => KINDS[name]?.includes(kind) ?? kind === name,
    )
    if (found.length === 0) return this.#notice(at, `nothing here says what @${name} is`)
    for (const context of found) this.#derive(context, id)
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

/** What a context may call itself besides the word it is asked for by. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  cursor: ["cursor", "selection"],
  last: ["last", "last-action"],
}

function isBlank(part: Part | UnknownPart): boolean {
  return part.type === "text" && String(part.text).trim() === ""
}

/** What stands behind the command, with the names of what it refers to in place of references. */
function typedArguments(part: CommandPart): string {
  const { raw, text } = part.args
  if (typeof raw === "string") return (typeof text === "string" ? text : raw).trim()
  return Object.values(part.args).map(String).join(" ")
}

function rawOf(part: CommandPart): string {
  return typeof part.raw === "string" ? part.raw : typedForm(part)
}

function typedForm(part: CommandPart): string {
  return `${part.id} ${typedArguments(part)}`.trim()
}

function givenOf(part: CommandPart): Given {
  const { raw, ...rest } = part.args
  if (raw === undefined) return strings(rest)
  const { text: _, ...named } = rest
  return Object.keys(named).length === 0 ? typedArguments(part) : strings(named)
}

function strings(record: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, String(value)]))
}

function missing(command: Command, needed: readonly CommandArgument[], at: number): Refusal {
  const names = needed.map(({ name }) => name).join(", ")
  return new Refusal(
    "missing_arguments",
    `/${command.name} needs ${names}`,
    needed.map(({ name, type, description }) => ({
      path: `/parts/${at}/args/${name}`,
      message: [`${name} (${type}) is needed`, description].filter(Boolean).join(": "),
    })),
  )
}
