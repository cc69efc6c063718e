import { decodeText } from "compositor-files/kinds/sniff"
import { walkFolder } from "compositor-files/workspace/walk"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"
import { finishInSlices, searchSecrets } from "../policy/secrets/find-secrets.ts"
import { marker } from "../policy/secrets/redact.ts"
import type { AdmittedText } from "./place.ts"
import type { ToolRuntime } from "./tool.ts"

/** A line of a key is no key by itself, and a shell can print it alone. The long words of an output are
 *  compared with the secrets that the files of the workspace hold, and removed where they are pieces of
 *  one. Which words look random is not asked: a piece of a key may have no digit in it. Files that are
 *  large, or come behind the first many or after some seconds, are not looked into. */
export async function withoutPiecesOfSecrets(
  shown: AdmittedText,
  runtime: ToolRuntime,
): Promise<AdmittedText> {
  const runs = longWords(shown.text)
  if (runs.length === 0 || runtime.workspace_root === null) return shown
  const pieces = await piecesIn(runtime.workspace_root, runs, runtime.signal)
  if (pieces.size === 0) return shown
  let { text } = shown
  for (const [run, kind] of pieces) text = text.replaceAll(run, marker(kind))
  const kinds = [...new Set(pieces.values())].join(", ")
  const note = `removed from the command's output: pieces of ${kinds} in files of the workspace`
  return { text, note: shown.note === null ? note : `${shown.note}; ${note}` }
}

const WORD = /[\w+/=-]{16,4096}/g
const MAX_WORDS = 20_000

/** Letters of one case alone are a name or prose; the longest come first, so that none is cut up. */
function longWords(text: string): string[] {
  const words = new Set<string>()
  for (const [word] of text.matchAll(WORD)) {
    if (/[a-z]/.test(word) ? /[A-Z0-9]/.test(word) : /\d/.test(word)) words.add(word)
    if (words.size >= MAX_WORDS) break
  }
  return [...words].toSorted((one, other) => other.length - one.length)
}

const MAX_FILES = 20_000
const MAX_FILE_BYTES = 256 * 1024
const SEARCH_MS = 10_000

async function piecesIn(root: string, runs: readonly string[], signal: AbortSignal) {
  const pieces = new Map<string, string>()
  const end = performance.now() + SEARCH_MS
  for await (const entry of walkFolder({ root, folder: "", signal, max_files: MAX_FILES })) {
    if ("type" in entry || entry.is_folder || isLarge(entry.path)) continue
    if (performance.now() > end || pieces.size === runs.length) break
    const read = await readWorkspaceFile(root, entry.path, { maxBytes: MAX_FILE_BYTES })
    if (read.type !== "content" || read.bytes.includes(0)) continue
    await addPieces(decodeText(read.bytes) ?? "", runs, pieces)
  }
  return pieces
}

/** What others made and keep: nobody's secrets, and very many files. */
function isLarge(path: string): boolean {
  return /(?:^|\/)(?:node_modules|\.git\/objects)\//.test(path)
}

async function addPieces(text: string, runs: readonly string[], pieces: Map<string, string>) {
  const { secrets } = await finishInSlices(searchSecrets(text))
  for (const { kind, start, end } of secrets) {
    const secret = text.slice(start, end)
    for (const run of runs) if (secret.includes(run)) pieces.set(run, kind)
  }
}
