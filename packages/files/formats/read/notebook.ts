import { z } from "zod"
import { type CappedText, cappedText } from "../capped-text.ts"
import type { ReaderAnswer, Job } from "../converted.ts"
import { wholeText } from "../decode-text.ts"
import { MadeFiles } from "../made-files.ts"
import { refuse } from "../refusal.ts"

const MAX_NOTEBOOK_BYTES = 32 * 1024 * 1024

const Lines = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(""))])
const Output = z.looseObject({
  output_type: z.string().catch("unknown"),
  text: Lines.optional().catch(undefined),
  data: z.record(z.string(), z.unknown()).optional().catch(undefined),
  ename: z.string().optional().catch(undefined),
  evalue: z.string().optional().catch(undefined),
})
const Cell = z.looseObject({
  cell_type: z.string().catch("raw"),
  source: Lines.catch(""),
  execution_count: z.number().nullish().catch(null),
  outputs: z.array(Output).catch([]),
})
const Notebook = z.looseObject({
  cells: z.array(Cell),
  metadata: z
    .looseObject({ language_info: z.looseObject({ name: z.string() }).optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

/** A notebook: its cells with what they put out as text, or the pictures among the outputs. */
export async function readNotebook(job: Job): Promise<ReaderAnswer> {
  const { cells, metadata } = await notebook(job)
  if (job.to === "png") return pictures(job, cells)
  const language = metadata?.language_info?.name ?? "python"
  return cappedText(job.limits.text_bytes, (text) => {
    let count = 0
    for (const cell of cells) count += writeCell(text, cell, language)
    return count > 0 ? `${count} pictures are among the outputs; convert it to png for them.` : ""
  })
}

async function notebook(job: Job): Promise<z.infer<typeof Notebook>> {
  const text = await wholeText(job.file, MAX_NOTEBOOK_BYTES)
  try {
    return Notebook.parse(JSON.parse(text))
  } catch {
    return refuse(`${job.file.name} is not a notebook, or one of a version before 4.`)
  }
}

async function pictures(job: Job, cells: readonly z.infer<typeof Cell>[]): Promise<ReaderAnswer> {
  const made = new MadeFiles(job)
  for (const { outputs } of cells) {
    for (const { data } of outputs) {
      const png = Lines.safeParse(data?.["image/png"]).data
      if (png === undefined || made.files.length >= job.limits.pages) continue
      await made.add(`-${made.files.length + 1}.png`, "image/png", Buffer.from(png, "base64"))
    }
  }
  if (made.files.length === 0) refuse(`${job.file.name} has no pictures among its outputs.`)
  return { type: "files", files: made.files }
}

/** How many pictures it left out. */
function writeCell(text: CappedText, cell: z.infer<typeof Cell>, language: string): number {
  if (cell.cell_type === "markdown") text.line(`${cell.source}\n`)
  else text.line(`\`\`\`${cell.cell_type === "code" ? language : ""}\n${cell.source}\n\`\`\`\n`)
  let count = 0
  for (const output of cell.outputs) {
    const said = shown(output)
    if (said !== "") text.line(`Output:\n\`\`\`\n${said}\n\`\`\`\n`)
    if (output.data?.["image/png"] !== undefined) count += 1
  }
  return count
}

// The colours of a terminal are no text.
// oxlint-disable-next-line no-control-regex
const COLOURS = /\x1b\[[0-9;]*m/g

function shown({ text, data, ename, evalue }: z.infer<typeof Output>): string {
  if (ename !== undefined) return `${ename}: ${evalue ?? ""}`.replace(COLOURS, "")
  const plain = text ?? Lines.safeParse(data?.["text/plain"]).data ?? ""
  return plain.replace(COLOURS, "").trimEnd()
}
