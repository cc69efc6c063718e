import { constants, type Stats } from "node:fs"
import { type FileHandle, open, readlink, realpath } from "node:fs/promises"
import { isAbsolute, relative, resolve } from "node:path"
import type { NamedAttachment } from "../attachments.ts"
import { formPath } from "../forms.ts"

export interface PromptFile {
  readonly attachment: NamedAttachment
  /** Where it lies, with every link followed. */
  readonly path: string
  readonly size: number
  /** Its bytes, where they were wanted and are not too many. */
  readonly bytes: Buffer | undefined
}

type LookedUp =
  | { readonly type: "found"; readonly files: readonly PromptFile[] }
  | { readonly type: "refused"; readonly item: number; readonly message: string }

/** A picture that is larger is named, not carried. */
const MAX_CARRIED_BYTES = 16 * 1024 * 1024

interface PromptFolders {
  /** What paths are relative to. */
  readonly cwd: string
  /** The folders that files may lie in. */
  readonly roots: readonly string[]
  readonly wantsBytes: (attachment: NamedAttachment) => boolean
}

/** The files that a prompt attaches, all of them or none (ATT-009). */
export async function lookUp(
  attachments: readonly NamedAttachment[],
  place: PromptFolders,
): Promise<LookedUp> {
  const files: PromptFile[] = []
  for (const [item, attachment] of attachments.entries()) {
    const found = await findFile(attachment, place)
    if (typeof found === "string")
      return { type: "refused", item, message: `attachments/${item}: ${found}` }
    files.push(found)
  }
  return { type: "found", files }
}

/** The file, or why it may not be attached. */
async function findFile(
  attachment: NamedAttachment,
  place: PromptFolders,
): Promise<PromptFile | string> {
  const { path } = attachment
  const wanted = resolve(place.cwd, formPath(path))
  // A pipe or a device must not hold us up before we know that it is one.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY
  const file = await open(wanted, flags).catch((error: NodeJS.ErrnoException) => error)
  if (file instanceof Error) return `${path}: ${sentenceOf(file)}`
  try {
    return await examine(file, attachment, { ...place, wanted })
  } finally {
    await file.close()
  }
}

async function examine(
  file: FileHandle,
  attachment: NamedAttachment,
  { roots, wantsBytes, wanted }: PromptFolders & { readonly wanted: string },
): Promise<PromptFile | string> {
  const stats: Stats = await file.stat()
  if (!stats.isFile()) return `${attachment.path} is not a regular file`
  // What was opened counts, not what its name leads to by now.
  const path = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(wanted))
  const inside = await Promise.all(roots.map((root) => isInside(root, path)))
  if (!inside.includes(true)) return `${attachment.path} lies outside the folders that may be read`
  const carried = wantsBytes(attachment) && stats.size <= MAX_CARRIED_BYTES
  const bytes = carried ? await readAll(file, stats.size) : undefined
  return { attachment, path, size: stats.size, bytes }
}

async function isInside(root: string, path: string): Promise<boolean> {
  const steps = relative(await realpath(root).catch(() => root), path)
  return steps !== "" && !steps.startsWith("..") && !isAbsolute(steps)
}

async function readAll(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size)
  const { bytesRead } = await file.read(bytes, 0, size, 0)
  return bytes.subarray(0, bytesRead)
}

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "there is no such file",
  EACCES: "it may not be read",
  ELOOP: "its links lead in a circle",
  ENAMETOOLONG: "its name is too long",
}

function sentenceOf(error: NodeJS.ErrnoException): string {
  return SENTENCES[error.code ?? ""] ?? error.message
}
