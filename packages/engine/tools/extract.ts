import { z } from "zod"
import { randomBytes } from "node:crypto"
import { extractArchive } from "compositor-files/archives/archive"
import { safeName } from "compositor-core/file/attachment-path"
import { openWithin, pathThrough } from "compositor-files/disk/within"
import { walkFolder } from "compositor-files/workspace/walk"
import { cutList } from "./output.ts"
import {
  requireAdmitted,
  deniedAt,
  requireGranted,
  resolveToolPath,
  plainPath,
  scratchOf,
} from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const SHOWN_ENTRIES = 1000

const Input = z.strictObject({
  path: z.string().min(1).max(4096).describe("An archive: zip, tar, gz, bz2, xz, zst, 7z or rar."),
})

/** An archive's files in scratch, where each can be read like any other (BIN-060). */
export function extractTool(): Tool {
  return defineTool({
    id: "extract",
    aliases: [],
    description: "Extract an archive into scratch and list what came out of it.",
    input: Input,
    requires: ["fs.read"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: undefined,
    subject: ({ path }) => plainPath(path),
    execute: ({ path }, runtime) => unpack(path, runtime),
  })
}

async function unpack(path: string, runtime: ToolRuntime): Promise<ToolOutput> {
  const place = await resolveToolPath(path, runtime)
  const opened = requireGranted(await openWithin(place.root, place.path, "file"))
  const { handle, realPath } = opened
  try {
    const denial = deniedAt(place, realPath, "fs.read", runtime)
    if (denial !== undefined) throw new ToolError(`${denial}.`)
    requireAdmitted(
      await runtime.ingress({ origin: "ref", path: realPath, size: opened.stats.size }),
    )
    const source = { path: await pathThrough(handle, realPath), name: safeName(place.path) }
    return await into(source, runtime)
  } finally {
    await handle.close()
  }
}

async function into(
  source: { readonly path: string; readonly name: string },
  runtime: ToolRuntime,
): Promise<ToolOutput> {
  const scratch = await scratchOf(runtime)
  const used = await scratch.usage()
  const folder = `${safeName(source.name)}-${randomBytes(3).toString("hex")}`
  const to = `${scratch.path}/${folder}`
  // Files and folders count alike in scratch, and the folder itself is one.
  const files = Math.floor((scratch.quota.files - used.files - 1) / 2)
  const limits = { bytes: scratch.quota.bytes - used.bytes, files }
  if (limits.bytes <= 0 || limits.files <= 0) throw new ToolError("Scratch is full.")
  const extracted = await extractArchive(source, { to, limits, signal: runtime.signal })
  if (extracted.type === "unsupported")
    throw new ToolError(`${source.name} is not an archive that can be extracted here.`)
  if (extracted.type !== "extracted")
    throw new ToolError(`Nothing of ${source.name} was extracted: ${extracted.reason}.`)
  const paths: string[] = []
  const options = { root: scratch.path, folder, max_files: scratch.quota.files }
  for await (const entry of walkFolder(options))
    if (!("type" in entry) && !entry.is_folder) paths.push(`${scratch.path}/${entry.path}`)
  const cut = await cutList(paths, SHOWN_ENTRIES, { runtime, line: (each) => each })
  const { bytes, notes } = extracted
  const data = { folder: to, files: paths.length, bytes, paths: cut.items }
  return { data: { ...data, ...(notes.length > 0 ? { notes } : {}) }, ...cut.about }
}
