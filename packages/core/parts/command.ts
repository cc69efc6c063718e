import type { z } from "zod"
import { verdict } from "../file/verdict.ts"
import { MAX_NAME_CHARACTERS } from "../message/limits.ts"
import { noTitle, nothing, type PartChip } from "./chip.ts"
import { asItCame, definePart, none, type SourcePiece } from "./define-part.ts"
import type { Schemas } from "./schemas.ts"

const schema = ({ z }: Schemas) =>
  z.looseObject({
    type: z.literal("command"),
    id: z
      .string()
      .regex(/^\/\S+$/, "must be / and a name")
      .max(MAX_NAME_CHARACTERS),
    args: z.record(z.string(), z.unknown()),
  })
export type CommandPart = z.infer<ReturnType<typeof schema>>

export const commandChip: PartChip<CommandPart> = {
  look: "chip",
  tone: "violet",
  icon: "none",
  label: ({ id, args, raw }) => {
    if (typeof raw === "string") return raw
    const { raw: typed, text: _text, ...named } = args
    const said = typeof typed === "string" ? [typed] : Object.values(named).map(String)
    return [id, ...said].join(" ").trim()
  },
  title: noTitle,
  mark: ({ id, raw }) => (typeof raw === "string" ? raw : id),
  line: ({ id, raw }) => (typeof raw === "string" ? raw : id),
  file: nothing,
  needs: ({ id, outcome }) =>
    outcome === "pass-through" ? [] : [{ of: "command", name: id.slice(1) }],
}

/** A command of the user's. It was carried out on submit: what it came to stands beside it. */
export const commandPart = /* @__PURE__ */ definePart({
  type: "command",
  schema,
  texts: { "**": "paste" },
  blobs: none,
  handles: none,
  load: none,
  origin: "ref",
  lower: (part) =>
    part.outcome === "pass-through"
      ? verdict("inlined", "CMP-044", {
          reason: "No command has this name, so it is sent as it was typed.",
          text: typedCommand(part),
        })
      : verdict("resolved-out", "CMP-106", { reason: "The command was carried out on submit." }),
  voice: () => "user",
  words: ({ raw, outcome }) =>
    outcome === "pass-through" && typeof raw === "string" ? raw.toWellFormed() : "",
  acp: (part) => ({
    block: { type: "text", text: typedCommand(part) },
    lost: "a command is carried as it was typed",
  }),
  keep: asItCame,
  source: piecesOf,
  names: ({ id, outcome }) =>
    outcome === "pass-through" ? [] : [{ kind: "command", name: id.slice(1) }],
  chip: commandChip,
  example: { type: "command", id: "/review", args: { raw: "all of it" } },
})

function typedCommand({ id, raw, args }: CommandPart): string {
  if (typeof raw === "string") return raw
  return typeof args.raw === "string" && args.raw !== "" ? `${id} ${args.raw}` : id
}

function piecesOf({ id, args, chosen, outcome, raw }: CommandPart): SourcePiece[] {
  const { raw: argued, text: _text, ...given } = args
  const node = {
    kind: "slash_command",
    name: id.slice(1),
    ...(outcome === "pass-through" ? { unknown: true } : {}),
    ...(chosen === true ? { chosen } : {}),
    ...(Object.keys(given).length > 0 ? { args: given } : {}),
  }
  if (typeof raw === "string" && raw.startsWith(id))
    return [{ ...node, raw: id }, raw.slice(id.length)]
  return typeof argued === "string" && argued !== "" ? [node, ` ${argued}`] : [node]
}
