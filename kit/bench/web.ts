import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { type Browser, chromium } from "playwright-core"
import { buildPage } from "../../scripts/build.ts"
import { type Running, serve } from "../../packages/server/serve.ts"
import { chromiumPath } from "../../test/machine.ts"
import { milliseconds, table, times } from "./figures.ts"
import { describeMachine, type Machine, type Noise, noise } from "./machine.ts"
import { buildEditors } from "./web-editors.ts"
import { IN_PAGE, type KeyFigures, measureKeys, SCENES } from "./web-keys.ts"
import { measureThread, type ThreadFigures } from "./web-thread.ts"

const MAX_RATIO = 1.5
const MAX_SCRIPT_BYTES = 250 * 1024
const MAX_OPEN_MS = 500
const MAX_TASK_MS = 50
const FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]

/** What the page costs: a key beside a bare textarea and beside TipTap, its scripts, and a thread of
 *  10,000 messages. True if all gates hold. */
export async function benchWeb({ json }: { json: boolean }): Promise<boolean> {
  await buildPage()
  const root = await mkdtemp(join(tmpdir(), "compositor-bench-web-"))
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: FLAGS })
  const running = await serve({
    data: join(root, "data"),
    workspace: root,
    environment: {},
    registered: false,
  })
  try {
    const report = await measured(browser, running)
    const gates = gatesOf(report)
    console.log(json ? JSON.stringify({ ...report, gates }, null, 2) : show(report, gates))
    return gates.every(({ passed }) => passed)
  } finally {
    await browser.close()
    await running.close()
    await rm(root, { recursive: true, force: true })
  }
}

interface Report {
  readonly machine: Machine
  readonly before: Noise
  readonly after: Noise
  readonly keys: readonly KeyFigures[]
  readonly script_bytes: number
  readonly thread: ThreadFigures
}

async function measured(browser: Browser, running: Running): Promise<Report> {
  const machine = describeMachine(".")
  const before = noise()
  const script_bytes = await firstLoad(browser, running)
  const keys = await allKeys(browser)
  const thread = await measureThread(browser, running)
  return { machine, before, after: noise(), keys, script_bytes, thread }
}

/** What a first visit fetches in scripts, as gzip would send it. */
async function firstLoad(browser: Browser, running: Running): Promise<number> {
  const page = await browser.newPage()
  // One that is preloaded is told of twice.
  const sizes = new Map<string, Promise<number>>()
  page.on("response", (response) => {
    if (response.request().resourceType() !== "script" || sizes.has(response.url())) return
    sizes.set(
      response.url(),
      response.body().then((body) => gzipSync(body).length),
    )
  })
  await page.goto(running.link)
  await page.getByRole("textbox", { name: "Message", exact: true }).waitFor()
  await page.waitForLoadState("networkidle").catch(() => undefined)
  await page.close()
  return (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0)
}

async function allKeys(browser: Browser): Promise<KeyFigures[]> {
  const { script, style } = await buildEditors()
  const html = `<!doctype html><meta charset="utf-8"><link rel="stylesheet" href="/style.css"><body><script type="module" src="/script.js"></script>`
  const files: Record<string, readonly [type: string, text: string]> = {
    "/": ["text/html", html],
    "/script.js": ["text/javascript", script],
    "/style.css": ["text/css", style],
  }
  const server = createServer((request, response) => {
    const [type, text] = files[request.url ?? ""] ?? ["text/plain", ""]
    response.setHeader("content-type", `${type}; charset=utf-8`)
    response.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const figures: KeyFigures[] = []
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 } })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction("globalThis.bench !== undefined")
  await page.evaluate(IN_PAGE)
  for (const scene of SCENES) figures.push(await measureKeys(page, scene))
  await page.close()
  server.close()
  return figures
}

interface Gate {
  readonly wanted: string
  readonly saw: string
  readonly passed: boolean
}

function gatesOf({ keys, script_bytes, thread }: Report): Gate[] {
  const longest = Math.max(0, ...thread.long_tasks)
  return [
    ...keys.flatMap(({ scene, ratio, peer_ratio }) => [
      {
        wanted: `${scene}: a key costs at most ${times(MAX_RATIO)} the textarea's`,
        saw: times(ratio),
        passed: ratio <= MAX_RATIO,
      },
      {
        wanted: `${scene}: a key costs less than TipTap's`,
        saw: `${times(ratio)} and ${times(peer_ratio)}`,
        passed: ratio < peer_ratio,
      },
    ]),
    {
      wanted: `the first load is at most ${MAX_SCRIPT_BYTES / 1024} KB of script, gzipped`,
      saw: `${(script_bytes / 1024).toFixed(1)} KB`,
      passed: script_bytes <= MAX_SCRIPT_BYTES,
    },
    {
      wanted: `a thread of ${thread.messages.toLocaleString("en")} messages opens in under ${MAX_OPEN_MS} ms`,
      saw: milliseconds(thread.open_ms),
      passed: thread.open_ms < MAX_OPEN_MS,
    },
    {
      wanted: `scrolling it has no task over ${MAX_TASK_MS} ms`,
      saw: `${thread.long_tasks.length} long tasks, the longest ${longest} ms; the longest by its own work ${milliseconds(thread.task_cpu_ms)}`,
      passed: longest <= MAX_TASK_MS,
    },
  ]
}

function show({ machine, before, after, keys, thread }: Report, gates: readonly Gate[]): string {
  const rows = keys.flatMap(({ scene, cpu_ms, paint_ms }) =>
    (["textarea", "ours", "tiptap"] as const).map((editor) => [
      scene,
      editor,
      milliseconds(cpu_ms[editor]),
      times(cpu_ms[editor] / cpu_ms.textarea),
      milliseconds(paint_ms[editor]),
    ]),
  )
  return [
    `${machine.processor}, ${machine.cores} cores, Node ${machine.node}; load ${before.load.toFixed(1)} before, ${after.load.toFixed(1)} after; spin ${before.spin_ms.toFixed(0)} and ${after.spin_ms.toFixed(0)} ms`,
    "",
    table(["content", "editor", "CPU per key", "x textarea", "key to paint"], rows),
    "",
    `After scrolling, ${thread.drawn} of ${thread.messages.toLocaleString("en")} messages are drawn.`,
    "",
    table(
      ["must hold", "figure", "gate"],
      gates.map(({ wanted, saw, passed }) => [wanted, saw, passed ? "pass" : "FAIL"]),
    ),
  ].join("\n")
}
