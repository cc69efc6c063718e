import type { AnyDefinition } from "../entities/definition.ts"
import type { BlobStore } from "compositor-files/blobs/blobs"
import type { FileSettings } from "compositor-files/settings"
import type { PolicyConfig } from "../policy/config.ts"
import type { KnownModels } from "../providers/known-models.ts"
import type { Provider } from "../providers/provider.ts"
import type { ProviderEnvironment } from "compositor-core/wires/define-wire"
import type { TurnOptions } from "../turns/turn-context.ts"
import type { Trust } from "../skills/trust.ts"
import type { Store } from "../store/store.ts"
import type { WorkspacesOptions } from "../workspaces/workspaces.ts"
import type { EngineSettings } from "./settings.ts"

/** What whoever opens a host may say. */
export interface HostOptions extends TurnOptions {
  readonly data: string
  readonly workspace: string | null
  readonly environment: ProviderEnvironment
  /** Where rows are kept, like `postgres://user@host/database`; without, in the data folder. */
  readonly store?: string
  /** Where blobs are kept, like `s3://bucket/prefix`; without, in the data folder. */
  readonly blobs?: string
  /** Look at what goes through the store and the blobs on its way. */
  readonly observe?: Observer
  /** Write in a thread of its own: a server does, a command that soon ends does not. */
  readonly thread?: boolean
  /** Run turns here. Without, messages are only accepted and kept. */
  readonly turns?: boolean
  readonly providers?: ReadonlyMap<string, Provider>
  /** What is known of models; read from the data folder unless given. */
  readonly known?: KnownModels
  /** Ask the catalog of models and the configured servers for news, in the background. */
  readonly fresh_models?: boolean
  readonly lease_ms?: number
  /** What may come in, beside the defaults. */
  readonly policy?: PolicyConfig
  /** How files are kept and read, instead of what `config.json` says. */
  readonly files?: Partial<FileSettings>
  /** Who else knows names that can be typed: symbols, a server's resources. */
  readonly completion_sources?: WorkspacesOptions["completion_sources"]
  /** Another judge of what a repository's files may do, for this host's life. */
  readonly trust?: Trust
  /** `full` for a host that people live with: servers, memory, triggers, bundled skills, agents. */
  readonly extent?: "bare" | "full"
  /** A message will be sent at once: what its turn works with is got ready meanwhile. */
  readonly sends?: boolean
  /** Fire triggers when their time has come: a server does, a command that soon ends does not. */
  readonly fires?: boolean
  /** Entity types beside the built-in assistant. */
  readonly entities?: readonly AnyDefinition[]
  readonly log?: (message: string) => void
  readonly broken?: (reason: string) => void
}

export interface Observer {
  store(store: Store): Store
  blobs(blobs: BlobStore): BlobStore
}

/** With what was read from its folder. */
export type OpenedOptions = HostOptions & {
  readonly blob_store?: BlobStore
  readonly known: KnownModels
  readonly settings?: EngineSettings
}
