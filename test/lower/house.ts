import type { Policy } from "../../packages/core/lower/policy.ts"
import type { NamedPart } from "../../packages/core/lower/loaded-part.ts"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"
import type { Capture } from "../../packages/engine/loading/capture.ts"
import { load } from "../../packages/engine/loading/load.ts"
import { lower } from "../../packages/core/lower/lower.ts"
import { LOAD_LIMITS, type Sources } from "../../packages/engine/loading/sources.ts"
import type { Capabilities } from "../../packages/core/model/capabilities.ts"
import type { Block } from "../../packages/core/model/prompt.ts"
import { temporaryFolder } from "../build.ts"

/** A workspace and a blob store of one test, and the way of a message through them. */
export class House {
  readonly root: string
  readonly blobs: FileBlobs
  readonly captures = new Map<string, Capture>()

  constructor(folder: string) {
    this.root = join(folder, "ws")
    this.blobs = new FileBlobs(join(folder, "blobs"))
  }

  async write(path: string, bytes: string | Uint8Array) {
    const file = join(this.root, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }

  sources(more: Partial<Sources> = {}): Sources {
    return {
      workspace_root: this.root,
      read: readWorkspaceFile,
      blobs: this.blobs,
      captured: (part_id) => this.captures.get(part_id),
      limits: LOAD_LIMITS,
      ...more,
    }
  }

  /** Load and lower, and keep what was captured, as a turn does. */
  async lower(
    parts: readonly NamedPart[],
    capabilities: Capabilities,
    more: Partial<Sources> & { readonly policy?: Policy } = {},
  ) {
    const { policy, ...sources } = more
    const loaded = await load(parts, this.sources({ capabilities, ...sources }))
    for (const capture of loaded.captures) this.captures.set(capture.part_id, capture)
    const lowered = lower(loaded.parts, capabilities, policy)
    return { ...lowered, parts: loaded.parts, shown: lowered.blocks.map(shown) }
  }
}

export async function house(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const built = new House(await temporaryFolder())
  await mkdir(built.root)
  for (const [path, bytes] of Object.entries(files)) await built.write(path, bytes)
  return built
}

/** Media show as their type. */
export function shown(block: Block): string {
  return block.type === "text" ? block.text : `<${block.media.mime}>`
}
