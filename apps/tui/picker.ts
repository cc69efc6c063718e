import {
  type Component,
  Input,
  matchesKey,
  type SelectItem,
  SelectList,
} from "@earendil-works/pi-tui"
import { escapeForScreen, oneLine, wrapText } from "./terminal-text.ts"
import type { TerminalTheme } from "./theme.ts"

export interface PickerChoice {
  readonly value: string
  readonly label: string
  readonly description?: string
}

export interface PickerOptions {
  readonly title: string
  /** What there is to read before one chooses. */
  readonly about?: string
  readonly choices: readonly PickerChoice[]
  /** Whether typing narrows the list down. */
  readonly filter: boolean
  readonly theme: TerminalTheme
  /** Null when nothing was chosen. */
  readonly done: (value: string | null) => void
}

const VISIBLE = 8

/** A list from which one thing is chosen, in the place of the composer. */
export class TerminalPicker implements Component {
  readonly #options: PickerOptions
  readonly #input = new Input()
  #list: SelectList
  #isEmpty = false

  constructor(options: PickerOptions) {
    this.#options = options
    this.#list = this.#listOf("")
  }

  handleInput(data: string) {
    if (matchesKey(data, "escape") || matchesKey(data, "ctrl+c")) return this.#options.done(null)
    if (NAVIGATION.some((key) => matchesKey(data, key))) return this.#list.handleInput(data)
    if (!this.#options.filter) return
    this.#input.handleInput(data)
    this.#list = this.#listOf(this.#input.getValue())
  }

  invalidate() {
    this.#list.invalidate()
  }

  render(width: number): string[] {
    const { title, about = "", filter, theme } = this.#options
    const head = filter
      ? [theme.strong(oneLine(`${title}: ${this.#input.getValue()}`, width))]
      : wrapText(escapeForScreen(title), width).map(theme.strong)
    const lines = about === "" ? [] : wrapText(escapeForScreen(about), width)
    const choices = this.#isEmpty
      ? [theme.quiet(oneLine("  nothing fits these words", width))]
      : this.#list.render(width)
    return [...head, ...lines, ...choices]
  }

  #listOf(query: string): SelectList {
    const { choices, theme, done } = this.#options
    const words = query.toLowerCase().split(/\s+/)
    const isMeant = ({ label, description = "" }: PickerChoice) =>
      words.every((word) => `${label} ${description}`.toLowerCase().includes(word))
    const items: SelectItem[] = choices.filter(isMeant).map((choice) => ({ ...choice }))
    this.#isEmpty = items.length === 0
    const list = new SelectList(items, VISIBLE, theme.list)
    list.onSelect = ({ value }) => done(value)
    list.onCancel = () => done(null)
    return list
  }
}

const NAVIGATION = ["up", "down", "enter"] as const
