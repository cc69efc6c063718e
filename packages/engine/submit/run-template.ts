import type { Part } from "compositor-core/parts/table"
import type { ExpandedPart } from "compositor-core/catalog/expand"
import { Refusal } from "compositor-core/message/refusal"

export interface TemplateDependencies {
  /** Run a command that the user has seen and approved; its output comes back as text. */
  shell(command: string): Promise<string>
  /** Whether there is a file at this path. */
  isFile(path: string): Promise<boolean>
}

/** What a filled template comes to: files that are not there go back to text, and then what is to be
 *  run is run. Nothing is, before the user was shown all of it and said yes (BEY-05). */
export async function ranParts(
  rooms: TemplateDependencies,
  parts: readonly ExpandedPart[],
  approved_shell: readonly string[] = [],
): Promise<Part[]> {
  const commands = parts.flatMap((part) => (part.type === "shell" ? [part.command] : []))
  const approved = new Set(approved_shell)
  const unseen = commands.filter((command) => !approved.has(command))
  if (unseen.length > 0)
    throw new Refusal(
      "shell_approval",
      `this command runs ${unseen.length === 1 ? "a shell command" : "shell commands"}: approve what is shown`,
      unseen.map((command, at) => ({ path: `/approved_shell/${at}`, message: command })),
    )
  const found = joined(await Promise.all(parts.map((part) => foundPart(rooms, part))))
  return Promise.all(found.map((part) => partOf(rooms, part)))
}

// `@team` in a template may be a file or a word: what is there decides.
async function foundPart(rooms: TemplateDependencies, part: ExpandedPart): Promise<ExpandedPart> {
  if (part.type !== "file-ref" || part.ref.kind !== "path") return part
  return (await rooms.isFile(part.ref.path)) ? part : { type: "text", text: part.raw }
}

function joined(parts: readonly ExpandedPart[]): ExpandedPart[] {
  const all: ExpandedPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (last?.type === "text" && part.type === "text")
      all[all.length - 1] = { type: "text", text: last.text + part.text }
    else all.push(part)
  }
  return all
}

async function partOf(rooms: TemplateDependencies, part: ExpandedPart): Promise<Part> {
  if (part.type === "shell") return { type: "text", text: await rooms.shell(part.command) }
  if (part.type === "file-ref") return { type: "file-ref", ref: part.ref }
  return part
}
