import type { ModelChoice } from "../message/message.ts"
import type { StoredMessage } from "../message/row.ts"
import type { Receipt } from "../model/receipt.ts"

/** What a built-in command may ask of the engine, each in the session that the command was typed in.
 *  The engine implements all of it once; a command names the few functions that it calls. */
export interface CommandActions {
  /** Every command that can be typed here, in the order of the catalog. */
  listCommands(): readonly { readonly name: string; readonly description?: string | undefined }[]
  /** Whether a path of the workspace names a file. */
  isFile(path: string): Promise<boolean>
  /** The messages of the session as they count today, oldest first. */
  readHistory(): Promise<readonly StoredMessage[]>
  /** What the model was shown of the last message; null before the first. */
  readLastReceipts(): Promise<LastReceipts | null>
  /** A line for each memory. */
  listMemories(): Promise<readonly string[]>
  /** How many changes of memories wait for a person. */
  countProposedMemories(): Promise<number>
  readMemory(name: string): Promise<MemoryReply>
  rewriteMemory(name: string, body: string): Promise<MemoryReply>
  deleteMemory(name: string): Promise<MemoryReply>
}

interface LastReceipts {
  readonly model: ModelChoice
  readonly receipts: readonly Receipt[]
}

/** What became of a request about one memory; `message` says why it failed. */
export type MemoryReply =
  | { readonly type: "done"; readonly body: string }
  | { readonly type: "failed"; readonly message: string }
