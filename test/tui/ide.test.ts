import { chmod, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { findEditors } from "../../apps/tui/ide/find.ts"
import { Ide } from "../../apps/tui/ide/ide.ts"
import { temporaryFolder } from "../build.ts"
import { missing } from "../machine.ts"
import { until } from "../session/house.ts"
import { claudeEditor, geminiEditor, WORKSPACE } from "./editors.ts"
import { Terminal } from "./terminal.ts"

async function beside() {
  const home = await temporaryFolder()
  const temporary = await temporaryFolder()
  const ide = new Ide({ workspace: WORKSPACE, home, temporary, changed: () => undefined })
  onTestFinished(() => ide.unlink())
  return { home, temporary, ide }
}

describe("an editor beside", () => {
  it("[CMP-026] [CMP-079] tells its selection as lines of the file, by the lock-file protocol", async () => {
    const { home, ide } = await beside()
    const editor = await claudeEditor(home)
    expect(await ide.link()).toMatchObject({ kind: "claude", name: "Code" })
    await until(editor.linked)
    editor.select(`${WORKSPACE}/src/a.ts`, [9, 11], "ten\neleven\ntwelve")
    await until(() => ide.parts.length > 0)
    expect(ide.parts).toEqual([
      {
        type: "file-ref",
        ref: {
          kind: "path",
          path: "src/a.ts",
          range: { start: 10, end: 12 },
          selected: "ten\neleven\ntwelve",
        },
      },
    ])
    await until(() => ide.contexts.length === 3)
    expect(ide.contexts.map(({ kind, source }) => [kind, source])).toEqual([
      ["selection", "Code"],
      ["open", "Code"],
      ["diagnostics", "Code"],
    ])
    expect(ide.contexts[1]?.payload).toEqual({ files: ["a.ts"] })
  })

  it("[CMP-026] tells its selection by the companion protocol", async () => {
    const { temporary, ide } = await beside()
    const editor = await geminiEditor(temporary)
    expect(await ide.link()).toMatchObject({ kind: "gemini" })
    await until(editor.linked)
    editor.tell([
      {
        path: `${WORKSPACE}/b.ts`,
        isActive: true,
        selectedText: "x\ny",
        cursor: { line: 7, character: 1 },
      },
      { path: `${WORKSPACE}/c.ts` },
    ])
    await until(() => ide.parts.length > 0)
    expect(ide.parts).toMatchObject([{ ref: { path: "b.ts", range: { start: 6, end: 7 } } }])
    expect(ide.contexts[1]?.payload).toEqual({ files: ["b.ts", "c.ts"] })
  })

  it.each([`${WORKSPACE}/a.ts`, "/elsewhere/a.ts"])(
    "leaves a selection of %s out that was dismissed, until it is another one",
    async (path) => {
      const { home, ide } = await beside()
      const editor = await claudeEditor(home)
      await ide.link()
      await until(editor.linked)
      editor.select(path, [0, 0], "one")
      await until(() => ide.parts.length > 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
      expect(ide.dismiss()).toBe(true)
      expect(ide.parts).toEqual([])
      editor.select(path, [1, 1], "two")
      await until(() => ide.parts.length > 0)
    },
  )

  it("[CMP-026] tells at once what was selected before it was asked", async () => {
    const { home, ide } = await beside()
    const at = { start: { line: 2, character: 0 }, end: { line: 3, character: 4 } }
    const path = `${WORKSPACE}/src/a.ts`
    await claudeEditor(home, WORKSPACE, { success: true, text: "x", filePath: path, selection: at })
    await ide.link()
    await until(() => ide.isComplete)
    expect(ide.parts).toMatchObject([{ ref: { path: "src/a.ts", range: { start: 3, end: 4 } } }])
  })

  it("hears no editor of another folder, a dead one, or one whose file others may write", async () => {
    const { home, temporary } = await beside()
    const places = { home, temporary }
    await claudeEditor(home, "/work/other")
    expect(await findEditors(WORKSPACE, places)).toEqual([])
    const { path } = await claudeEditor(home)
    expect(await findEditors(WORKSPACE, places)).toHaveLength(1)
    expect(await findEditors(`${WORKSPACE}/src`, places)).toHaveLength(1)
    expect(await findEditors(`${WORKSPACE}-evil`, places)).toEqual([])
    await chmod(path, 0o666)
    expect(await findEditors(WORKSPACE, places)).toEqual([])
    await writeFile(join(home, ".claude", "ide", "1.lock"), "not json")
    const dead = { pid: 2 ** 22, workspaceFolders: [WORKSPACE], authToken: "x" }
    await writeFile(join(home, ".claude", "ide", "2.lock"), JSON.stringify(dead), { mode: 0o600 })
    expect(await findEditors(WORKSPACE, places)).toEqual([])
  })

  it("is not heard with a wrong token", async () => {
    const { home, ide } = await beside()
    const { path } = await claudeEditor(home)
    const lock = { pid: process.pid, workspaceFolders: [WORKSPACE], authToken: "guess" }
    await writeFile(path, JSON.stringify(lock), { mode: 0o600 })
    await ide.link()
    await until(() => !ide.isLinked)
    expect(ide.says).toMatch(/hung up|cannot be reached/)
  })

  it.skipIf(missing("tmux"))(
    "[CMP-075] goes along with what is sent from the terminal only when asked to",
    { timeout: 60_000 },
    async () => {
      const home = await temporaryFolder()
      const terminal = await Terminal.open({ environment: { HOME: home } })
      const editor = await claudeEditor(home, terminal.workspace)
      await terminal.shows("ready")
      terminal.type("/ide", "Enter")
      await terminal.shows("Listening to Code.")
      await until(editor.linked)
      editor.select(join(terminal.workspace, "src", "main.ts"), [0, 1], "one\ntwo")
      await terminal.shows("[selection src/main.ts#L1-2]")
      terminal.type("explain", "Enter")
      await terminal.shows("> explain")
      await terminal.shows(/ok[^]*ready/)
      expect(await terminal.said()).toMatchObject([
        [{ text: "explain" }, { type: "file-ref", ref: { path: "src/main.ts" } }],
      ])
      terminal.press("BSpace")
      await terminal.shut("[selection")
      terminal.type("/ide off", "Enter")
    },
  )
})
