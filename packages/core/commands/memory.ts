import type { CommandActions, MemoryReply } from "./command-actions.ts"
import { type CommandCall, defineCommand, optionalArgument } from "./define-command.ts"

export const memoryCommand = defineCommand({
  name: "memory",
  aliases: [],
  about: "List, show, edit or remove what is remembered",
  arguments: [
    { ...optionalArgument("verb", "what to do"), options: ["list", "show", "edit", "rm"] },
    optionalArgument("name", "which memory"),
  ],
  when: "at-once",
  changes: true,
  perform: changeMemory,
  example: "/memory list",
})

type MemoryActions = Pick<
  CommandActions,
  "listMemories" | "countProposedMemories" | "readMemory" | "rewriteMemory" | "deleteMemory"
>

const VERB = /^(\w+)(?:\s+(\S+))?(?:\s+([^]+))?$/

async function changeMemory({ typed }: CommandCall, actions: MemoryActions): Promise<string> {
  const [, verb = "list", name = "", body = ""] = VERB.exec(typed.trim()) ?? []
  switch (verb) {
    case "list":
      return listAll(actions)
    case "show":
      return say(await actions.readMemory(name), (memory) => memory)
    case "rm":
      return say(await actions.deleteMemory(name), () => `${name} is forgotten.`)
    case "edit":
      return edit(actions, name, body)
    default:
      return `/memory knows list, show, edit and rm; not ${verb}.`
  }
}

async function listAll(actions: MemoryActions): Promise<string> {
  const lines = await actions.listMemories()
  const proposed = await actions.countProposedMemories()
  const more = proposed === 0 ? [] : [`${proposed} proposed: compositor memory proposals`]
  return [...(lines.length === 0 ? ["Nothing is remembered yet."] : lines), ...more].join("\n")
}

async function edit(actions: MemoryActions, name: string, body: string): Promise<string> {
  const known = await actions.readMemory(name)
  if (known.type === "failed") return known.message
  if (body === "") return `Say what ${name} is to be: /memory edit ${name} …`
  return say(await actions.rewriteMemory(name, body), () => `${name} is changed.`)
}

function say(outcome: MemoryReply, sentence: (body: string) => string): string {
  return outcome.type === "done" ? sentence(outcome.body) : outcome.message
}
