import type { EditorContextPart } from "../../packages/core/parts/editor-context.ts"
import type { Part } from "../../packages/core/parts/table.ts"
import { BUILTINS } from "../../packages/core/commands/table.ts"
import { Catalog, vocabulary } from "../../packages/core/catalog/catalog.ts"
import type { Command } from "../../packages/core/catalog/command.ts"
import type { Skill } from "../../packages/core/catalog/skill.ts"
import { DEFAULT_CONTEXTS, type Vocabulary } from "../../packages/core/compose/vocabulary.ts"
import { attachment } from "../build.ts"

/** A message of everything that can be typed, and what must become of it. */
export interface Babble {
  readonly source: string
  readonly parts: readonly Part[]
  readonly contexts: readonly EditorContextPart[]
  /** What stands in recognised tokens and nowhere else: no model is shown it. */
  readonly secret: readonly string[]
  /** What must arrive as it is. */
  readonly verbatim: readonly string[]
}

const SOURCE = { tool: "compositor", scope: "user", owner: "user" } as const
const NOTHING_ELSE = { source: SOURCE, trust: "trusted" } as const

/** 500 commands, 100 skills and 100 files whose names are random words. The last fifth of each is
 *  never typed as a token: it stands in fences, addresses and files only, where it means nothing. */
export class Babbler {
  readonly catalog: Catalog
  readonly known: Vocabulary
  readonly skills: ReadonlyMap<string, Skill>
  readonly files: ReadonlyMap<string, readonly string[]>
  readonly #random: () => number
  readonly #commands: readonly Command[]
  readonly #skillNames: readonly string[]
  readonly #contexts: readonly string[]

  constructor(seed: number) {
    this.#random = seeded(seed)
    this.#commands = Array.from({ length: 500 }, () => this.#command())
    this.#skillNames = Array.from({ length: 100 }, () => this.#word())
    this.#contexts = Array.from({ length: 20 }, () => this.#word())
    this.skills = new Map(this.#skillNames.map((name) => [name, skill(name)]))
    const slashes = this.#skillNames.map((name) => slashOf(this.#word(), name))
    this.catalog = new Catalog([
      { owner: "builtin", commands: BUILTINS },
      { owner: "user", commands: [...this.#commands, ...slashes] },
    ])
    this.known = {
      ...vocabulary(this.catalog),
      mentions: ["ticket"],
      contexts: [...DEFAULT_CONTEXTS, ...this.#contexts],
      servers: ["docs"],
    }
    this.files = new Map(Array.from({ length: 100 }, () => this.#file()))
  }

  message(): Babble {
    const isLed = this.#random() < 0.1
    const told: Told = { parts: [], contexts: [], secret: [], verbatim: [], isArgument: isLed }
    const segments = [this.#prose(told), ...this.#some(3, () => this.#called(told))]
    if (isLed) segments.unshift(this.#branching(told))
    if (this.#random() < 0.3) this.#attach(told)
    for (const name of this.#contexts) if (isAbsent(name, told)) told.secret.push(name)
    const { isArgument: _, ...babble } = told
    return { source: segments.filter(Boolean).join(" "), ...babble }
  }

  /** Words, tokens, and what looks like tokens. */
  #prose(told: Told): string {
    return this.#some(5, () => (this.#random() < 0.5 ? this.#token(told) : this.#lookalike(told)))
      .filter(Boolean)
      .join(" ")
  }

  /** A command with arguments. Only what `$ARGUMENTS` takes arrives, so only there is more said. */
  #called(told: Told): string {
    if (this.#random() < 0.2) {
      const slash = this.#pick([...this.catalog.names().values()].filter(isSlashOfSkill))
      told.secret.push(slash.name)
      return `/${slash.name}`
    }
    const command = this.#pick(this.#commands.slice(0, 400))
    told.secret.push(command.name)
    if (takesAll(command)) return `/${command.name} ${this.#prose({ ...told, isArgument: true })}`
    const unheard = this.#word()
    if (bodyOf(command) === NO_SLOTS) told.secret.push(unheard)
    return `/${command.name} ${unheard} two`
  }

  /** An action on the session leads, and nothing of it is said to a model. */
  #branching(told: Told): string {
    const title = this.#word()
    told.secret.push(title)
    return `/branch ${title} /${this.#leading(told)}`
  }

  #leading(told: Told): string {
    const command = this.#pick(this.#commands.slice(0, 400).filter(takesAll))
    told.secret.push(command.name)
    return command.name
  }

  #token(told: Told): string {
    const word = this.#word()
    const shown = (literal: string) => {
      told.secret.push(literal)
      return literal
    }
    // Among arguments, what a reference names stands in its place.
    const hidden = (prefix: string) => {
      told.secret.push(told.isArgument ? `${prefix}${word}` : word)
      return `${prefix}${word}`
    }
    const [path, lines] = this.#pick([...this.files].slice(0, 80))
    const [first = "", ...others] = lines
    const refer = (literal: string, verbatim: readonly string[]) => {
      told.verbatim.push(verbatim.join("\n"))
      told.secret.push(`@${path}`, `@file:${path}`, `@"${path}"`)
      return literal
    }
    const tokens: readonly (() => string)[] = [
      () => refer(`@file:${path}`, lines),
      () => refer(`@${path}`, lines),
      () => refer(`@"${path}"`, lines),
      () => {
        told.secret.push(first)
        return refer(`@${path}#L2-${lines.length}`, others)
      },
      () => shown(`@skill:${this.#pick(this.#skillNames.slice(0, 80))}`),
      () => hidden("@ticket:"),
      () => hidden("@branch:"),
      () => shown(`@symbol:${word}`),
      () => shown(`@docs:guide/${word}`),
      () => this.#context(told),
    ]
    // What one reference to a file hides, no other may show.
    const isNew = !told.secret.includes(`@${path}`)
    return this.#pick(isNew ? tokens : tokens.slice(4))()
  }

  /** What the editor says of itself is shown, and how it was asked for is not. */
  #context(told: Told): string {
    const name = this.#pick(this.#contexts)
    told.secret.push(`@${name}`)
    if (this.#random() < 0.5 || told.contexts.some(({ kind }) => kind === name)) return `@${name}`
    const payload = { word: this.#word() }
    told.verbatim.push(payload.word)
    told.contexts.push({ type: "editor-context", kind: name, payload, emitted_at: 1 })
    return `@${name}`
  }

  #lookalike(told: Told): string {
    const word = this.#word()
    const said = (text: string, around = text) => {
      told.verbatim.push(text)
      return around
    }
    const quoted = this.#quoted()
    const forms: readonly (() => string)[] = [
      () => said(quoted, `\n\`\`\`sh\n${quoted}\n\`\`\`\n`),
      () => said(`\`${quoted}\``),
      () => said(`https://example.test/${quoted.replaceAll(" ", "/")}`),
      () => said(`${word}@skill.example`),
      () => said(`/usr/${word}/${this.#spare()}`),
      () => said(`/no-${word} here`, `so /no-${word} here`),
      () => said(`@${word} is nobody`),
      () => said(`don't /clear ${word} yet`),
      () => said(`plain ${word}`),
    ]
    return this.#pick(forms)()
  }

  #attach(told: Told) {
    const text = `${this.#quoted()}\n${this.#quoted()}`
    told.verbatim.push(text)
    told.parts.push(attachment(`note-${this.#word()}.txt`, Buffer.from(text), "text/plain"))
  }

  /** Tokens of names that this host has, where they mean nothing. */
  #quoted(): string {
    const [path] = this.#pick([...this.files].slice(80))
    const skill = this.#pick(this.#skillNames.slice(80))
    return `/${this.#spare()} one @skill:${skill} @file:${path} @selection`
  }

  #spare(): string {
    return this.#pick(this.#commands.slice(400)).name
  }

  #file(): [string, string[]] {
    const lines = this.#some(4, () => `/${this.#spare()} ${this.#word()} @skill:${this.#skill()}`)
    return [
      `src/f-${this.#word()}.txt`,
      [`first ${this.#word()}`, `/clear ${this.#word()}`, ...lines],
    ]
  }

  #skill(): string {
    return this.#pick(this.#skillNames.slice(80))
  }

  #command(): Command {
    const body = this.#pick([NO_SLOTS, "Do: $ARGUMENTS", "First $1, then $2."])
    return { ...NOTHING_ELSE, kind: "template", name: this.#word(), dialect: "compositor", body }
  }

  #word(): string {
    const digits = () =>
      Math.floor(this.#random() * 36 ** 5)
        .toString(36)
        .padStart(5, "0")
    return `w${digits()}${digits()}z`
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item
  }

  #some<Item>(most: number, make: () => Item): Item[] {
    return Array.from({ length: Math.floor(this.#random() * (most + 1)) }, make)
  }
}

interface Told {
  readonly isArgument: boolean
  readonly parts: Part[]
  readonly contexts: EditorContextPart[]
  readonly secret: string[]
  readonly verbatim: string[]
}

/** Asked for, and nothing says what it is: not even its name is shown (CMP-065). */
function isAbsent(context: string, { secret, contexts }: Told): boolean {
  return secret.includes(`@${context}`) && contexts.every(({ kind }) => kind !== context)
}

const NO_SLOTS = "Look closely."

function bodyOf(command: Command): string {
  return command.kind === "template" ? command.body : ""
}

function takesAll(command: Command): boolean {
  return bodyOf(command).includes("$ARGUMENTS")
}

function isSlashOfSkill({ command }: { readonly command: Command }): boolean {
  return command.kind === "skill"
}

const BODY = "Be careful."

function skill(name: string): Skill {
  const about = { description: "When care is needed.", digest: "sha256:0", folder: "/skills" }
  const may = { user_invocable: true, model_invocable: true, resources: [] }
  return { ...NOTHING_ELSE, name, ...about, dialect: "skill", body: BODY, ...may }
}

/** Typed by another name than the skill has, which is the one a model is shown. */
function slashOf(name: string, skill: string): Command {
  return { ...NOTHING_ELSE, kind: "skill", name, skill, dialect: "skill", body: BODY }
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
