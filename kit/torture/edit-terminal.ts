import { execFileSync } from "node:child_process"
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import process from "node:process"
import type { EditJob } from "./edit.ts"

const MAIN = join(import.meta.dirname, "..", "..", "apps", "cli", "main.ts")

/** Open every message in the terminal program, in a terminal of its own, and press Enter. */
export async function editInTerminal(
  { data, folder }: { readonly data: string; readonly folder: string },
  { session, messages, saved }: EditJob,
) {
  const socket = `compositor-${randomUUID()}`
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" })
  const command = [process.execPath, MAIN, "--data", data, "-s", session]
  const words = ["env", "NO_COLOR=1", ...command].map((word) => `'${word}'`).join(" ")
  tmux("new-session", "-d", "-x", "160", "-y", "70", "-c", folder, words)
  const shows = async (text: string, is = true) => {
    for (const end = Date.now() + 60_000; Date.now() < end; ) {
      if (tmux("capture-pane", "-p").includes(text) === is) return
      await new Promise((resolve) => setTimeout(resolve, 30))
    }
    throw new Error(
      `the screen never ${is ? "showed" : "lost"} ${text}:\n${tmux("capture-pane", "-p")}`,
    )
  }
  try {
    await shows(`${messages.length + 1} queued`)
    for (const [at, message] of messages.entries()) {
      tmux("send-keys", "C-q")
      await shows("e edit")
      for (let down = 0; down <= at; down++) tmux("send-keys", "Down")
      tmux("send-keys", "e")
      await shows("editing a queued message")
      tmux("send-keys", "Enter")
      await shows("editing a queued message", false)
      await saved(message)
    }
  } finally {
    tmux("kill-server")
  }
}
