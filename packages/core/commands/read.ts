import type { FileReference } from "../message/file-reference.ts"
import type { Part } from "../parts/table.ts"
import { fileReference } from "../catalog/file-reference.ts"
import type { CommandActions } from "./command-actions.ts"
import { type CommandCall, defineCommand, requiredArgument } from "./define-command.ts"

export const readCommand = defineCommand({
  name: "read",
  aliases: [],
  about: "Show files to the model, and say something of them",
  arguments: [requiredArgument("path", "a file of the workspace")],
  when: "composes",
  produces: { type: "file-ref" },
  perform: composeReferences,
  example: "/read notes.md what is missing?",
})

type IsFile = CommandActions["isFile"]

/** References to the files that were named, then what is said about them. */
async function composeReferences(
  { typed, named: { path } }: CommandCall,
  { isFile }: Pick<CommandActions, "isFile">,
): Promise<readonly Part[]> {
  if (path !== undefined) return [{ type: "file-ref", ref: fileReference(path) }]
  const { files, words } = await splitArguments(typed, isFile)
  const said: Part[] = words === "" ? [] : [{ type: "text", text: words }]
  return [...files.map((ref): Part => ({ type: "file-ref", ref })), ...said]
}

interface ReadArguments {
  readonly files: readonly FileReference[]
  readonly words: string
}

/** The first word is a file, also one that is not there; so is each word behind it that is one. A name
 *  with blanks stands in quotes, or is as many words as a file is called by. The rest is said. */
async function splitArguments(typed: string, isFile: IsFile): Promise<ReadArguments> {
  const files: FileReference[] = []
  let rest = typed.trim()
  for (;;) {
    const found = await nextFile(rest, isFile)
    if (!found.isThere && files.length > 0) return { files, words: rest }
    files.push(fileReference(found.name))
    rest = rest.slice(found.length).trimStart()
    if (rest === "" || !found.isThere) return { files, words: rest }
  }
}

interface NextFile {
  readonly name: string
  /** Of what was typed for it. */
  readonly length: number
  readonly isThere: boolean
}

const QUOTED = /^(["'])(.+?)\1(?=\s|$)/s
const WORD = /^\S+/
const MAX_WORDS_OF_NAME = 8

async function nextFile(text: string, isFile: IsFile): Promise<NextFile> {
  const quoted = QUOTED.exec(text)
  if (quoted) return { name: quoted[2] ?? "", length: quoted[0].length, isThere: true }
  for (const name of namesIn(text))
    if (await isThere(name, isFile)) return { name, length: name.length, isThere: true }
  const [name = ""] = WORD.exec(text) ?? []
  return { name, length: name.length, isThere: false }
}

/** The beginnings of the line that may be a name, the longest first: a file may be called by several
 *  words, one of which is another file's name. */
function namesIn(text: string): string[] {
  const [line = ""] = text.split("\n", 1)
  const ends = [...line.matchAll(/\S+/g)].slice(0, MAX_WORDS_OF_NAME)
  return ends.map(({ 0: word, index }) => line.slice(0, index + word.length)).toReversed()
}

async function isThere(name: string, isFile: IsFile): Promise<boolean> {
  const ref = fileReference(name)
  if (ref.kind !== "path") return ref.kind === "url" && !/\s/.test(name)
  return isFile(ref.path)
}
