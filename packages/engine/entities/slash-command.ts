import { z } from "zod"

const MAX_DESCRIPTION_CHARACTERS = 4096
const MAX_ARGUMENTS = 50

/** Kebab-case; `skill:` before it where the plain name is another command's. */
export const COMMAND_NAME = /^(?:skill:)?[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/

export const SlashCommandArgument = z.object({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z][a-zA-Z0-9_]*$/, "must be a camelCase or snake_case argument name"),
  type: z.enum(["string", "number", "boolean"]),
  required: z.boolean().optional(),
  description: z.string().max(MAX_DESCRIPTION_CHARACTERS).optional(),
})

/** What a command is called and what a surface may say about it; its meaning is the handler's. */
export const SlashCommand = z.object({
  name: z.string().max(64).regex(COMMAND_NAME, "must be a lowercase kebab-case command name"),
  description: z.string().max(MAX_DESCRIPTION_CHARACTERS).optional(),
  arguments: z
    .array(SlashCommandArgument)
    .max(MAX_ARGUMENTS)
    .refine((all) => isUnique(all), "must have different names")
    .optional(),
})
export type SlashCommand = z.infer<typeof SlashCommand>

export const SlashCommands = z
  .array(SlashCommand)
  .max(2000)
  .refine((all) => isUnique(all), "must have different names")

function isUnique(all: readonly { readonly name: string }[]): boolean {
  return new Set(all.map(({ name }) => name)).size === all.length
}
