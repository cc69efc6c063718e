import type { Transcriber } from "compositor-files/formats/transcriber"
import type { FetchOptions } from "compositor-files/fetch/fetch"
import { attachTool } from "../tools/attach.ts"
import { bashTool } from "../tools/bash.ts"
import { convertTool } from "../tools/convert.ts"
import { extractTool } from "../tools/extract.ts"
import { globTool, type Hiding } from "../tools/glob.ts"
import { grepTool } from "../tools/grep.ts"
import { questionTool, todoTool } from "../tools/human.ts"
import { type MemoryToolDependencies, memoryTools } from "../memory/memory-tools.ts"
import { readTool } from "../tools/read.ts"
import { readImageTool, type ShrinkImage } from "../tools/read-image.ts"
import { type SkillAccess, skillTool } from "../tools/skill.ts"
import type { Tool } from "../tools/tool.ts"
import { webFetchTool } from "../tools/web-fetch.ts"
import { editTool, writeTool } from "../tools/write.ts"

/** What the tools need. A tool that misses what it needs says so and is not offered. */
interface BuiltinToolDependencies {
  /** What a search does not show. */
  readonly hiding?: Hiding | undefined
  /** Why there is no shell here; undefined when there is one (`sandboxFault`). */
  readonly shell_fault: string | undefined
  readonly fetch?: Omit<FetchOptions, "signal"> | undefined
  readonly shrink?: ShrinkImage | undefined
  /** Who turns speech into text, where someone does. */
  readonly transcriber?: Transcriber | undefined
  readonly skills?: SkillAccess | undefined
  readonly memory?: MemoryToolDependencies | undefined
}

/** The tools that every agent may be given; its manifest chooses among them. */
export function builtinTools(rooms: BuiltinToolDependencies): readonly Tool[] {
  return makeBuiltInTools(rooms).filter(({ absent }) => absent === undefined)
}

/** Every built-in tool, also those that say why they are absent. */
export function makeBuiltInTools(rooms: BuiltinToolDependencies): readonly Tool[] {
  const hiding: Hiding = rooms.hiding ?? (() => undefined)
  return [
    readTool(),
    readImageTool(rooms.shrink),
    writeTool(),
    editTool(),
    globTool(hiding),
    grepTool(hiding),
    bashTool(hiding, rooms.shell_fault),
    webFetchTool(rooms.fetch),
    extractTool(),
    convertTool(rooms.transcriber),
    attachTool(rooms.shrink),
    skillTool(rooms.skills),
    ...memoryTools(rooms.memory),
    questionTool(),
    todoTool(),
  ]
}
