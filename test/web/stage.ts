import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { AxeBuilder } from "@axe-core/playwright"
import type { Browser, BrowserContext, Locator, Page } from "playwright-core"
import { onTestFinished } from "vitest"
import { buildPage } from "../../scripts/build.ts"
import { createClient } from "../../packages/client/client.ts"
import { mirror } from "../../packages/engine/providers/mirror.ts"
import {
  type RecordedCall,
  type ScriptStep,
  scriptedProvider,
} from "../../packages/engine/providers/scripted.ts"
import { type Running, serve } from "../../packages/server/serve.ts"
import { connectChromium } from "../chromium.ts"

/** The page, built, and a browser to see it in. */
export async function openBrowser(): Promise<Browser> {
  await buildPage()
  return connectChromium()
}

/** The real server over a folder of its own, with a model that says what a test wants, when it wants.
 *  "hold" in a message makes the answer wait in its middle, and "fail" makes it fail there. */
export class Theatre {
  readonly #data: string
  readonly #workspace: string
  #held = Promise.withResolvers<void>()
  #running: Running | undefined
  #port = 0

  private constructor(data: string, workspace: string) {
    this.#data = data
    this.#workspace = workspace
  }

  static async open(): Promise<Theatre> {
    const root = await mkdtemp(join(tmpdir(), "compositor-web-"))
    const theatre = new Theatre(join(root, "data"), root)
    onTestFinished(async () => {
      theatre.release()
      await theatre.close()
      await rm(root, { recursive: true, force: true })
    })
    await furnish(root)
    await theatre.serve()
    return theatre
  }

  async serve() {
    const providers = new Map([
      ["mirror", scriptedProvider((call) => this.#answer(call))],
      ["scripted", mirror()],
    ])
    this.#running = await serve({
      data: this.#data,
      workspace: this.#workspace,
      environment: {},
      providers,
      port: this.#port,
      registered: false,
    })
    this.#port = Number(new URL(this.#running.url).port)
  }

  async close() {
    await this.#running?.close()
    this.#running = undefined
  }

  get workspace(): string {
    return this.#workspace
  }

  get link(): string {
    return this.#server.link
  }

  get client() {
    return createClient({ url: this.#server.url, token: this.#server.token })
  }

  /** Let go on what "hold" holds. */
  release() {
    this.#held.resolve()
    this.#held = Promise.withResolvers()
  }

  get #server(): Running {
    if (!this.#running) throw new Error("The server is not running.")
    return this.#running
  }

  #answer({ newest }: RecordedCall): ScriptStep[] {
    const said = (newest?.blocks ?? []).map((block) =>
      "media" in block
        ? `<${block.media.mime} ${block.media.name}>`
        : "text" in block
          ? block.text
          : "",
    )
    const text = said.join("\n")
    const results = (newest?.blocks ?? []).filter((block) => block.type === "tool-result")
    if (results.length > 0) return [{ text: `The tool said: ${JSON.stringify(results)}` }]
    const asked = Object.entries(CALLS).find(([word]) => text.includes(word))
    if (asked) return [{ reasoning: "I need a tool." }, { call: { id: "call1", ...asked[1] } }]
    const begin = { text: `You said: **${said[0]?.split("\n")[0]?.trim() ?? ""}**` }
    if (text.includes("fail"))
      return [
        begin,
        { error: { code: "overloaded", message: "the model is overloaded", retryable: false } },
      ]
    const rest = { text: `\n\n${said.slice(1).join("\n\n")}\n\nThat is all of it.` }
    return text.includes("hold") ? [begin, { wait: this.#held.promise }, rest] : [begin, rest]
  }
}

/** A workspace with something in it to refer to. */
async function furnish(root: string) {
  const lines = Array.from({ length: 40 }, (_, at) => `line ${at + 1}`)
  await writeFile(join(root, "notes.md"), lines.join("\n"))
  await mkdir(join(root, "src", "deep"), { recursive: true })
  await writeFile(join(root, "src", "deep", "engine.ts"), "export const engine = 1\n".repeat(400))
  await mkdir(join(root, ".agents", "commands"), { recursive: true })
  await writeFile(
    join(root, ".agents", "commands", "greet.md"),
    "---\ndescription: Greet somebody\nargument-hint: name\n---\nSay hello to $1, warmly.\n",
  )
  await mkdir(join(root, ".agents", "skills", "tidy"), { recursive: true })
  await writeFile(
    join(root, ".agents", "skills", "tidy", "SKILL.md"),
    "---\nname: tidy\ndescription: Use when files are in disorder.\n---\nPut things in order.\n",
  )
}

/** Which tool a message asks the scripted model to call, by a word in it. */
const CALLS: Readonly<Record<string, { name: string; input: unknown }>> = {
  "use-write": { name: "write", input: { path: "made.txt", content: "made by a tool" } },
  "use-read": { name: "read", input: { path: "notes.md" } },
  "use-question": {
    name: "question",
    input: { questions: [{ question: "Which colour?", options: ["red", "blue"] }] },
  },
}

/** One person at one page. */
export class Visitor {
  readonly page: Page
  readonly faults: string[] = []

  private constructor(page: Page) {
    this.page = page
    page.on("pageerror", (error) => this.faults.push(error.message))
    page.on("console", (message) => {
      if (message.type() === "error") this.faults.push(message.text())
    })
  }

  static async come(
    browser: Browser,
    link: string,
    options: VisitorOptions = {},
  ): Promise<Visitor> {
    const context: BrowserContext = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: "reduce",
      ...options,
    })
    const page = await context.newPage()
    page.setDefaultTimeout(25_000)
    onTestFinished(async ({ task }) => {
      const path = join(tmpdir(), `compositor-web-failed-${task.id}.png`)
      if (task.result?.state === "fail") await page.screenshot({ path }).catch(() => {})
      await context.close()
    })
    const visitor = new Visitor(page)
    await page.goto(link)
    return visitor
  }

  get composer(): Locator {
    return this.page.getByRole("textbox", { name: "Message", exact: true })
  }

  get queue(): Locator {
    return this.page.getByRole("region", { name: "Queue" })
  }

  get log(): Locator {
    return this.page.getByRole("log")
  }

  get answers(): Locator {
    return this.page.getByRole("article", { name: "Assistant" })
  }

  get chips(): Locator {
    return this.page.getByRole("list", { name: "Attachments" }).getByRole("listitem")
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole("button", {
      name,
      ...(typeof name === "string" ? { exact: true } : {}),
    })
  }

  async write(text: string) {
    await this.composer.click()
    await this.page.keyboard.type(text)
  }

  async send(text: string) {
    await this.write(text)
    await this.page.keyboard.press("Enter")
  }

  async sees(locator: Locator, text: string | RegExp) {
    await locator.filter({ hasText: text }).first().waitFor()
  }

  /** What the clipboard or a drag would bring: a real event with a real file. */
  async hand(kind: "paste" | "drop", file: { name: string; type: string; base64: string }) {
    await this.page.evaluate(
      ([kind, { name, type, base64 }]) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
        const transfer = new DataTransfer()
        transfer.items.add(new File([bytes], name, { type }))
        const options = { bubbles: true, cancelable: true }
        if (kind === "paste") {
          const event = new ClipboardEvent("paste", { ...options, clipboardData: transfer })
          document.querySelector(".cm-content")?.dispatchEvent(event)
        } else {
          for (const name of ["dragenter", "dragover", "drop"])
            document.body.dispatchEvent(new DragEvent(name, { ...options, dataTransfer: transfer }))
        }
      },
      [kind, file] as const,
    )
  }

  get chipsInText(): Locator {
    return this.composer.locator(".cm-chip")
  }

  get offers(): Locator {
    return this.page.getByRole("listbox", { name: "Completions" }).getByRole("option")
  }

  panel(name: string): Locator {
    return this.page.getByRole("complementary", { name, exact: true })
  }

  /** What the person said, the first line of each. */
  async said(): Promise<(string | undefined)[]> {
    const messages = await this.page.getByRole("article", { name: "You" }).allInnerTexts()
    return messages.map((text) => text.split("\n").find((line) => line !== "" && line !== "You"))
  }

  notice(text: string): Promise<void> {
    return this.sees(this.page.getByRole("region", { name: "Notifications" }), text)
  }

  async choose(menu: string | Locator, item: string) {
    await (typeof menu === "string" ? this.button(menu) : menu).first().click()
    await this.page.getByRole("menuitem", { name: item, exact: true }).click()
  }

  /** Paste text, as the clipboard would. */
  async pasteText(text: string, type = "text/plain") {
    await this.page.evaluate(
      ([text, type]) => {
        const clipboardData = new DataTransfer()
        clipboardData.setData(type, text)
        const event = new ClipboardEvent("paste", {
          bubbles: true,
          cancelable: true,
          clipboardData,
        })
        document.querySelector(".cm-content")?.dispatchEvent(event)
      },
      [text, type] as const,
    )
  }

  /** What axe finds wrong, in one line each. */
  async barriers(): Promise<string[]> {
    const { violations } = await new AxeBuilder({ page: this.page }).analyze()
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(" ")).join(", ")}`,
    )
  }
}

interface VisitorOptions {
  readonly colorScheme?: "light" | "dark"
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly hasTouch?: boolean
  readonly isMobile?: boolean
}

/** Sixteen by sixteen, red. */
export const PICTURE = {
  name: "shot.png",
  type: "image/png",
  base64:
    "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGM4oKBAEmIY1TCqYfhqAAC6CAAQx2ckEwAAAABJRU5ErkJggg==",
}
