import type { FileRefPart, TextPart } from "../message/part.ts"
import type { ActionCommand, Command, CommandArgument, StructuredCommand } from "./command.ts"
import { fileReference } from "./file-reference.ts"

const SOURCE = { tool: "compositor", scope: "builtin", owner: "builtin" } as const

/** The commands that are always there, and that nothing hides (CMP-045). An action is `queued` when
 *  it acts on the session, in its turn; `at-once` when it only shows something (decision 6). */
export const BUILTINS: readonly Command[] = [
  action("branch", "Continue from here in a new session", {
    runs: "queued",
    aliases: ["fork"],
    arguments: [optional("title", "what to call the new session")],
  }),
  action("compact", "Summarise the conversation so far to make room", {
    runs: "queued",
    arguments: [optional("focus", "what the summary should keep")],
  }),
  action("archive", "Put this session away; it can be brought back", { runs: "queued" }),
  action("rewind", "Go back to an earlier message", {
    runs: "queued",
    arguments: [optional("to", "a message id, or how many messages to go back")],
  }),
  action("clear", "Start afresh in this session; what was said is kept, not shown to the model", {
    runs: "queued",
  }),
  action("model", "Choose the model for what follows", {
    runs: "queued",
    arguments: [required("model", "provider/model")],
  }),
  action("memory", "List, show, edit or remove what is remembered", {
    runs: "at-once",
    arguments: [
      { ...optional("verb", "what to do"), options: ["list", "show", "edit", "rm"] },
      optional("name", "which memory"),
    ],
  }),
  action("help", "Show the commands and what they do", {
    runs: "at-once",
    arguments: [optional("command", "the command to explain")],
  }),
  action("xray", "Show what the model saw of the last message", { runs: "at-once" }),
  structured("search", "Ask for a search", {
    produces: { type: "text", intent: "search" },
    arguments: [required("query", "what to look for")],
  }),
  structured("read", "Show files to the model, and say something of them", {
    produces: { type: "file-ref" },
    arguments: [required("path", "a file of the workspace")],
  }),
]

export type StructuredOutcome =
  | { readonly type: "parts"; readonly parts: readonly (TextPart | FileRefPart)[] }
  | { readonly type: "missing"; readonly missing: readonly CommandArgument[] }

/** The parts a structured command stands for; its literal is in none of them (CMP-043, CMP-106). */
export function structuredParts(command: StructuredCommand, typed: string): StructuredOutcome {
  const value = typed.trim()
  const missing = (command.arguments ?? []).filter((argument) => argument.required)
  if (value === "" && missing.length > 0) return { type: "missing", missing }
  switch (command.produces.type) {
    case "text":
      return parts({ type: "text", text: value, intent: command.produces.intent })
    case "file-ref":
      return parts({ type: "file-ref", ref: fileReference(value) })
  }
}

function parts(part: TextPart | FileRefPart): StructuredOutcome {
  return { type: "parts", parts: [part] }
}

function action(
  name: string,
  description: string,
  rest: Pick<ActionCommand, "runs" | "aliases" | "arguments">,
): ActionCommand {
  return { kind: "action", name, description, source: SOURCE, trust: "trusted", ...rest }
}

function structured(
  name: string,
  description: string,
  rest: Pick<StructuredCommand, "produces" | "arguments">,
): StructuredCommand {
  return { kind: "structured", name, description, source: SOURCE, trust: "trusted", ...rest }
}

function optional(name: string, description: string): CommandArgument {
  return { name, type: "string", description }
}

function required(name: string, description: string): CommandArgument {
  return { name, type: "string", description, required: true }
}
