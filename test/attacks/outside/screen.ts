// The terminal program in tmux, as a person sees it.

import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { onTestFinished } from "vitest"
import { commandLine, type Environment, environmentOf, type Folders, until } from "./product.ts"

export interface ScreenOptions {
  readonly columns?: number
  readonly rows?: number
  readonly environment?: Environment
}

/** Start the command line with these words (none: the terminal program) in a window of its own. */
export function openScreen(
  folders: Folders,
  words: readonly string[] = [],
  { columns = 100, rows = 30, environment = {} }: ScreenOptions = {},
): Screen {
  const settings = Object.entries({ NO_COLOR: "1", ...environmentOf(folders, environment) })
  const command = [
    "env",
    ...settings.map(([name, value]) => `${name}=${value}`),
    ...commandLine(words),
  ].map((word) => `'${word.replaceAll("'", `'\\''`)}'`)
  const screen = new Screen()
  onTestFinished(() => screen.close())
  screen.tmux(
    "new-session",
    "-d",
    "-x",
    `${columns}`,
    "-y",
    `${rows}`,
    "-c",
    folders.workspace,
    command.join(" "),
  )
  return screen
}

export class Screen {
  readonly #socket = `compositor-${randomUUID()}`

  /** Type words, then press keys by their tmux names. */
  type(text: string, ...keys: readonly string[]): void {
    if (text !== "") this.tmux("send-keys", "-l", text)
    for (const key of keys) this.tmux("send-keys", key)
  }

  get text(): string {
    const lines = this.tmux("capture-pane", "-p").split("\n")
    return lines
      .map((line) => line.trimEnd())
      .join("\n")
      .trim()
  }

  async shows(words: string | RegExp): Promise<string> {
    const isThere = () =>
      typeof words === "string" ? this.text.includes(words) : words.test(this.text)
    await until(isThere, `the screen showed ${String(words)}`).catch((error: Error) => {
      throw new Error(`${error.message}\n${this.text}`)
    })
    return this.text
  }

  close(): void {
    try {
      this.tmux("kill-server")
    } catch {
      // It is gone already.
    }
  }

  tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-L", this.#socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
    })
  }
}
