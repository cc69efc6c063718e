import { join, resolve } from "node:path"
import { type BlobStore, FileBlobs } from "compositor-files/blobs/blobs"
import { openBlobs } from "compositor-files/blobs/open-blobs"
import { makePrivate } from "compositor-files/disk/private-folder"
import { Scopes } from "compositor-files/workspace/scope"
import { ScratchFolders } from "compositor-files/workspace/scratch"
import { FileSettings } from "compositor-files/settings"
import { readWorkspaceFile } from "compositor-files/workspace/workspace"
import type { AnyDefinition } from "../entities/definition.ts"
import type { EntityRegistry } from "../entities/entity-room.ts"
import { openEntities, withEntities } from "./entities.ts"
import { type Integrations, openIntegrations } from "./integrations.ts"
import { backup } from "./backup.ts"
import { AuditLog } from "../principals/audit-log.ts"
import { Owners } from "../principals/owners.ts"
import { Principals } from "../principals/principals.ts"
import { openStore } from "../store/open-store.ts"
import type { HostOptions, OpenedOptions } from "./options.ts"
import { readEngineSettings, USUAL_SETTINGS } from "./settings.ts"
import type { ModelChoice } from "compositor-core/message/message"
import { Refusal } from "compositor-core/message/refusal"
import type { KnownModels } from "../providers/known-models.ts"
import { openKnownModels } from "../providers/model-settings.ts"
import type { Provider } from "../providers/provider.ts"
import { defaultModel, providers } from "../providers/registry.ts"
import type { DryRun } from "compositor-core/contract/lowering"
import type { Formats } from "../turns/agent-toolset.ts"
import { ownerOf } from "../turns/owner.ts"
import { PromptHistory } from "../turns/prompt-history.ts"
import { Runner } from "../turns/runner.ts"
import { withTools, requestSettingsDependencies, turnDependencies } from "../turns/turn-context.ts"
import { resolutionOf, type Saying } from "../turns/waiting.ts"
import { type AskedDraft, DryRuns } from "../reports/dry-runs.ts"
import { sharedFolders } from "../principals/shared-places.ts"
import { bindCommandActions } from "./bind-command-actions.ts"
import { fileDependencies, builtinFormats } from "./file-settings.ts"
import { MAX_UPLOAD_BYTES, takeUpload } from "../uploads/upload.ts"
import { judgedStore, judgingBy } from "./judged-store.ts"
import { hiddenBy } from "../policy/load-policy.ts"
import { TRUST_ALL } from "../skills/trust.ts"
import type { Deleted, MessageChanged, Store } from "../store/store.ts"
import {
  editQueued,
  preview,
  type QueuedEdit,
  type Submission,
  type Submitted,
  submit,
} from "../submit/submit.ts"
import type { Resolved, Unresolved } from "../submit/resolve.ts"
import { rememberSpan, runInSpan } from "../telemetry/span.ts"
import { Workspaces } from "../workspaces/workspaces.ts"

const UPLOAD_KEPT_MS = 24 * 60 * 60 * 1000
const DELTAS_KEPT_MS = 24 * 60 * 60 * 1000
const SCRATCH_KEPT_MS = 7 * 24 * 60 * 60 * 1000
const SWEEP_MS = 10 * 60 * 1000

export { MAX_UPLOAD_BYTES, TRUST_ALL }
export type { HostOptions }

/** Puts the rooms together over one data folder. */
export async function openHost(options: HostOptions): Promise<Host> {
  const data = resolve(options.data)
  await makePrivate(data)
  const known = options.known ?? (await openKnownModels(data, options.environment))
  const settings = await readEngineSettings(data)
  const blobs = await openBlobs({ ...options, data })
  const store = await openStore({ ...options, data })
  const { compaction = settings.compaction, observe } = options
  const blob_store = observe?.blobs(blobs) ?? blobs
  const opened = { ...options, data, known, settings, compaction, blob_store }
  return new Host(opened, judgedStore(observe?.store(store) ?? store, options.policy))
}

export class Host {
  readonly data: string
  readonly workspace: string | null
  readonly store: Store
  readonly blobs: BlobStore
  readonly providers: ReadonlyMap<string, Provider>
  readonly default_model: ModelChoice
  readonly known: KnownModels
  readonly what_if: DryRuns
  readonly workspaces: Workspaces
  readonly equipment: Integrations
  readonly entities: EntityRegistry
  /** Who shares the server, whose each session is, and who asked for what. */
  readonly principals: Principals
  readonly owners: Owners
  readonly audit: AuditLog
  /** Folders that people gave to sessions, as long as this host lives. */
  readonly scopes = new Scopes()
  readonly #runner: Runner | null
  readonly #owner: string | null
  readonly #editing_ms: number
  readonly #history: PromptHistory
  /** How files are kept and read. */
  readonly files: FileSettings
  readonly #fileRooms: ReturnType<typeof fileDependencies>
  readonly #scratch: ScratchFolders
  readonly #formats: Formats
  readonly #stopAsking: () => void
  readonly #judging = judgingBy((root) => this.workspaces.policy(root))
  readonly #sweeping: NodeJS.Timeout

  constructor(options: OpenedOptions, store: Store) {
    this.data = options.data
    this.workspace = options.workspace
    this.store = store
    this.known = options.known
    this.blobs = options.blob_store ?? new FileBlobs(join(options.data, "blobs"))
    this.#editing_ms = 1000 * (options.settings ?? USUAL_SETTINGS).queue.editing_seconds
    this.files = FileSettings.parse(options.files ?? options.settings?.files ?? {})
    this.providers = options.providers ?? providers(options.environment)
    this.default_model = defaultModel(options.environment)
    const { environment, settings = USUAL_SETTINGS } = options
    this.principals = new Principals(store, options.data, sharedFolders({ environment, settings }))
    this.owners = new Owners(store)
    this.audit = new AuditLog(store, options.log)
    this.#owner = options.turns === false ? null : ownerOf()
    this.entities = this.#openEntities(options.entities ?? [])
    this.equipment = this.#equip(options)
    this.workspaces = new Workspaces({ ...options, ...this.equipment.workspaces })
    this.#formats = builtinFormats(this, options.environment)
    const reading = { read: readWorkspaceFile, formats: this.#formats, ...this.#judging }
    const rooms = { store, blobs: this.blobs, ...reading }
    const asked = { models: this.known, providers: this.providers }
    const turns = withTools(withEntities(options, this.entities), this.equipment.turns)
    const manner = requestSettingsDependencies(turns)
    this.#fileRooms = fileDependencies(this, manner)
    this.what_if = new DryRuns({ ...rooms, ...manner, ...asked })
    this.#history = new PromptHistory(rooms)
    this.#scratch = new ScratchFolders(join(options.data, "scratch"))
    this.#runner = this.#owner === null ? null : this.#newRunner(this.#owner, turns)
    this.#runner?.start()
    if (this.#runner) this.entities.start()
    if (options.fires) this.equipment.triggers.start()
    if (options.sends) this.#getReady()
    this.#stopAsking = options.fresh_models ? this.known.keepFresh() : () => undefined
    this.#sweeping = setInterval(() => void this.sweep().catch(() => undefined), SWEEP_MS).unref()
  }

  async submit(submission: Submission): Promise<Submitted> {
    if (submission.model) this.checkModel(submission.model)
    const submitted = await runInSpan("submit", { "session.id": submission.session_id }, () =>
      submit(this.#rooms(), submission),
    )
    for (const row of [...submitted.actions, submitted.message]) {
      if (row) rememberSpan(row.message.id)
      if (row?.claim) this.#runner?.take(row.claim)
    }
    return submitted
  }

  async editQueued(edit: QueuedEdit): Promise<MessageChanged> {
    const changed = await editQueued(this.#rooms(), edit)
    await this.#runner?.wake(edit.session_id)
    return changed
  }

  async cancelQueued(session_id: string, message_id: string): Promise<MessageChanged> {
    const changed = await this.store.cancelQueued({ session_id, message_id })
    // It may have been a paused head that held the others.
    await this.#runner?.wake(session_id)
    return changed
  }

  async abort(session_id: string, clear: boolean) {
    if (this.#runner) return this.#runner.abort(session_id, clear)
    return this.store.requestAbort({ session_id, clear })
  }

  /** What a person says to a call that waits; its turn goes on when it was the last. */
  async resolveCall(session_id: string, turn_id: string, saying: Saying) {
    const turn = await this.store.turn(turn_id)
    if (!turn || turn.session_id !== session_id)
      throw new Refusal("not_found", `there is no turn ${turn_id} in session ${session_id}`)
    const resolution = resolutionOf(turn, saying)
    if (this.#runner) return this.#runner.resolve(resolution)
    return this.store.resolveCall({ ...resolution, owner: null })
  }

  /** Take bytes in; a message then names them by their content id. */
  upload(chunks: AsyncIterable<Uint8Array>, name: string, principal: string | null = null) {
    return takeUpload(this, chunks, { name, principal })
  }

  lower(draft: AskedDraft): Promise<DryRun> {
    const named = draft.model === undefined && draft.api === undefined
    return this.what_if.lower(named ? { ...draft, model: this.default_model } : draft)
  }

  /** What a draft would come to, commands and all, before it is sent. */
  async preview(
    workspace_root: string | null,
    draft: Unresolved & { readonly session_id?: string | undefined },
  ): Promise<Resolved> {
    return preview(this.#rooms(), workspace_root, draft)
  }

  checkModel(choice: ModelChoice) {
    if (!this.known.find(choice))
      throw new Refusal("unknown_model", `there is no provider ${choice.provider_id} here`)
    if (!this.providers.has(choice.provider_id))
      throw new Refusal(
        "unknown_model",
        `${choice.provider_id} is not set up: its API key is not in the environment`,
      )
  }

  async deleteSession(session_id: string, cascade: boolean): Promise<Deleted> {
    const workspace_root = (await this.store.session(session_id))?.workspace_root ?? null
    const deleted = await this.store.deleteSession({ session_id, cascade })
    for (const id of deleted.deleted) {
      await this.workspaces.forget({ workspace_root, session_id: id })
      this.#runner?.leave(id)
      this.#history.forget(id)
      await this.equipment.given.take(id)
      await this.#scratch.remove(id)
      this.scopes.revoke(id)
    }
    await this.#removeBlobs(deleted.content_ids)
    return deleted
  }

  async purgeMessage(session_id: string, message_id: string) {
    const { content_ids, txid } = await this.store.purgeMessage({ session_id, message_id })
    await this.#removeBlobs(content_ids)
    return { txid }
  }

  async sweep() {
    const now = Date.now()
    const { content_ids } = await this.store.sweep({
      uploads_before: now - UPLOAD_KEPT_MS,
      streams_before: now - DELTAS_KEPT_MS,
    })
    await this.#removeBlobs(content_ids)
    await this.audit.sweep()
    await this.blobs.sweepTemporary()
    await this.#scratch.sweep({ before: now - SCRATCH_KEPT_MS })
  }

  /** Give back the space of what was deleted; afterwards no file of the folder holds any of it. */
  async vacuum() {
    await this.sweep()
    const known = new Set(await this.store.knownBlobs())
    const young = Date.now() - SWEEP_MS
    for await (const { content_id, modified_at } of this.blobs.list())
      if (!known.has(content_id) && modified_at < young)
        await this.#removeBlobs([content_id], young)
    await this.store.vacuum({})
  }

  /** Copy what is kept here into a folder that can be a data folder, while it is in use. */
  backup(folder: string, progress: (done: number, total: number) => void) {
    return backup({ data: this.data, store: this.store, blobs: this.blobs, folder, progress })
  }

  async idle() {
    await this.#runner?.idle()
  }

  async close() {
    clearInterval(this.#sweeping)
    this.#stopAsking()
    await this.equipment.close()
    await this.entities.stop()
    await this.#runner?.stop()
    await this.workspaces.close()
    await this.audit.flush()
    await this.store.close()
  }

  // Whoever needs them asks again and hears what went wrong.
  #getReady() {
    this.workspaces.catalog(this.workspace).catch(() => undefined)
    this.equipment.ready(this.workspace).catch(() => undefined)
  }

  // Someone may have put the same bytes again since the last reference went, on any node.
  async #removeBlobs(content_ids: readonly string[], put_before?: number) {
    for (const content_id of content_ids) {
      const wanted = async () => (await this.store.blob(content_id)) !== null
      if (!(await wanted())) await this.blobs.remove(content_id, put_before, wanted)
    }
  }

  #rooms() {
    const { store, blobs, workspaces } = this
    return {
      store,
      blobs,
      read: readWorkspaceFile,
      formats: this.#formats,
      ...this.#fileRooms,
      owner: this.#owner,
      editing_ms: this.#editing_ms,
      catalog: this.entities.commands.bind(this.entities),
      skills: (root: string | null) => workspaces.skills(root),
      used: workspaces.used.bind(workspaces),
      policy: (root: string | null) => workspaces.policy(root),
      shell: (root: string | null, command: string) => workspaces.shell(root, command),
      servers: this.equipment.servers,
      actions: bindCommandActions({ store, memory: (at) => this.equipment.memories.in(at) }),
    }
  }

  #equip(options: OpenedOptions): Integrations {
    return openIntegrations({
      ...options,
      store: this.store,
      owner: this.#owner ?? ownerOf(),
      ownerOf: (session_id) => this.owners.of(session_id),
      settings: { ...(options.settings ?? USUAL_SETTINGS), files: this.files },
      extent: options.extent ?? "bare",
      agents: options.agents ?? [],
      hidden: hiddenBy(options.policy).settings,
      skills: (root) => this.workspaces.skills(root),
      policy: (root) => this.workspaces.policy(root),
      submit: (submission) => this.submit(submission),
    })
  }

  #openEntities(definitions: readonly AnyDefinition[]): EntityRegistry {
    return openEntities(this, definitions, {
      submitRooms: () => this.#rooms(),
      take: (claim) => this.#runner?.take(claim),
      wake: async (session_id) => this.#runner?.wake(session_id),
      scratch: async (session_id, quota) => (await this.#scratch.open(session_id, quota)).path,
    })
  }

  #newRunner(owner: string, options: HostOptions): Runner {
    const { store, blobs, providers, known: models } = this
    const house = { store, blobs, providers, models, owner, ...this.#judging }
    const kept = { history: this.#history, scratch: this.#scratch, scopes: this.scopes }
    return new Runner(turnDependencies({ ...house, ...kept }, options), {
      ...(options.lease_ms === undefined ? {} : { lease_ms: options.lease_ms }),
      ...(options.log ? { log: options.log } : {}),
    })
  }
}
