import type { Part } from "compositor-core/parts/table"
import { basename } from "node:path"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"
import { HttpError } from "./errors.ts"

export interface NamedFile {
  readonly path: string
  readonly mime?: string | undefined
  readonly filename?: string | undefined
}

const MAX_ATTACHMENT_BYTES = 16 * 1024 * 1024

/** Files that a sender names by path become attachments; one that cannot be read refuses the whole
 *  message, by name, so that nothing is sent half (ATT-007, ATT-009). */
export async function attachmentParts(
  files: readonly NamedFile[],
  workspace_root: string | null,
): Promise<Part[]> {
  const parts: Part[] = []
  for (const [at, file] of files.entries())
    parts.push(await attachmentPart(file, workspace_root, at))
  return parts
}

async function attachmentPart(file: NamedFile, root: string | null, at: number): Promise<Part> {
  if (root === null) throw refused(at, `${file.path}: this session has no workspace`)
  const path = file.path.replace(/^file:\/\//, "")
  const read = await readWorkspaceFile(root, path, { maxBytes: MAX_ATTACHMENT_BYTES })
  if (read.type === "refused") throw refused(at, read.reason)
  if (read.type === "too-large") throw refused(at, `${file.path} is too large to be sent this way`)
  return {
    type: "file-attachment",
    name: file.filename ?? basename(path),
    mime: file.mime ?? "application/octet-stream",
    data: Buffer.from(read.bytes).toString("base64"),
  }
}

function refused(at: number, message: string): HttpError {
  const path = `/attachments/${at}/path`
  return new HttpError(422, "validation_failed", `${path}: ${message}`, [{ path, message }])
}
