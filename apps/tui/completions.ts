import type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
} from "@earendil-works/pi-tui"
import type { Client, CompletionItem } from "compositor-client/client"
import { LOCAL_COMMANDS } from "./local-commands.ts"
import { cleanForScreen } from "./terminal-text.ts"

const LIMIT = 20

/** What could be meant at the cursor, by the server that the browser asks too. */
export class TerminalCompletions implements AutocompleteProvider {
  readonly triggerCharacters = ["@", "/"]
  readonly #where: () => { client: Client; session: string } | undefined

  constructor(where: () => { client: Client; session: string } | undefined) {
    this.#where = where
  }

  async getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    { signal }: { signal: AbortSignal },
  ): Promise<AutocompleteSuggestions | null> {
    const where = this.#where()
    if (!where) return null
    const before = [...lines.slice(0, cursorLine), ""].join("\n").length
    const source = lines.join("\n")
    const cursor = before + cursorCol
    const { client, session } = where
    const asked = { session, source, cursor, limit: LIMIT }
    // A palette shows what there is: who types on has no use for an error.
    const answer = await client.commands.complete(asked, signal).catch(() => undefined)
    if (!answer) return null
    const { from, items } = answer
    // A completion that begins on an earlier line is none that this editor can show.
    if (from < before) return null
    const prefix = source.slice(from, cursor)
    const all = [...items.map(itemOf), ...localItems(prefix, from)]
    return all.length === 0 ? null : { items: all, prefix }
  }

  applyCompletion(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    item: AutocompleteItem,
    prefix: string,
  ) {
    const line = lines[cursorLine] ?? ""
    const start = cursorCol - prefix.length
    const rest = line.slice(cursorCol)
    const isWhole = /[\s/]$/.test(item.value) || rest.startsWith(" ")
    const value = isWhole ? item.value : `${item.value} `
    return {
      lines: lines.with(cursorLine, `${line.slice(0, start)}${value}${rest}`),
      cursorLine,
      cursorCol: start + value.length,
    }
  }

  shouldTriggerFileCompletion(): boolean {
    return true
  }
}

function itemOf({ kind, insert, label, description, hint }: CompletionItem): AutocompleteItem {
  const about = [hint, description].filter((words) => words !== undefined && words !== "")
  return {
    value: insert,
    label: cleanForScreen(kind === "command" ? `/${label}` : label),
    ...(about.length > 0 ? { description: cleanForScreen(about.join("  ")) } : {}),
  }
}

/** What only a terminal knows, where a command can lead the message. */
function localItems(prefix: string, from: number): AutocompleteItem[] {
  if (from !== 0 || !prefix.startsWith("/")) return []
  return LOCAL_COMMANDS.filter(({ name }) => `/${name}`.startsWith(prefix)).map(
    ({ name, about }) => ({ value: `/${name}`, label: `/${name}`, description: about }),
  )
}
