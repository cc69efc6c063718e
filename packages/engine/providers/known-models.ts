import type { Capabilities } from "compositor-core/model/capabilities"
import {
  type Knowledge,
  knowledgeOf,
  type ModelLayer,
  type ModelConfig,
} from "compositor-core/wires/layers"
import type { ModelReference, Model } from "compositor-core/model/models"
import { type Probe, type Probed, probe } from "./probe.ts"
import { isDue, type StoredCatalog, readStoredCatalog, type Refreshed, refresh } from "./refresh.ts"

interface KnownModelsOptions {
  /** Where the refreshed catalog is kept; without it nothing is fetched. */
  readonly file?: string | undefined
  /** Where the catalog is asked for. */
  readonly url?: string | undefined
  readonly config?: ModelConfig | undefined
  readonly probes?: readonly Probe[] | undefined
  readonly now?: (() => number) | undefined
}

/** All that is known of models here, in layers: embedded, refreshed, probed, configured. Asking it
 *  never waits for anything; refreshing and probing change what it answers afterwards. */
export class KnownModels {
  readonly #options: KnownModelsOptions
  readonly #probed = new Map<string, Probed>()
  #kept: StoredCatalog | undefined
  #failed_at: number | undefined
  #refreshing: Promise<Refreshed> | undefined
  #knowledge: Knowledge

  constructor(options: KnownModelsOptions = {}, kept?: StoredCatalog) {
    this.#options = options
    this.#kept = kept
    this.#knowledge = this.#layered()
  }

  static async open(options: KnownModelsOptions): Promise<KnownModels> {
    const kept = options.file === undefined ? undefined : await readStoredCatalog(options.file)
    return new KnownModels(options, kept)
  }

  get models(): readonly Model[] {
    return this.#knowledge.models
  }

  /** When the refreshed catalog came, and when it was last asked for; null without one. */
  get refreshed(): Pick<StoredCatalog, "url" | "etag" | "fetched_at" | "checked_at"> | null {
    const { url, etag, fetched_at, checked_at } = this.#kept ?? {}
    if (url === undefined || fetched_at === undefined || checked_at === undefined) return null
    return { url, etag: etag ?? null, fetched_at, checked_at }
  }

  find(choice: ModelReference): Model | undefined {
    return this.#knowledge.find(choice)
  }

  capabilities(model: Model): Capabilities {
    return this.#knowledge.capabilities(model)
  }

  /** Refresh when a day has passed, and not again soon after a failure. */
  async refreshIfDue(): Promise<void> {
    const { file, now = Date.now } = this.#options
    if (file !== undefined && isDue(this.#kept, this.#failed_at, now())) await this.refresh(false)
  }

  /** Never throws: a failure is told, and what was known stays known. */
  refresh(force = true): Promise<Refreshed> {
    this.#refreshing ??= this.#refresh(force).finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /** Ask every server what it can do. Never throws: who does not answer is told of. */
  async probe(signal: AbortSignal = AbortSignal.timeout(PROBE_MS)): Promise<Probed[]> {
    const { probes = [] } = this.#options
    const answers = await Promise.all(probes.map((server) => probe(server, signal)))
    for (const answer of answers)
      if ("models" in answer) this.#probed.set(answer.provider_id, answer)
    this.#knowledge = this.#layered()
    return answers
  }

  /** Ask everyone for news now. */
  async renew(): Promise<{ readonly catalog: Refreshed; readonly probed: readonly Probed[] }> {
    const [catalog, probed] = await Promise.all([this.refresh(), this.probe()])
    return { catalog, probed }
  }

  /** Ask everyone now and the catalog every day, until the answer is called. */
  keepFresh(): () => void {
    void this.refreshIfDue()
    void this.probe()
    const asking = setInterval(() => void this.refreshIfDue(), LOOK_MS).unref()
    return () => clearInterval(asking)
  }

  async #refresh(force: boolean): Promise<Refreshed> {
    const { file, url, now = Date.now } = this.#options
    if (file === undefined) return { type: "failed", reason: "there is no folder to keep it in" }
    const outcome = await refresh(this.#kept, { file, url, now }, force)
    this.#failed_at = outcome.type === "failed" ? now() : undefined
    if (outcome.type === "failed") return outcome
    this.#kept = outcome.kept
    this.#knowledge = this.#layered()
    return outcome
  }

  #layered(): Knowledge {
    const { config } = this.#options
    const probed = [...this.#probed.values()].flatMap((answer) =>
      "models" in answer ? answer.models : [],
    )
    const layers: ModelLayer[] = [
      { name: "refreshed", models: this.#kept?.models ?? [] },
      { name: "probe", models: probed },
    ]
    return knowledgeOf(config ? [...layers, { name: "config", ...config }] : layers)
  }
}

const PROBE_MS = 20_000
/** How often it is asked whether a day has passed. */
const LOOK_MS = 10 * 60 * 1000
