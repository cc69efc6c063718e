import { z } from "zod"

/** What a person should know about a command file, with the place it is about. */
export const CommandFileFinding = z.object({
  level: z.enum(["error", "warning", "note"]),
  /** A short word for the kind of finding, such as `shadowed` or `yaml`. */
  rule: z.string(),
  path: z.string(),
  /** 1-based. */
  line: z.int(),
  /** One sentence. */
  message: z.string(),
})
export type CommandFileFinding = z.infer<typeof CommandFileFinding>

/** Line breaks before `at`, so that `line + linesBefore(text, at)` is where it stands. */
export function linesBefore(text: string, at = text.length): number {
  let count = 0
  for (let feed = text.indexOf("\n"); feed >= 0 && feed < at; feed = text.indexOf("\n", feed + 1))
    count += 1
  return count
}
