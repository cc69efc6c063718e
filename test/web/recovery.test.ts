import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createClient } from "../../packages/client/client.ts"
import { missing } from "../machine.ts"
import { openBrowser, Visitor } from "./stage.ts"
import type { StageSettings } from "./stage-process.ts"

describe.skipIf(missing("chromium"))("two pages and a server that dies, in a real browser", () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await openBrowser()
  }, 120_000)
  afterAll(() => browser.close())

  it("[BEY-10][EA-021] recovers in both pages when the server is killed mid-answer, and doubles nothing", async () => {
    const stage = await Stage.open()
    const one = await Visitor.come(browser, stage.link)
    await one.send("the beginning")
    await one.sees(one.answers, "That is all of it.")
    const two = await Visitor.come(browser, stage.link)
    await two.page.getByRole("link", { name: /the beginning/ }).click()
    await two.sees(two.answers, "That is all of it.")
    await one.send("hold on to this")
    for (const page of [one, two]) await page.sees(page.answers, "You said: hold on to this")
    await two.send("and then this")
    for (const page of [one, two]) await page.sees(page.queue, "and then this")
    await one.write("half a thought")
    await two.sees(two.composer, "half a thought")
    await stage.kill()
    for (const page of [one, two])
      await page.sees(page.page.getByRole("status"), "The server does not answer")
    await one.page.keyboard.type(", finished in the dark")
    await stage.begin()
    for (const page of [one, two])
      await expect
        .poll(() => page.page.getByText("The server does not answer").count(), { timeout: 30_000 })
        .toBe(0)
    await two.sees(two.composer, "half a thought, finished in the dark")
    await writeFile(join(stage.settings.workspace, "go"), "")
    for (const page of [one, two]) {
      await page.sees(page.answers, "You said: and then this")
      await expect.poll(() => page.queue.count()).toBe(0)
      expect(await page.said()).toEqual(["the beginning", "hold on to this", "and then this"])
      await expect
        .poll(() => page.answers.filter({ hasText: "That is all of it." }).count())
        .toBe(3)
    }
    const [session] = (await stage.client.sessions.list()).sessions
    const { messages } = await stage.client.messages(session?.id ?? "")
    const asked = messages.filter(({ role }) => role === "user")
    expect(new Set(asked.map(({ id }) => id)).size).toBe(3)
    const whole = messages.filter(({ metadata }) => metadata.finish === "stop")
    expect(whole).toHaveLength(3)
  }, 120_000)

  it("[EA-012][EA-013] shows a command in both pages as soon as a file or an entity brings it", async () => {
    const stage = await Stage.open()
    const put = await fetch(`${stage.url}/v1/entities/clerk/ada`, {
      method: "PUT",
      headers: stage.headers,
      body: "{}",
    })
    expect(put.status).toBeLessThan(300)
    const sessions = await stage.client.sessions.list()
    const session = sessions.sessions.find(({ agent }) => agent === "clerk")
    const pages = [await Visitor.come(browser, stage.link), await Visitor.come(browser, stage.link)]
    for (const { page, composer } of pages) {
      await composer.waitFor()
      await page.evaluate((id) => {
        location.hash = `#/${id}`
      }, session?.id ?? "")
    }
    await types("/file", "Put it into the files")
    await fetch(`${stage.url}/v1/entities/clerk/ada/send`, {
      method: "POST",
      headers: stage.headers,
      body: JSON.stringify({ type: "composer_input", payload: { source: "learn" } }),
    })
    await mkdir(join(stage.settings.workspace, ".agents", "commands"), { recursive: true })
    await writeFile(
      join(stage.settings.workspace, ".agents", "commands", "polish.md"),
      "---\ndescription: Make it shine\n---\nPolish $ARGUMENTS.\n",
    )
    await types("/stam", "Put a stamp on it")
    await types("/poli", "Make it shine")

    /** One types until it is offered, and takes it; the other page knows it for a command too. */
    async function types(typed: string, what: string) {
      const [one, two] = pages as [Visitor, Visitor]
      const offer = one.offers.filter({ hasText: what }).first()
      const isOffered = async () => {
        await one.composer.click()
        await one.page.keyboard.press("Control+a")
        await one.page.keyboard.type(typed)
        return offer.waitFor({ timeout: 3000 }).then(
          () => true,
          () => false,
        )
      }
      await expect.poll(isOffered, { timeout: 30_000 }).toBe(true)
      await one.page.keyboard.press("Tab")
      for (const page of [one, two]) await page.sees(page.chipsInText, typed)
    }
  }, 120_000)
})

/** A server in a process of its own, over a folder that outlives it. */
class Stage {
  readonly settings: StageSettings
  #child: ChildProcess | undefined
  #told = { url: "", token: "", link: "" }

  private constructor(settings: StageSettings) {
    this.settings = settings
  }

  static async open(): Promise<Stage> {
    const workspace = await mkdtemp(join(tmpdir(), "compositor-web-"))
    const stage = new Stage({ data: join(workspace, "data"), workspace, port: 0 })
    onTestFinished(async () => {
      await stage.kill()
      await rm(workspace, { recursive: true, force: true })
    })
    await stage.begin()
    return stage
  }

  /** Under the same address as before. */
  async begin() {
    const port = this.#told.url === "" ? 0 : Number(new URL(this.#told.url).port)
    const script = join(import.meta.dirname, "stage-process.ts")
    const settings = JSON.stringify({ ...this.settings, port })
    const child = spawn(process.execPath, [script, settings], {
      stdio: ["ignore", "pipe", "inherit"],
    })
    this.#child = child
    const [line] = (await once(createInterface(child.stdout), "line")) as [string]
    this.#told = JSON.parse(line)
  }

  async kill() {
    const child = this.#child
    this.#child = undefined
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill("SIGKILL")
    await once(child, "exit")
  }

  get url(): string {
    return this.#told.url
  }

  get link(): string {
    return this.#told.link
  }

  get client() {
    return createClient(this.#told)
  }

  get headers() {
    return {
      authorization: `Bearer ${this.#told.token}`,
      "content-type": "application/json",
    }
  }
}
