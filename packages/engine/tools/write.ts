import { hash } from "node:crypto"
import { z } from "zod"
import { relative, resolve } from "node:path"
import { recordOf } from "compositor-core/message/untyped"
import { isGuarded } from "compositor-files/sandbox/guarded-paths"
import { decodeText } from "compositor-files/kinds/sniff"
import { type Changed, mutateFile } from "compositor-files/disk/mutate"
import {
  deniedAt,
  requireGranted,
  type ToolPath,
  resolveToolPath,
  plainPath,
  scratchOf,
} from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const MAX_FILE_BYTES = 8 * 1024 * 1024

const path = z.string().min(1).max(4096).describe("A path of the workspace or of scratch.")

const WriteInput = z.strictObject({
  path,
  content: z.string().max(MAX_FILE_BYTES).describe("The whole new content."),
})

/** Make a file, or replace all of one. */
export function writeTool(): Tool {
  return defineTool({
    id: "write",
    aliases: [],
    description: "Write a file: its whole content. Folders that are missing are made.",
    input: WriteInput,
    requires: ["fs.write"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: (input) => plainPath(input.path),
    execute: async ({ path, content }, runtime) => {
      const bytes = Buffer.from(content)
      return change(path, runtime, { change: () => ({ type: "content", bytes }) })
    },
  })
}

const EditInput = z.strictObject({
  path,
  old_string: z.string().min(1).max(MAX_FILE_BYTES).describe("What is there now, exactly."),
  new_string: z.string().max(MAX_FILE_BYTES).describe("What is to be there instead."),
  replace_all: z.boolean().optional().describe("Replace it wherever it stands."),
})
type EditInput = z.output<typeof EditInput>

/** Change a part of a file, if the file still says what the model thinks it says (TOL-007). */
export function editTool(): Tool {
  return defineTool({
    id: "edit",
    aliases: [],
    description:
      "Replace a piece of a text file. The piece must be there exactly, and once unless replace_all is set.",
    input: EditInput,
    requires: ["fs.read", "fs.write"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: (input) => plainPath(input.path),
    execute: async (input, runtime) => {
      let replaced = 0
      const output = await change(input.path, runtime, {
        reads: true,
        change: (current) => {
          const edited = edit(current, input)
          if (edited.type === "nothing") return edited
          replaced = edited.count
          return { type: "content", bytes: Buffer.from(edited.text) }
        },
      })
      return { ...output, data: { ...recordOf(output.data), replaced } }
    },
  })
}

type Edited =
  | { readonly type: "text"; readonly text: string; readonly count: number }
  | { readonly type: "nothing"; readonly reason: string }

function edit(current: Uint8Array | null, input: EditInput): Edited {
  const { path, old_string, new_string, replace_all = false } = input
  if (current === null) return nothing(`${path} does not exist`)
  const text = decodeText(current, true, "utf-8")
  if (text === undefined || !Buffer.from(text).equals(withoutMark(current)))
    return nothing(`${path} is not UTF-8 text: write it whole instead`)
  if (old_string === new_string) return nothing("the new text is the old one")
  const pieces = text.split(old_string)
  const count = pieces.length - 1
  if (count === 0) return nothing(`${path} does not say that: read it again`)
  if (count > 1 && !replace_all)
    return nothing(`${path} says that ${count} times: say more of it, or set replace_all`)
  return { type: "text", text: markOf(current) + pieces.join(new_string), count }
}

const MARK = Buffer.from([0xef, 0xbb, 0xbf])

function withoutMark(bytes: Uint8Array): Uint8Array {
  return MARK.equals(bytes.subarray(0, 3)) ? bytes.subarray(3) : bytes
}

function markOf(bytes: Uint8Array): string {
  return MARK.equals(bytes.subarray(0, 3)) ? "\uFEFF" : ""
}

function nothing(reason: string): Edited & Changed {
  return { type: "nothing", reason }
}

interface Intent {
  readonly change: (current: Uint8Array | null) => Changed
  /** It tells something of what is there. */
  readonly reads?: boolean
}

async function change(path: string, runtime: ToolRuntime, intent: Intent): Promise<ToolOutput> {
  const place = await resolveToolPath(path, runtime)
  if (place.kind === "scope")
    throw new ToolError(`${path} lies in a folder that was given to read, not to write.`)
  const digests: { before?: string; after?: string } = {}
  const lacking = place.kind === "scratch" ? await room(runtime) : undefined
  const mutated = await mutateFile({
    root: place.root,
    path: place.path,
    permit: (realPath, size) => lacking?.(size) ?? refusal(place, realPath, { runtime, intent }),
    change: (current) => {
      runtime.signal.throwIfAborted()
      const changed = intent.change(current)
      if (current) digests.before = digestOf(current)
      if (changed.type === "content") digests.after = digestOf(changed.bytes)
      return changed
    },
    max_bytes: MAX_FILE_BYTES,
  })
  const { size, created, realPath } = requireGranted(mutated)
  const { before, after } = digests
  if (!created && before !== undefined && after !== undefined)
    await runtime.wrote?.({ path: realPath, before, after })
  return { data: { path, bytes: size, created } }
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${hash("sha256", bytes)}`
}

/** Says why so many bytes do not fit into scratch. */
async function room(runtime: ToolRuntime): Promise<(size: number) => string | undefined> {
  const scratch = await scratchOf(runtime)
  const { bytes, files } = await scratch.usage()
  const { quota } = scratch
  return (size) =>
    bytes + size > quota.bytes || files >= quota.files
      ? `scratch is full: it holds ${bytes} of ${quota.bytes} bytes in ${files} files`
      : undefined
}

async function refusal(
  place: ToolPath,
  realPath: string,
  { runtime, intent }: { readonly runtime: ToolRuntime; readonly intent: Intent },
): Promise<string | undefined> {
  const denied = deniedAt(place, realPath, "fs.write", runtime) ?? disguised(place, realPath)
  if (denied !== undefined) return denied
  const verdict = await runtime.ingress({ origin: "ref", path: realPath })
  if (verdict.verdict !== "deny") return undefined
  // What git ignores may be written; what holds secrets may not, and neither may be looked into.
  return intent.reads || verdict.rule === "deny" ? verdict.reason : undefined
}

/** Who was asked saw the path as it was written: what other programs obey is named by its own. */
function disguised({ kind, root, path }: ToolPath, realPath: string): string | undefined {
  const real = relative(resolve(root), realPath)
  if (kind !== "workspace" || !isGuarded(real) || isGuarded(path)) return undefined
  return `${path} leads to ${real}, which other programs obey: write to it by that path`
}
