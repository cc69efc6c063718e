import { constants } from "node:os"
import process from "node:process"
import { setTimeout as pause } from "node:timers/promises"
import { matchesKey } from "@earendil-works/pi-tui"
import type { AnyPart, Client } from "compositor-client/client"
import { isBusy } from "compositor-client/view"
import { WaitPrompter } from "./asking.ts"
import { copiedPicture, droppedFile, isLong, pastedName } from "./attached.ts"
import { SessionScreen, errorSentence } from "./desk.ts"
import { SharedDraft } from "./draft-desk.ts"
import { EditKeys } from "./edit-keys.ts"
import type { Ide } from "./ide/ide.ts"
import { actOf, type KeyActs } from "./keys.ts"
import { type LocalCall, readLocalCall } from "./local-commands.ts"
import { pastedText } from "./pastes.ts"
import { chooseModel, chooseSession, lastSession } from "./pickers.ts"
import { QueueView } from "./queue-desk.ts"
import { questionOf } from "./questions.ts"
import { xray } from "./receipts.ts"
import { Screen } from "./screen.ts"
import { outrun, takeUp } from "./stash.ts"
import { tellUntrusted } from "./trust.ts"

interface TuiOptions {
  readonly connect: () => Promise<{ readonly client: Client; readonly close: () => Promise<void> }>
  readonly workspace: string
  readonly model?: string | undefined
  readonly session?: string | undefined
  /** Go on with the last session of the workspace. */
  readonly continues?: boolean | undefined
  /** Take along what an editor beside has selected. */
  readonly ide?: boolean | undefined
}

/** The composer in a terminal, until it is left. The first frame does not wait for the server. */
export async function runTui(options: TuiOptions): Promise<void> {
  const app = new App(options)
  await app.run()
}

const LEAVE_MS = 1000
const ENDINGS = ["SIGTERM", "SIGHUP"] as const

class App implements KeyActs {
  readonly #options: TuiOptions
  readonly #screen: Screen
  #ide: Ide | undefined
  readonly #left = Promise.withResolvers<void>()
  #desk: SessionScreen | undefined
  #queue: QueueView | undefined
  #drafts: SharedDraft | undefined
  readonly #asking: WaitPrompter
  #warned = false
  readonly edit: EditKeys

  constructor(options: TuiOptions) {
    this.#options = options
    this.#screen = new Screen({
      environment: process.env,
      desk: () => this.#desk,
      queue: () => this.#queue,
      ide: () => this.#ide,
      composed: () => this.#drafts?.changed(),
    })
    this.#asking = new WaitPrompter({
      screen: this.#screen,
      desk: () => this.#desk,
      attempt: (act) => this.#attempt(act),
    })
    this.edit = new EditKeys({
      screen: this.#screen,
      queue: () => this.#queue,
      say: (text) => this.#desk?.say("notice", text),
      dismiss: () => this.#ide?.dismiss() ?? false,
    })
  }

  async run() {
    const screen = this.#screen
    screen.editor.onSubmit = (text) => this.#attempt(() => this.submit(text, "immediate"))
    screen.tui.addInputListener((data) => (this.#input(data) ? { consume: true } : undefined))
    screen.start()
    for (const signal of ENDINGS) process.once(signal, () => this.#end(signal))
    const connection = this.#options.connect()
    try {
      const { client } = await connection
      await this.#begin(client)
      await this.#left.promise
      await this.#kept()
    } finally {
      this.#ide?.unlink()
      await screen.stop()
      await within(LEAVE_MS, this.#desk?.close())
    }
    await (await connection).close()
  }

  async submit(typed: string, mode: "immediate" | "steer") {
    const { editor, pastes, attachments } = this.#screen
    const composed = this.#screen.read(typed)
    const { source } = composed
    const local = readLocalCall(source)
    if (local) return this.#perform(local)
    if (typed === "" && attachments.list.length === 0) return this.#asking.again()
    if (attachments.uploading) {
      editor.setText(typed)
      return this.#desk?.say("notice", "An attachment is still being uploaded.")
    }
    editor.addToHistory(typed)
    const question = questionOf(this.#desk?.view)
    if (this.#desk && question?.typed) return question.answer(this.#desk.client, source)
    const parts = attachments.take()
    try {
      const { contexts = [], parts: selected = [] } = this.#ide ?? {}
      const whole = { ...composed, attachments: [...parts, ...selected] }
      await this.#ready().send({ composed: whole, contexts, mode })
      pastes.clear()
      this.#screen.forgetStanding()
      void this.#drafts?.flush()
    } catch (error) {
      // Nothing that was typed is lost.
      if (editor.getText() === "") editor.setText(typed)
      attachments.give(parts)
      throw error
    }
  }

  steer() {
    if (this.#queue?.isEditing) return this.edit.save()
    const { editor } = this.#screen
    const typed = editor.getText().trim()
    editor.setText("")
    return this.submit(typed, "steer")
  }

  /** Escape: leave what is open, else stop what is being answered. */
  async escape() {
    if (await this.#queue?.release()) return
    if (this.#desk?.closeXray()) return
    const { view } = this.#desk ?? {}
    if (view && isBusy(view.status)) await this.#desk?.abort()
  }

  /** Once empties the editor; twice leaves. */
  interrupt() {
    const { editor } = this.#screen
    const empty = editor.getText() === ""
    if (empty && this.#warned) return this.quit()
    if (!empty) editor.addToHistory(editor.getText())
    editor.setText("")
    this.#warned = empty
    if (empty) this.#screen.hint("Ctrl-C again leaves")
  }

  quit() {
    this.#left.resolve()
  }

  leaveEmpty() {
    if (this.#screen.editor.getText() !== "") return false
    return this.quit()
  }

  suspend() {
    this.#screen.suspend()
  }

  selectQueue() {
    return this.#queue?.toggle() ? undefined : false
  }

  async pastePicture() {
    const bytes = await copiedPicture()
    if (bytes) await this.#screen.attachments.bytes(this.#ready().client, "pasted.png", bytes)
    else this.#desk?.say("notice", "There is no picture in the clipboard.")
  }

  xray() {
    const { composed } = this.#screen
    const attachments = [...composed.attachments, ...(this.#ide?.parts ?? [])]
    return xray(this.#ready(), { ...composed, attachments })
  }

  async sessions() {
    const desk = this.#ready()
    const id = await this.#screen.choose(await chooseSession(desk.client, this.#options.workspace))
    if (id !== null) await desk.open(id)
  }

  async models() {
    const desk = this.#ready()
    const model = await this.#screen.choose(await chooseModel(desk.client))
    if (model !== null) await desk.useModel(model)
  }

  async #begin(client: Client) {
    const { workspace, model, session, continues } = this.#options
    const screen = this.#screen
    const desk = new SessionScreen({
      client,
      workspace,
      model,
      changed: () => this.#changed(),
      opened: (id) => this.#opened(id),
      draftChanged: (told) => this.#drafts?.heard(told),
    })
    this.#desk = desk
    this.#queue = new QueueView(desk, screen.place)
    this.#drafts = new SharedDraft(client, {
      ...screen.place,
      lent: () => this.#queue?.isEditing ?? false,
      outrun: (lost) => outrun(desk, lost, screen),
    })
    const last = continues ? await lastSession(client, workspace) : undefined
    const id = session ?? last
    if (id === undefined) await desk.begin()
    else await desk.open(id)
    if (this.#options.ide) await this.#link(desk, "")
  }

  /** What is edited or drafted stays with the session it is of. */
  async #opened(id: string) {
    await this.#queue?.release().catch(() => undefined)
    await this.#drafts?.open(id)
    if (this.#desk) void tellUntrusted(this.#desk, id)
  }

  #perform({ command, argument }: LocalCall): unknown {
    const desk = this.#ready()
    return command.perform(argument, {
      desk,
      attachments: this.#screen.attachments,
      chooseSession: () => this.sessions(),
      chooseModel: () => this.models(),
      bringAnswer: () => this.#bring(desk),
      takeUpStash: () => takeUp(desk, this.#drafts, this.#screen),
      linkEditor: (to) => this.#link(desk, to),
      quit: () => this.quit(),
    })
  }

  async #link(desk: SessionScreen, argument: string) {
    if (argument === "off") return this.#ide?.unlink()
    const { Ide } = await import("./ide/ide.ts")
    const changed = () => this.#screen.tui.requestRender()
    const lost = (reason: string) => desk.say("notice", `${reason}: its selection stays behind.`)
    this.#ide ??= new Ide({ workspace: this.#options.workspace, changed, lost })
    const door = await this.#ide.link()
    desk.say(
      "notice",
      door
        ? `Listening to ${door.name}.`
        : "No editor has this folder open and offers to be heard.",
    )
  }

  /** The terminal is given back as it was, whoever ends us. */
  #end(signal: (typeof ENDINGS)[number]) {
    process.exitCode = 128 + constants.signals[signal]
    this.quit()
  }

  /** The draft is saved before we go; a server that is gone does not keep us. */
  async #kept() {
    await within(LEAVE_MS, this.#drafts?.flush())
  }

  async #bring(desk: SessionScreen) {
    const quote: AnyPart | undefined = desk.isSidecar ? desk.quote() : undefined
    if (!quote) return desk.say("notice", "There is nothing to bring back.")
    if (await desk.back()) this.#screen.attachments.give([quote])
  }

  #ready(): SessionScreen {
    if (this.#desk?.view) return this.#desk
    throw new Error("not connected yet: what you typed is kept")
  }

  /** Whether the key was for us and not for the editor. */
  #input(data: string): boolean {
    const pasted = pastedText(data)
    if (pasted !== undefined && !this.#screen.isChoosing) {
      this.#attempt(() => this.#paste(pasted))
      return true
    }
    this.#screen.hint(undefined)
    if (!matchesKey(data, "ctrl+c")) this.#warned = false
    this.edit.pressed(data)
    if (this.#screen.isChoosing) return false
    if (this.#queue?.key(data, (act) => this.#attempt(act))) return true
    if (this.#screen.editor.isShowingAutocomplete() && matchesKey(data, "escape")) return false
    const act = actOf(data)
    if (!act) return false
    return this.#attempt(() => act(this))
  }

  async #paste(text: string) {
    const { attachments, editor, pastes, tui } = this.#screen
    const file = await droppedFile(text)
    if (file !== undefined) await attachments.file(this.#ready().client, file)
    else if (isLong(text)) {
      const bytes = new TextEncoder().encode(text)
      await attachments.bytes(this.#ready().client, pastedName(text), bytes)
    } else editor.insertTextAtCursor(pastes.markFor(text))
    tui.requestRender()
  }

  /** Do it, and say what went wrong. False when the key was not meant for us after all. */
  #attempt(act: () => unknown): boolean {
    const fail = (error: unknown) => {
      if (this.#desk) this.#desk.say("error", errorSentence(error))
      else this.#screen.hint(errorSentence(error))
    }
    try {
      const done = act()
      if (done === false) return false
      if (done instanceof Promise) done.catch(fail).finally(() => this.#screen.tui.requestRender())
      this.#screen.tui.requestRender()
    } catch (error) {
      fail(error)
    }
    return true
  }

  #changed() {
    this.#screen.refresh()
    this.#asking.look()
  }
}

async function within(milliseconds: number, done: Promise<unknown> | undefined) {
  await Promise.race([done, pause(milliseconds, undefined, { ref: false })])
}
