/** What routes take and answer, by the names that programs know: all of it is the contract's. */
export type { ListedAgent } from "compositor-core/contract/agents"
export type {
  CommandFinding,
  CompletionAnswer,
  CompletionItem,
  ExportTarget,
  InstructionFile,
  ListedCommand,
} from "compositor-core/contract/commands"
export type { PartData as AnyPart } from "compositor-core/parts/define-part"
export type { Fault, InsertField, ModelName, CommandsQuery } from "compositor-core/contract/fields"
export type { CarriedFile, FilePlaced, FolderEntry, Upload } from "compositor-core/contract/files"
export type { LowerAnswer, LowerBody } from "compositor-core/contract/lowering"
export type { ListedServer, ServerOffers } from "compositor-core/contract/mcp"
export type { ListedMemory, MemoryProposal } from "compositor-core/contract/memory"
export type {
  DraftAnswer,
  DraftBody,
  MessagePage,
  PathAttachment,
  PromptOptions,
  QueueAnswer,
  QueueChange,
  SendAnswer,
  SendBody,
} from "compositor-core/contract/messages"
export type {
  CatalogState,
  DiffLoweringAnswer,
  ModelInfo,
  ModelsAnswer,
  PartOutcome,
  ReceiptChange,
  RefreshAnswer,
  SwitchAnswer,
  SwitchSide,
} from "compositor-core/contract/models"
export type { ListedAudit, NewPrincipal } from "compositor-core/contract/principals"
export type { ImportAnswer, Info } from "compositor-core/contract/server"
export type {
  BroughtBack,
  SessionAnswer,
  SessionChanges,
  SessionSummary,
} from "compositor-core/contract/sessions"
export type { ListedTrigger, NewTrigger } from "compositor-core/contract/triggers"
export type { CallPath, StoredReceipt } from "compositor-core/contract/turns"
