import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { Canvas } from "../examples/canvas/canvas.ts"
import { Notebook } from "../examples/notes/notes.ts"
import { createClient } from "../packages/client/client.ts"
import { createApp } from "../packages/server/app.ts"
import { png } from "./build.ts"
import { type Desk, openDesk, seen, write } from "./submit/house.ts"

function clientOf({ host }: Desk) {
  const app = createApp(host, { rules: null })
  return createClient({
    url: "http://in.process",
    token: "-",
    fetch: (url, init) => app.request(url, init),
  })
}

describe("a canvas", () => {
  it("[CMP-075] [CMP-021] [CMP-078] sends what is selected, then only what changed, images as images, pastes as references", async () => {
    const desk = await openDesk()
    const canvas = new Canvas(clientOf(desk), desk.session)
    canvas.select({ id: "box-7", fill: "blue" })
    await canvas.say("make this red")
    expect((await seen(desk)).join("\n")).toContain(
      'kind="selection" source="canvas">{"shapes":[{"id":"box-7"',
    )
    canvas.zoom(2)
    await canvas.drop("idea.png", Uint8Array.from(png(8, 8)))
    canvas.paste({ id: "box-9", fill: "red" })
    await canvas.say("like this, after @last")
    const shown = (await seen(desk)).join("\n")
    expect(shown).toContain("<image>")
    expect(shown).toContain('kind="ref" source="canvas">{"shape":"box-9"}')
    expect(shown).toContain('kind="viewport" source="canvas">{"changed":{"zoom":2}}')
    expect(shown).toContain("zoomed to 2")
    expect(shown).not.toContain("box-7")
  })
})

describe("a notebook", () => {
  it("[CMP-075] [CMP-021] sends what is open once, what is related when asked, and dragged notes as references", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, "a.md"), "alpha\n")
    const notes = [{ path: "b.md", links: ["a.md"] }]
    const notebook = new Notebook(clientOf(desk), desk.session, notes)
    notebook.open("a.md")
    notebook.drag("a.md")
    await notebook.say("summarise", ["related"])
    const first = (await seen(desk)).join("\n")
    expect(first).toContain("File a.md:\nalpha")
    expect(first).toContain('kind="open" source="notes">{"notes":["a.md"]}')
    expect(first).toContain('kind="related" source="notes">{"notes":["b.md"]}')
    notebook.paste("b.md")
    await notebook.say("and this one")
    const second = (await seen(desk)).join("\n")
    expect(second).toContain('kind="ref" source="notes">{"note":"b.md"}')
    expect(second).not.toContain('kind="open"')
  })
})
