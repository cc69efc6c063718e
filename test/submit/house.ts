import { openPart } from "../../packages/core/parts/table.ts"
import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { partsOfInput } from "../../packages/core/compose/bridge.ts"
import { parse } from "../../packages/core/compose/parse.ts"
import type { Vocabulary } from "../../packages/core/compose/vocabulary.ts"
import type { PromptBlock } from "../../packages/core/model/prompt.ts"
import type { Submission, Submitted } from "../../packages/engine/submit/submit.ts"
import { temporaryFolder } from "../build.ts"
import { type House, newSession, openHouse } from "../session/house.ts"

export interface Desk extends House {
  readonly session: string
  readonly home: string
}

/** A host with command files in the user's home, who is trusted, and a workspace of its own. */
export async function openDesk(files: Readonly<Record<string, string>> = {}): Promise<Desk> {
  const home = join(await temporaryFolder(), "home")
  for (const [path, text] of Object.entries(files)) await write(join(home, path), text)
  const house = await openHouse({ script: [{ text: "ok" }], environment: { HOME: home } })
  return { ...house, home, session: await newSession(house) }
}

export async function write(path: string, text: string) {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
}

/** Send what someone typed, as every surface does: parsed, bridged, resolved. */
export async function typed(
  desk: Desk,
  source: string,
  more: Partial<Submission> = {},
): Promise<Submitted> {
  const vocabulary = await vocabularyOf(desk)
  const parts = partsOfInput({ source, nodes: parse(source, vocabulary) }, vocabulary)
  const metadata = { composer_input: { source } }
  const { session: session_id } = desk
  return desk.host.submit({
    session_id,
    metadata,
    ...more,
    parts: [...parts.map(openPart), ...(more.parts ?? [])],
  })
}

export async function vocabularyOf({ host, workspace }: Desk): Promise<Vocabulary> {
  return host.entities.vocabulary({ session_id: null, workspace_root: workspace })
}

/** All that the model was shown of the last message, block by block: what was said, and what the
 *  skills gave out that it named. */
export async function seen(desk: Desk): Promise<string[]> {
  await desk.host.idle()
  const prompt = desk.model.calls.at(-1)?.prompt ?? []
  const answered = prompt.findLastIndex(
    ({ role, blocks }) => role === "assistant" && isSaid(blocks),
  )
  const blocks = prompt.slice(answered + 1).flatMap((message) => message.blocks)
  return blocks.flatMap(shownOf)
}

function isSaid(blocks: readonly PromptBlock[]): boolean {
  return blocks.some(({ type }) => type === "text")
}

function shownOf(block: PromptBlock): string[] {
  if (block.type === "text") return [block.text]
  if (block.type === "tool-call") return []
  return block.type === "tool-result" ? block.blocks.flatMap(shownOf) : [`<${block.type}>`]
}

export function partsIn({ message }: Submitted) {
  return (message?.message.parts ?? []).map(({ data }) => data as Record<string, unknown>)
}
