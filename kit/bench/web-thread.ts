import { sized } from "./figures.ts"
import type { Browser } from "playwright-core"
import { type Client, createClient } from "../../packages/client/client.ts"
import { newId } from "../../packages/core/message/id.ts"
import type { Running } from "../../packages/server/serve.ts"

const MESSAGES = sized(10_000, 1000)
const SCROLLS = 60
const SCROLL_PIXELS = 1_500

export interface ThreadFigures {
  readonly messages: number
  readonly open_ms: number
  /** By the clock, others' work included. */
  readonly long_tasks: readonly number[]
  /** What the longest task itself cost the processor. */
  readonly task_cpu_ms: number
  readonly drawn: number
}

/** A long thread: how soon its end is on the screen after a click, and what scrolling up costs. */
export async function measureThread(browser: Browser, running: Running): Promise<ThreadFigures> {
  const client = createClient({ url: running.url, token: running.token })
  const session = await longThread(client)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  await page.goto(running.link)
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
  await page.evaluate(WATCH_LONG_TASKS)
  const opens: number[] = []
  for (let round = 0; round < 3; round++) {
    opens.push(Number(await page.evaluate(openAndTime(session))))
    await page.evaluate("location.hash = ''")
    await page.getByRole("log").waitFor({ state: "detached" })
  }
  await page.evaluate(openAndTime(session))
  await page.getByRole("log").hover()
  const traced = await traceTasks(browser)
  await page.evaluate("globalThis.longTasks.length = 0")
  for (let at = 0; at < SCROLLS; at++) {
    await page.mouse.wheel(0, -SCROLL_PIXELS)
    await page.evaluate(
      "new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)))",
    )
  }
  const long_tasks = (await page.evaluate("globalThis.longTasks")) as number[]
  const task_cpu_ms = await traced.longest()
  const drawn = await page.getByRole("article").count()
  await page.close()
  return { messages: MESSAGES, open_ms: Math.min(...opens), long_tasks, task_cpu_ms, drawn }
}

interface TraceEvent {
  readonly ph: string
  readonly name: string
  readonly pid: number
  readonly tid: number
  readonly tdur?: number
  readonly args: { readonly name?: string }
}

/** The tasks of the pages' main threads, by the processor's time: the observer's own figures grow
 *  with whatever else the machine does meanwhile. */
async function traceTasks(browser: Browser) {
  const session = await browser.newBrowserCDPSession()
  const events: TraceEvent[] = []
  session.on("Tracing.dataCollected", ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]))
  })
  await session.send("Tracing.start", {
    transferMode: "ReportEvents",
    traceConfig: { includedCategories: ["disabled-by-default-devtools.timeline", "toplevel"] },
  })
  return {
    async longest(): Promise<number> {
      const whole = new Promise<void>((resolve) => {
        session.once("Tracing.tracingComplete", () => resolve())
      })
      await session.send("Tracing.end")
      await whole
      await session.detach()
      return longestTask(events)
    },
  }
}

function longestTask(events: readonly TraceEvent[]): number {
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const pages = new Set(
    events
      .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
      .map(threadOf),
  )
  const tasks = events.filter(
    (event) => event.ph === "X" && event.name.endsWith("RunTask") && pages.has(threadOf(event)),
  )
  if (tasks.length === 0) throw new Error("The browser told of no task.")
  return tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1000), 0)
}

const WATCH_LONG_TASKS = `
  globalThis.longTasks = []
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.longTasks.push(Math.round(entry.duration))
  }).observe({ type: "longtask" })
`

/** From the change of the address to the frame in which the last message is on the screen. */
function openAndTime(session: string): string {
  return `new Promise((resolve) => {
    const began = performance.now()
    location.hash = "#/${session}"
    const look = () => {
      const shown = [...document.querySelectorAll("[role=log] article")].at(-1)
      const isThere = shown?.textContent.includes("answer ${MESSAGES / 2 - 1} ends")
      if (isThere && shown.getBoundingClientRect().top < innerHeight)
        requestAnimationFrame(() => resolve(performance.now() - began))
      else requestAnimationFrame(look)
    }
    look()
  })`
}

/** A session like any other, with many more messages: made of one that was really held. */
async function longThread(client: Client): Promise<string> {
  const { session } = await client.sessions.create({ title: "A very long thread" })
  await client.send(session.id, { source: "a question" })
  for (;;) {
    const { messages } = await client.messages(session.id)
    if (messages.length === 2 && messages[1]?.metadata.finish) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  const rows = (await new Response(await client.export({ session: session.id })).text())
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row)
  await client.sessions.remove(session.id)
  await client.import(new Blob([linesOf(rows).join("\n")]))
  return session.id
}

interface Row {
  readonly type: string
  readonly data: Readonly<Record<string, string | number | null>>
}

function linesOf(rows: readonly Row[]): string[] {
  const [session] = rows.filter(({ type }) => type === "session")
  const messages = rows.filter(({ type }) => type === "message")
  const parts = rows.filter(({ type }) => type === "part")
  if (!session) throw new Error("The export has no session.")
  const lines: Row[] = [
    { ...session, data: { drain: "open", ...session.data, next_seq: MESSAGES + 1 } },
  ]
  for (let at = 0; at < MESSAGES; at++) {
    const message = messages[at % 2]
    const part = parts.find(({ data }) => data.message_id === message?.data.id)
    if (!message || !part) throw new Error("The export lacks a message.")
    const id = newId("msg")
    lines.push({ ...message, data: { ...message.data, id, seq: at + 1, position: null } })
    const data_json = JSON.stringify({ type: "text", text: textOf(at) })
    lines.push({ ...part, data: { ...part.data, id: newId("prt"), message_id: id, data_json } })
  }
  return lines.map((line) => JSON.stringify(line))
}

function textOf(at: number): string {
  const number = Math.floor(at / 2)
  if (at % 2 === 0) return `question ${number}: what of \`file-${number}.ts\`?`
  const code = `\`\`\`ts\nexport const value${number} = ${number}\n\`\`\``
  return `Some **words**, and then:\n\n- one\n- two with \`code\`\n\n${code}\n\nanswer ${number} ends`
}
