import { z } from "zod"
import type { FetchOptions } from "compositor-files/fetch/fetch"
import { readUrl } from "compositor-files/fetch/target"
import { safeName } from "compositor-core/file/attachment-path"
import { cutText, textOutput } from "./output.ts"
import { admitText, requireAdmitted, requireGranted, scratchOf } from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const Input = z.strictObject({
  url: z.string().min(1).max(8192).describe("An address that begins with http: or https:."),
})

/** What lies at a public address: its text, or a file in scratch. */
export function webFetchTool(options: Omit<FetchOptions, "signal"> = {}): Tool {
  return defineTool({
    id: "web_fetch",
    aliases: [],
    description:
      "Fetch a public address. A page comes as text; what is no text is kept as a file in scratch.",
    input: Input,
    requires: ["net.fetch"],
    read_only: true,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ url }) => {
      const read = readUrl(url)
      return read instanceof URL ? read.href : url
    },
    execute: ({ url }, runtime) => get(url, options, runtime),
  })
}

async function get(
  address: string,
  options: Omit<FetchOptions, "signal">,
  runtime: ToolRuntime,
): Promise<ToolOutput> {
  const { fetchUrl } = await import("compositor-files/fetch/fetch")
  const { pageText } = await import("compositor-files/fetch/page-text")
  const { signal } = runtime
  // What was allowed is the address that was asked for; another host is asked about like any other.
  const about = { read_html: pageText, same_host: true, ...options, signal }
  const fetched = await fetchUrl(address, about)
  if (fetched.type === "refused") throw new ToolError(`Not fetched: ${fetched.reason}.`)
  const { url, status, mime, text, bytes, truncated } = fetched
  if (status >= 400) throw new ToolError(`${url} answered with ${status}.`)
  const page = { url, status, mime }
  if (text === null) {
    if (truncated) throw new ToolError(`${url} is ${mime} and too large to keep.`)
    requireAdmitted(await runtime.ingress({ origin: "web", name: url, mime, size: bytes.length }))
    const path = await keep(url, bytes, runtime)
    return { data: { ...page, size: bytes.length, path }, output_path: path }
  }
  const shown = await admitText(runtime, { origin: "web", name: url, mime, text })
  const cut = await cutText(shown.text, runtime)
  const note = shown.note === null ? {} : { notes: [shown.note] }
  const more = truncated ? { truncated: true } : {}
  return { data: { ...page, ...note }, ...textOutput(cut.text), ...more, ...cut.about }
}

async function keep(url: string, bytes: Uint8Array, runtime: ToolRuntime): Promise<string> {
  const scratch = await scratchOf(runtime)
  const name = safeName(decodeURIComponentSafely(new URL(url).pathname))
  const written = requireGranted(await scratch.write(`downloads/${runtime.call_id}/${name}`, bytes))
  return written.realPath
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
