// `node scripts/screenshots.ts [folder] [name …]`: the page in its main states, or in those named, as
// pictures for the documents.

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core"
import {
  type RecordedCall,
  type ScriptStep,
  scriptedProvider,
} from "../packages/engine/providers/scripted.ts"
import { type Running, serve } from "../packages/server/serve.ts"
import { chromiumPath } from "../test/machine.ts"
import { buildPage } from "./build.ts"

const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
const WIDE = { width: 1440, height: 900 }
const PHONE = { width: 390, height: 844 }

async function take(folder: string, names: readonly string[]) {
  await buildPage()
  await mkdir(folder, { recursive: true })
  const workspace = await mkdtemp(join(tmpdir(), "compositor-pictures-"))
  await furnish(workspace)
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS })
  try {
    for (const { name, colorScheme = "light", viewport = WIDE, play } of SHOTS) {
      if (names.length > 0 && !names.includes(name)) continue
      const theatre = await open(workspace)
      const page = await visit(browser, theatre, { colorScheme, viewport })
      await play(page, theatre)
      await page.screenshot({ path: join(folder, `${name}.png`), animations: "disabled" })
      console.log(`${name}.png`)
      await page.context().close()
      theatre.release()
      await theatre.running.close()
      await rm(theatre.data, { recursive: true, force: true })
    }
  } finally {
    await browser.close()
    await rm(workspace, { recursive: true, force: true })
  }
}

interface Stage {
  readonly running: Running
  readonly data: string
  readonly release: () => void
}

interface Shot {
  readonly name: string
  readonly colorScheme?: "light" | "dark"
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly play: (page: Page, theatre: Stage) => Promise<void>
}

const SHOTS: readonly Shot[] = [
  { name: "empty", play: (page) => composer(page).waitFor() },
  {
    name: "composing",
    play: async (page) => {
      await talk(page)
      await type(page, "Compare @src/engine.ts#L3-9 with @docs/plan.md, use @skill:tidy, then /")
      await page
        .getByRole("option", { name: /search/ })
        .first()
        .waitFor()
    },
  },
  {
    // The one in the README.
    name: "page",
    play: async (page) => {
      await talk(page)
      await type(page, "What does @src/engine.ts#L3-9 promise, and does @docs/plan.md agree? ")
      await paste(page)
      await page.keyboard.press("Control+.")
      await page.getByText("native", { exact: true }).last().waitFor()
    },
  },
  {
    name: "queue",
    play: async (page) => {
      await talk(page)
      await say(page, "hold on to this, and look through all of @src/engine.ts")
      await page.getByText("Let me look").last().waitFor()
      for (const text of ["then write tests for it", "and update @docs/plan.md#L1-2"])
        await say(page, text)
      await page.getByRole("button", { name: /^Pause: and update/ }).click()
      await page.getByText("Paused").waitFor()
    },
  },
  {
    name: "approval",
    play: async (page) => {
      await say(page, "Please use-write to note this down.")
      await page.getByRole("group", { name: "May write run?" }).waitFor()
    },
  },
  {
    name: "sidecar",
    play: async (page) => {
      await talk(page)
      await page.getByRole("button", { name: "From this answer" }).first().click()
      await page.getByRole("menuitem", { name: /sidecar/ }).click()
      await page.getByRole("textbox", { name: "Message to the sidecar" }).click()
      await page.keyboard.type("What is a lease, in one sentence?")
      await page.keyboard.press("Enter")
      await page.getByRole("button", { name: "Bring back as a quote" }).click()
      await page.getByRole("button", { name: "Dismiss" }).click()
    },
  },
  {
    name: "inspector",
    play: async (page) => {
      await talk(page)
      await page.getByRole("button", { name: "From this message" }).first().click()
      await page.getByRole("menuitem", { name: "Inspect" }).click()
      await page.getByText("turn finished").first().waitFor()
    },
  },
  {
    name: "shelf",
    play: async (page) => {
      await talk(page)
      await shelf(page, "Commands")
      await page.getByText("Greet somebody").waitFor()
    },
  },
  {
    name: "files",
    play: async (page) => {
      await talk(page)
      await shelf(page, "Files")
      await page.getByRole("button", { name: "src/", exact: true }).click()
      await page
        .getByRole("button", { name: /engine\.ts/ })
        .last()
        .click()
      await page.getByText("What the model would get").waitFor()
      await page.getByText("The queue that every source shares").last().waitFor()
    },
  },
  {
    name: "agents",
    play: async (page) => {
      await talk(page)
      await shelf(page, "Agents")
      await page.getByText("Answers here").waitFor()
    },
  },
  {
    name: "mobile",
    viewport: PHONE,
    play: async (page) => {
      await talk(page)
      await type(page, "And @docs/plan.md#L1-2?")
    },
  },
  {
    name: "dark",
    colorScheme: "dark",
    play: async (page) => {
      await talk(page)
      await type(page, "Does @docs/plan.md still hold? ")
      await page.keyboard.press("Control+.")
      await page.getByText("tokens of context").waitFor()
    },
  },
]

async function furnish(workspace: string) {
  await mkdir(join(workspace, "src"))
  await mkdir(join(workspace, "docs"))
  await mkdir(join(workspace, ".agents", "commands"), { recursive: true })
  await mkdir(join(workspace, ".agents", "agents"), { recursive: true })
  await writeFile(
    join(workspace, ".agents", "agents", "critic.md"),
    "---\ndescription: Finds faults, and names the line\ntools: [read, grep]\n---\nYou review.\n",
  )
  await writeFile(join(workspace, "src", "engine.ts"), ENGINE)
  await writeFile(join(workspace, "docs", "plan.md"), "# Plan\n\nOne queue for every source.\n")
  await writeFile(
    join(workspace, ".agents", "commands", "greet.md"),
    "---\ndescription: Greet somebody\nargument-hint: name\n---\nSay hello to $1.\n",
  )
}

const ENGINE = `// The queue that every source shares.

/** A message is taken once, however many runners ask. */
export async function take(session: string): Promise<Message | undefined> {
  const claim = await claimHead(session)
  if (!claim) return undefined
  return load(claim)
}
`

async function open(workspace: string): Promise<Stage> {
  const data = await mkdtemp(join(tmpdir(), "compositor-pictures-data-"))
  const held = Promise.withResolvers<void>()
  const providers = new Map([["mirror", scriptedProvider((call) => answer(call, held.promise))]])
  const running = await serve({ data, workspace, environment: {}, providers, registered: false })
  return { running, data, release: () => held.resolve() }
}

function answer({ newest }: RecordedCall, held: Promise<void>): ScriptStep[] {
  const text = (newest?.blocks ?? []).map((block) => ("text" in block ? block.text : "")).join(" ")
  if (text.includes("use-write"))
    return [
      { reasoning: "A note belongs into a file." },
      {
        call: {
          id: "call1",
          name: "write",
          input: { path: "notes/lease.md", content: "# Leases\n\nA claim ends by itself.\n" },
        },
      },
    ]
  if (text.includes("hold"))
    return [{ text: "Let me look through it line by line. " }, { wait: held }]
  if (text.includes("lease"))
    return [{ text: "A lease is a claim that **ends by itself**, so a crash holds nothing up." }]
  return [{ reasoning: "The range is lines 3 to 9." }, { text: ANSWER }]
}

const ANSWER = `Lines 3–9 promise that **a message is taken once**, however many runners ask:

1. \`claimHead\` is a compare-and-set in one transaction
2. whoever loses gets \`undefined\` and goes on
3. the claim has a lease, so a crash gives the message back

\`\`\`ts
const claim = await claimHead(session)
if (!claim) return undefined
\`\`\`

Nothing else in the file takes from the queue.`

async function visit(browser: Browser, theatre: Stage, options: BrowserContextOptions) {
  const context = await browser.newContext({ ...options, reducedMotion: "reduce" })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  await page.goto(theatre.running.link)
  await composer(page).waitFor()
  return page
}

function composer(page: Page) {
  return page.getByRole("textbox", { name: "Message", exact: true })
}

async function type(page: Page, text: string) {
  await composer(page).click()
  await page.keyboard.type(text)
}

async function say(page: Page, text: string) {
  await type(page, text)
  await page.keyboard.press("Enter")
}

async function shelf(page: Page, tab: string) {
  await page.getByRole("button", { name: "More", exact: true }).click()
  await page.getByRole("menuitem", { name: /At hand/ }).click()
  await page.getByRole("tab", { name: tab, exact: true }).click()
}

async function talk(page: Page) {
  await say(page, "What does @src/engine.ts#L3-9 promise?")
  await page.getByText("Nothing else in the file").waitFor()
}

/** A picture from the clipboard: sixteen by sixteen, red. */
async function paste(page: Page) {
  await page.evaluate(`{
    const bytes = Uint8Array.from(atob("${PICTURE}"), (char) => char.charCodeAt(0))
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([bytes], "screen.png", { type: "image/png" }))
    const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData })
    document.querySelector(".cm-content").dispatchEvent(event)
  }`)
  await page.getByRole("button", { name: "Remove screen.png" }).waitFor()
  await page.getByRole("progressbar").waitFor({ state: "detached" })
}

const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAAAFklEQVR4nGM4oKBAEmIY1TCqYfhqAAC6CAAQx2ckEwAAAABJRU5ErkJggg=="

const [folder = join(import.meta.dirname, "..", "docs"), ...names] = process.argv.slice(2)
await take(folder, names)
