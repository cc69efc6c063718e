import { scratchOf } from "./place.ts"
import type { ToolOutput, ToolRuntime } from "./tool.ts"

/** What a model is shown of one output (TOL-004). */
export const SHOWN_BYTES = 200 * 1024

export interface Cut {
  readonly text: string
  /** For the output: that there was more, and where all of it lies. */
  readonly about: Pick<ToolOutput, "truncated" | "output_path">
}

/** As much of a text as is shown. Where there is more, all of it goes to scratch, as far as that has
 *  room, and its path goes along. */
export async function cutText(text: string, runtime: ToolRuntime): Promise<Cut> {
  const bytes = Buffer.from(text)
  if (bytes.length <= SHOWN_BYTES) return { text, about: {} }
  const output_path = await keepWhole(bytes, runtime)
  return {
    text: wholeLetters(bytes.subarray(0, SHOWN_BYTES)),
    about: { truncated: true, ...(output_path === undefined ? {} : { output_path }) },
  }
}

/** A text that the model is shown as it is, beside what the data say about it. */
export function textOutput(text: string): Pick<ToolOutput, "blocks"> {
  return text === "" ? {} : { blocks: [{ type: "text", text }] }
}

/** The same for a list: its head is shown, and all of it is written line by line. */
export async function cutList<Item>(
  items: readonly Item[],
  most: number,
  { runtime, line }: { readonly runtime: ToolRuntime; readonly line: (item: Item) => string },
): Promise<{ readonly items: readonly Item[]; readonly about: Cut["about"] }> {
  if (items.length <= most) return { items, about: {} }
  const bytes = Buffer.from(items.map((item) => `${line(item)}\n`).join(""))
  const output_path = await keepWhole(bytes, runtime)
  const about = { truncated: true, ...(output_path === undefined ? {} : { output_path }) }
  return { items: items.slice(0, most), about }
}

async function keepWhole(bytes: Uint8Array, runtime: ToolRuntime): Promise<string | undefined> {
  const scratch = await scratchOf(runtime)
  const name = runtime.call_id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, 100)
  const written = await scratch.write(`outputs/${name}.txt`, bytes)
  return written.type === "written" ? written.realPath : undefined
}

/** Bytes may be cut in the middle of a letter. */
function wholeLetters(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes, { stream: true })
}
