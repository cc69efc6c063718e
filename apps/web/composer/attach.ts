import type { AnyPart } from "compositor-client/client"
import {
  type ComposerAttachment,
  attachmentOfFile,
  attachmentOfPart,
  entityIn,
  filesIn,
  MAX_FOLDER_FILES,
  meansText,
  thumbnailOf,
  upload,
} from "./attachments.ts"
import type { DraftKeeper } from "./draft-desk.ts"
import { formatBytes } from "../state/format.ts"
import { strings } from "../state/strings.ts"
import type { PageStore } from "../state/store.ts"
import { failureText, type Say, Trying } from "../state/safe-actions.ts"

/** A longer paste is an object beside the text: it can be read there, and put back. */
export const LONG_PASTE = 10_000

/** What goes with a draft: files, folders, pictures, long texts, things of other programs. */
export class Attaching extends Trying {
  readonly #desk: DraftKeeper
  readonly #key: () => string

  constructor(store: PageStore, desk: DraftKeeper, say: Say, key: () => string) {
    super(store, say)
    this.#desk = desk
    this.#key = key
  }

  /** Something was pasted; false when it is text for the editor. */
  paste(transfer: DataTransfer, insert: (text: string) => void): boolean {
    const entity = entityIn(transfer)
    if (entity) return this.#add(attachmentOfPart(entity))
    if (transfer.files.length > 0 && !meansText(transfer)) {
      void this.drop(transfer)
      return true
    }
    const text = transfer.getData("text/plain")
    if (text.length < LONG_PASTE || !this.#desk.hasRoom(text.length)) return false
    this.#attachText(text, insert)
    return true
  }

  async drop(transfer: DataTransfer) {
    const entity = entityIn(transfer)
    if (entity) return void this.#add(attachmentOfPart(entity))
    const { files, left } = await filesIn(transfer)
    if (left > 0) this.say(strings.composer.folderLimit(MAX_FOLDER_FILES, left))
    this.files(files)
  }

  files(files: readonly { readonly file: File; readonly name: string }[]) {
    const limit = this.store.read().info?.limits.max_upload_bytes ?? Number.POSITIVE_INFINITY
    const key = this.#key()
    for (const { file, name } of files) {
      if (file.size > limit) {
        this.say(strings.composer.tooLarge(name, formatBytes(limit)))
        continue
      }
      if (!this.#desk.hasRoom(file.size)) {
        this.say(strings.composer.tooMuchWaits(name))
        continue
      }
      const attachment = attachmentOfFile(file, name)
      this.#add(attachment)
      void this.#upload(key, attachment)
    }
  }

  part(part: AnyPart) {
    this.#add(attachmentOfPart(part))
  }

  retry(attachment: ComposerAttachment) {
    const key = this.#key()
    this.#desk.changeAttachment(key, attachment.key, { state: "uploading", progress: 0 })
    void this.#upload(key, attachment)
  }

  #attachText(text: string, insert: (text: string) => void) {
    const key = this.#key()
    const lines = text.split("\n").length
    const name = strings.composer.pastedName(lines)
    const attachment = attachmentOfFile(new File([text], name, { type: "text/plain" }), name)
    this.#add(attachment)
    void this.#upload(key, attachment)
    const putBack = () => {
      this.#desk.detach(key, attachment.key)
      insert(text)
    }
    this.say(strings.composer.pastedLong(lines), {
      label: strings.composer.pasteAsText,
      run: putBack,
    })
  }

  #add(attachment: ComposerAttachment): true {
    const key = this.#key()
    this.#desk.setAttachments(key, [...this.#desk.attachments(key), attachment])
    return true
  }

  async #upload(key: string, { key: id, name, file }: ComposerAttachment) {
    if (!file) return
    void thumbnailOf(file).then((thumbnail) => {
      if (thumbnail) this.#desk.changeAttachment(key, id, { thumbnail })
    })
    try {
      const { part, mime, size } = await upload(this.store.client, file, {
        name,
        progress: (progress) => this.#desk.changeAttachment(key, id, { progress }),
      })
      this.#desk.changeAttachment(key, id, { state: "ready", progress: 1, part, mime, size })
    } catch (error) {
      if (this.store.noticed(error)) return
      this.#desk.changeAttachment(key, id, { state: "failed", error: failureText(error) })
    }
  }
}
