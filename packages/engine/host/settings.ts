import { isAbsolute, join } from "node:path"
import { z } from "zod"
import { FileSettings } from "compositor-files/settings"
import { CompactionConfig } from "../turns/compaction.ts"
import { TextFiles } from "../skills/files.ts"

/** What the user says in `config.json` of the data folder; other keys of it are other rooms'. */
const Settings = z.looseObject({
  memory: z
    .strictObject({
      /** Where the user's memories lie, when not in `~/.agents/memory`. */
      user: z.string().min(1).refine(isAbsolute, "must be an absolute path").optional(),
      /** Where a project's are written: `data` keeps them from its repository, `shared` puts them
       *  into its `.agents/memory`. */
      project: z.enum(["data", "shared"]).default("data"),
    })
    .prefault({}),
  skills: z
    .looseObject({
      /** Further folders of skills (SKL-002). */
      paths: z
        .array(z.string().min(1).refine(isAbsolute, "must be an absolute path"))
        .max(50)
        .default([]),
      /** Addresses that list skills at `index.json`. */
      urls: z
        .array(z.url({ protocol: /^https?$/ }))
        .max(20)
        .default([]),
    })
    .prefault({}),
  /** When and how a conversation is summarised (SES-030). */
  compaction: CompactionConfig.optional(),
  files: FileSettings.prefault({}),
  queue: z
    .looseObject({
      /** So long a message that is being edited is held without a word from its editor (QUE-008). */
      editing_seconds: z.number().min(1).max(86_400).default(120),
    })
    .prefault({}),
})
export type EngineSettings = z.output<typeof Settings>

export const USUAL_SETTINGS: EngineSettings = Settings.parse({})

const FILE = "config.json"

/** Throws a sentence when the file is not as it should be: to ignore what somebody wrote down would be
 *  worse. */
export async function readEngineSettings(data: string): Promise<EngineSettings> {
  const path = join(data, FILE)
  const file = await new TextFiles().read(path, null)
  const value: unknown = file.type === "text" ? JSON.parse(file.text) : {}
  const read = Settings.safeParse(value)
  if (read.success) return read.data
  const faults = read.error.issues.map((issue) => `/${issue.path.join("/")}: ${issue.message}`)
  throw new Error(`${path} does not fit: ${faults.join("; ")}`)
}
