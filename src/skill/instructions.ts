import { dirname, join } from "node:path"
import { TextFiles } from "./files.ts"

/** Files in which a project says how to work in it; in one folder the first that is there counts. */
const NAMES = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"]
const MAX_FOLDERS = 64
/** About 8,000 tokens for all of them (SKL-004). */
export const MAX_INSTRUCTION_CHARACTERS = 32_000

export interface Instructions {
  readonly path: string
  readonly text: string
  /** Its end did not fit. */
  readonly cut: boolean
}

/** The project's instructions from the root down to the folder, the nearest last. Where they are too
 *  long together, those furthest away give way first. */
export async function projectInstructions(folder: string, root: string): Promise<Instructions[]> {
  const files = new TextFiles()
  const found: Instructions[] = []
  let room = MAX_INSTRUCTION_CHARACTERS
  for (const current of foldersUp(folder, root)) {
    const file = await firstOf(files, current, root)
    if (!file || room <= 0) continue
    const cut = file.text.length > room
    found.unshift({ ...file, text: cut ? file.text.slice(0, room).toWellFormed() : file.text, cut })
    room -= file.text.length
  }
  return found
}

function foldersUp(folder: string, root: string): string[] {
  const folders = [folder]
  while (folders.length < MAX_FOLDERS) {
    const last = folders.at(-1) ?? root
    if (last === root || dirname(last) === last) break
    folders.push(dirname(last))
  }
  return folders
}

async function firstOf(
  files: TextFiles,
  folder: string,
  root: string,
): Promise<Omit<Instructions, "cut"> | undefined> {
  for (const name of NAMES) {
    const path = join(folder, name)
    const file = await files.read(path, root)
    if (file.type === "text" && file.text.trim() !== "") return { path, text: file.text.trim() }
  }
  return undefined
}

/** The instructions as a system prompt holds them. */
export function printInstructions(instructions: readonly Instructions[]): string {
  return instructions
    .map(({ path, text, cut }) => `Instructions from ${path}:\n${text}${cut ? "\n[cut here]" : ""}`)
    .join("\n\n")
}
