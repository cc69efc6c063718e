import { describe, expect, it } from "vitest"
import type { AnyPart } from "../../packages/client/client.ts"
import {
  type ComposerAttachment,
  attachmentOfFile,
  attachmentOfPart,
  MAX_WAITING_BYTES,
} from "../../apps/web/composer/attachments.ts"
import { DraftKeeper } from "../../apps/web/composer/draft-desk.ts"

describe("Desk", () => {
  it("keeps text and attachments until they are sent", () => {
    const drawer = new Drawer()
    const desk = new DraftKeeper(drawer)
    desk.write("ses_1", "half a thought")
    desk.setAttachments("ses_1", [picture])
    desk.save()
    const later = new DraftKeeper(drawer)
    expect(later.text("ses_1")).toBe("half a thought")
    expect(later.attachments("ses_1")).toEqual([picture])
    const message = later.take("ses_1")
    expect(message).toMatchObject({ text: "half a thought", attachments: [picture] })
    later.sent("ses_1", message?.id ?? "")
    later.synced("ses_1", 1, { source: "", attachments: [] })
    later.save()
    expect(drawer.length).toBe(0)
  })

  it("reads the editor when it is asked, and not before", () => {
    const desk = new DraftKeeper(new Drawer())
    let reads = 0
    const editor = { text: () => `read ${++reads}`, nodes: () => undefined }
    desk.edited("ses_1", editor, false)
    desk.edited("ses_1", editor, false)
    expect(reads).toBe(0)
    expect(desk.isEmpty("ses_1")).toBe(false)
    expect(desk.text("ses_1")).toBe("read 1")
  })

  it("[CMPH-015] gives back what could not be sent, before what was written since", () => {
    const desk = new DraftKeeper(new Drawer())
    desk.write("ses_1", "first")
    desk.setAttachments("ses_1", [picture])
    const message = desk.take("ses_1")
    expect(desk.isEmpty("ses_1")).toBe(true)
    desk.write("ses_1", "second")
    desk.giveBack("ses_1", message?.id ?? "")
    expect(desk.text("ses_1")).toBe("first\n\nsecond")
    expect(desk.attachments("ses_1")).toEqual([picture])
  })

  it("[CMPH-016] lets go of a file that the server has, and holds so much and no more for others", () => {
    const desk = new DraftKeeper(new Drawer())
    const [one, other] = ["one", "other"].map((name) => {
      const file = { size: MAX_WAITING_BYTES / 2, type: "" } as File
      return attachmentOfFile(file, name)
    }) as [ComposerAttachment, ComposerAttachment]
    desk.setAttachments("ses_1", [one])
    desk.setAttachments("ses_2", [other])
    expect(desk.hasRoom(1)).toBe(false)
    const part = picture.part as AnyPart
    desk.changeAttachment("ses_1", one.key, { state: "ready", progress: 1, part })
    expect(desk.attachments("ses_1")).toEqual([
      expect.not.objectContaining({ file: expect.anything() }),
    ])
    expect(desk.hasRoom(MAX_WAITING_BYTES / 2)).toBe(true)
    expect(desk.hasRoom(MAX_WAITING_BYTES / 2 + 1)).toBe(false)
    // One that could not be sent is kept for another try.
    desk.changeAttachment("ses_2", other.key, { state: "failed", error: "away" })
    expect(desk.attachments("ses_2")[0]?.file).toBe(other.file)
  })

  it("sends the same message again under the same id, and another under another", () => {
    const desk = new DraftKeeper(new Drawer())
    desk.write("ses_1", "once")
    const first = desk.take("ses_1")?.id ?? ""
    desk.giveBack("ses_1", first)
    expect(desk.take("ses_1")?.id).toBe(first)
    desk.giveBack("ses_1", first)
    desk.write("ses_1", "once more")
    expect(desk.take("ses_1")?.id).not.toBe(first)
  })

  it("asks the session what became of a message that was on its way when the page was left", () => {
    const drawer = new Drawer()
    const desk = new DraftKeeper(drawer)
    desk.write("ses_1", "on its way")
    const id = desk.take("ses_1")?.id
    const arrived = new DraftKeeper(drawer)
    arrived.settle("ses_1", (message) => message === id)
    expect(arrived.text("ses_1")).toBe("")
    const lost = new DraftKeeper(drawer)
    lost.settle("ses_1", () => false)
    expect(lost.text("ses_1")).toBe("on its way")
    expect(lost.take("ses_1")?.id).toBe(id)
  })

  it("clears the draft of a message that arrived though nobody said so", () => {
    const desk = new DraftKeeper(new Drawer())
    desk.write("ses_1", "did it arrive?")
    const id = desk.take("ses_1")?.id ?? ""
    desk.giveBack("ses_1", id)
    desk.settle("ses_1", (message) => message === id)
    expect(desk.text("ses_1")).toBe("")
    desk.write("ses_1", "another")
    desk.settle("ses_1", () => true)
    expect(desk.text("ses_1")).toBe("another")
  })

  it("moves a draft to the session that began with it", () => {
    const desk = new DraftKeeper(new Drawer())
    desk.write("new", "hello")
    const id = desk.take("new")?.id ?? ""
    desk.write("new", "and")
    desk.move("new", "ses_1")
    expect(desk.text("ses_1")).toBe("and")
    expect(desk.isEmpty("new")).toBe(true)
    desk.giveBack("ses_1", id)
    expect(desk.text("ses_1")).toBe("hello\n\nand")
  })

  it("lives without a drawer that has room", () => {
    const drawer = new Drawer()
    drawer.setItem = () => {
      throw new Error("QuotaExceededError")
    }
    const desk = new DraftKeeper(drawer)
    desk.write("ses_1", "kept as long as the page")
    desk.save()
    expect(desk.text("ses_1")).toBe("kept as long as the page")
  })
})

const picture = {
  ...attachmentOfPart({ type: "file-attachment", name: "a.png", mime: "image/png", size: 9 }),
  key: "picture",
}

/** The browser's drawer, in a map. */
class Drawer implements Storage {
  readonly #items = new Map<string, string>()

  get length() {
    return this.#items.size
  }
  key(at: number) {
    return [...this.#items.keys()][at] ?? null
  }
  getItem(name: string) {
    return this.#items.get(name) ?? null
  }
  setItem(name: string, value: string) {
    this.#items.set(name, value)
  }
  removeItem(name: string) {
    this.#items.delete(name)
  }
  clear() {
    this.#items.clear()
  }
}
