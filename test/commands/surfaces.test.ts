import { describe, expect, it } from "vitest"
import { meet } from "../acp/editor.ts"
import { setting } from "../cli/run.ts"
import { missing } from "../machine.ts"
import { Terminal } from "../tui/terminal.ts"
import { endOfShown, examples } from "./examples.ts"

describe("a command that acts", () => {
  it.each(examples("at-once", "queued"))("[ACP-003] is answered over ACP: %s", async (example) => {
    const { editor, workspace } = await meet({ script: [{ text: "heard" }] })
    const session = await editor.open(workspace)
    await editor.say(session, "something to begin with")
    const before = editor.answer.length
    expect(await editor.say(session, example)).toEqual({ stopReason: "end_turn" })
    expect(editor.answer.slice(before)).toMatch(/\S/)
  })

  it.each(examples("at-once"))("is answered on the command line: %s", async (example) => {
    const { code, out } = await (await setting()).run(["send", example])
    expect([code, out]).toEqual([0, expect.stringMatching(/\S/)])
  })
})

describe.skipIf(missing("tmux"))("a command that shows something", () => {
  it("shows it in the terminal", async () => {
    const terminal = await Terminal.open()
    await terminal.shows("ready")
    for (const example of examples("at-once")) {
      terminal.type(`${example} `)
      await terminal.shows(example)
      terminal.press("Enter")
      expect(await terminal.shows(await endOfShown(terminal.client, example))).toMatch(/\S/)
    }
  })
})
