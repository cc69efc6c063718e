import type { SessionScreen } from "./desk.ts"
import type { ComposedDraft, SharedDraft } from "./draft-desk.ts"
import type { Screen } from "./screen.ts"

/** A draft gave way to another. It is in the stash, and the arrow up finds it too. */
export function outrun(desk: SessionScreen, lost: ComposedDraft, { editor }: Screen) {
  if (lost.source !== "") editor.addToHistory(lost.source)
  desk.say("notice", "Two drafts were written at once: one is here, /stash has the other.")
}

/** Let a draft that gave way be taken up again. */
export async function takeUp(desk: SessionScreen, drafts: SharedDraft | undefined, screen: Screen) {
  const stash = (await drafts?.stash()) ?? []
  if (stash.length === 0) return desk.say("notice", "No draft was stashed here.")
  const choices = stash.map(({ source, attachments }, at) => ({
    value: String(at),
    label: source.trim() === "" ? "no text" : source,
    description: attachments.length === 0 ? "" : `${attachments.length} attached`,
  }))
  const chosen = await screen.choose({ title: "Stashed draft", filter: true, choices })
  const draft = chosen === null ? undefined : stash[Number(chosen)]
  if (draft) screen.compose(draft)
}
