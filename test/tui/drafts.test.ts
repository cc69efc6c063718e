import { describe, expect, it } from "vitest"
import { type ComposedDraft, SharedDraft } from "../../apps/tui/draft-desk.ts"
import { newSession, openServed, type Served } from "../host/served.ts"
import { missing } from "../machine.ts"
import { until } from "../session/house.ts"
import { Terminal } from "./terminal.ts"

/** A composer without a terminal, in step with the server. */
function composer({ client }: Pick<Served, "client">) {
  const lost: string[] = []
  const state: { now: ComposedDraft; lent: boolean } = { now: said(""), lent: false }
  const desk = new SharedDraft(client, {
    read: () => state.now,
    write: (draft) => {
      state.now = draft
    },
    lent: () => state.lent,
    outrun: ({ source }) => lost.push(source),
  })
  const type = (source: string) => {
    state.now = said(source)
    desk.changed()
  }
  return { desk, state, lost, type }
}

function said(source: string): ComposedDraft {
  return { source, attachments: [] }
}

/** What the page does: it says on which revision it goes on. */
async function fromThePage({ client }: Pick<Served, "client">, id: string, source: string) {
  const { revision } = await client.draft.get(id)
  const draft = { source, attachments: [] }
  return client.draft.save(id, { base_revision: revision, draft, updated_by: "web:1" })
}

describe("drafts in the terminal", { timeout: 30_000 }, () => {
  it("[BEY-10] are the session's, whoever began them", async () => {
    const served = await openServed()
    const [one, other] = [await newSession(served), await newSession(served)]
    await fromThePage(served, one, "begun in the browser")
    const { desk, state, type } = composer(served)
    await desk.open(one)
    expect(state.now).toEqual(said("begun in the browser"))
    type("begun in the browser, finished here")
    await until(async () => (await served.client.draft.get(one)).updated_by === desk.name)
    type("and one word more")
    await desk.open(other)
    expect(state.now).toEqual(said(""))
    await desk.open(one)
    expect(state.now).toEqual(said("and one word more"))
  })

  it("[BEY-10] take over what another surface wrote, as long as nothing was typed here", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const { desk, state, lost } = composer(served)
    await desk.open(id)
    const { revision } = await fromThePage(served, id, "from the page")
    desk.heard({ revision, updated_by: "web:1" })
    await until(() => state.now.source === "from the page")
    expect(lost).toEqual([])
  })

  it("[BEY-10] that were written at once are both kept: one on show, one in the stash", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const { desk, state, lost, type } = composer(served)
    await desk.open(id)
    await fromThePage(served, id, "from the page")
    type("from here")
    await desk.flush()
    expect(state.now).toEqual(said("from the page"))
    expect(lost).toEqual(["from here"])
    expect(await desk.stash()).toEqual([said("from here")])
  })

  it("[BEY-10] of what was sent elsewhere give way to what is typed here", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const { desk, state, type } = composer(served)
    await desk.open(id)
    await fromThePage(served, id, "to be sent")
    await fromThePage(served, id, "")
    type("next thought")
    await desk.flush()
    expect(state.now).toEqual(said("next thought"))
    expect((await served.client.draft.get(id)).draft).toMatchObject({ source: "next thought" })
  })

  it("[BEY-10] that wait at the start give way to what was typed before, and are stashed", async () => {
    const served = await openServed()
    const id = await newSession(served)
    await fromThePage(served, id, "from yesterday")
    const { desk, state, lost, type } = composer(served)
    type("typed at once")
    await desk.open(id)
    expect(state.now).toEqual(said("typed at once"))
    expect(lost).toEqual(["from yesterday"])
    expect(await desk.stash()).toEqual([said("from yesterday")])
    expect((await served.client.draft.get(id)).draft).toMatchObject({ source: "typed at once" })
  })

  it("[EA-023] are left alone while a queued message is edited in their place", async () => {
    const served = await openServed()
    const id = await newSession(served)
    const { desk, state, type } = composer(served)
    await desk.open(id)
    type("the draft")
    await desk.flush()
    state.lent = true
    type("the queued message")
    await desk.flush()
    expect((await served.client.draft.get(id)).draft).toMatchObject({ source: "the draft" })
  })

  it.skipIf(missing("tmux"))(
    "[BEY-10] go from the browser to the screen and back, and are empty once sent",
    { timeout: 60_000 },
    async () => {
      const terminal = await Terminal.open()
      await terminal.shows("ready")
      const id = await terminal.session()
      await fromThePage(terminal, id, "look at\tthis\nplease")
      await terminal.shows(/\[pasted 1 line #1\]\nplease/)
      terminal.type(" now")
      await until(async () => {
        const { draft } = await terminal.client.draft.get(id)
        return draft?.source === "look at\tthis\nplease now"
      })
      terminal.press("Enter")
      await terminal.shows(/\nok\n/)
      expect(await terminal.said(id)).toMatchObject([[{ text: "look at\tthis\nplease now" }]])
      await until(async () => (await terminal.client.draft.get(id)).draft?.source === "")
    },
  )

  it.skipIf(missing("tmux"))(
    "[BEY-10] stay with their session when another is opened",
    { timeout: 60_000 },
    async () => {
      const terminal = await Terminal.open({ shell: true })
      await terminal.shows("ready")
      const first = await terminal.session()
      terminal.type("hello", "Enter")
      await terminal.shows(/\nok\n/)
      terminal.type("half a thought")
      await terminal.shows("half a thought")
      terminal.press("C-r")
      await terminal.shows("Session:")
      terminal.press("Escape")
      await terminal.shut("Session:")
      terminal.press("Home")
      terminal.press("C-c")
      await terminal.shut("half a thought")
      terminal.press("Up")
      await terminal.shows("half a thought")
      terminal.press("End")
      terminal.type("!")
      await terminal.shows("half a thought!")
      const other = await terminal.client.sessions.create({ workspace_root: terminal.workspace })
      await terminal.client.sessions.update(other.session.id, { title: "elsewhere" })
      terminal.press("C-r")
      await terminal.shows("Session:")
      terminal.type("elsewhere")
      await terminal.shows("→ elsewhere")
      terminal.press("Enter")
      await terminal.shut("half a thought!")
      terminal.type("over there")
      await terminal.shows("over there")
      terminal.press("C-r")
      await terminal.shows("Session:")
      terminal.type("hello")
      await terminal.shows("→ hello")
      terminal.press("Enter")
      await terminal.shows("half a thought!")
      const { draft } = await terminal.client.draft.get(other.session.id)
      expect(draft?.source).toBe("over there")
      expect((await terminal.client.draft.get(first)).draft?.source).toBe("half a thought!")
    },
  )
})
