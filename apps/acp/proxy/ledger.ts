import type { RpcObject } from "../json-rpc.ts"
import type { AttachmentOutcome } from "./transform.ts"

export interface LedgerPrompt {
  /** The agent's own name of the session. */
  readonly session: string
  /** What the editor said, block by block. */
  readonly blocks: readonly unknown[]
  readonly attachments: readonly {
    readonly path: string
    readonly mime?: string | undefined
    readonly filename?: string | undefined
    readonly fate: AttachmentOutcome
  }[]
}

/** How a prompt ended, as its answer says. */
export type LedgerEnd =
  | { readonly type: "stopped"; readonly reason: string }
  | { readonly type: "failed"; readonly message: string }

/** Where what passes is written down. What `prompt` returned is on disk, and only then does the agent
 *  hear of it. */
export interface Ledger {
  session(id: string, about: { readonly cwd: string }): Promise<void>
  /** Rejects, with a sentence, what may not be passed on. */
  prompt(prompt: LedgerPrompt): Promise<string>
  update(session: string, update: RpcObject): Promise<void>
  end(session: string, message: string, end: LedgerEnd): Promise<void>
  close(): Promise<void>
}
