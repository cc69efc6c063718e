import type { Writes } from "../../store.ts"
import type { Program } from "../program.ts"
import type { Transaction } from "../transaction.ts"
import { performAction } from "./actions.ts"
import { recordUpload } from "./messages.ts"
import { claim } from "./claim.ts"
import {
  endAnswer,
  recordCalls,
  recordCompaction,
  recordInstructions,
  recordSnapshot,
} from "./steps.ts"
import { attachToDraft, saveDraft } from "./drafts.ts"
import { deleteSession, purgeMessage, sweep } from "./deletion.ts"
import { recordEffect } from "./effects.ts"
import { forkEntity, killEntity, spawnEntity, tagEntity } from "./entities.ts"
import { putContext, changeMode, removeContext, reserveKey, writeRow } from "./entity-rows.ts"
import { observe, seeObservation, unobserve } from "./observations.ts"
import { rewind, unrewind } from "./path.ts"
import {
  addPrincipal,
  addPrincipalToken,
  recordAudit,
  revokePrincipal,
  revokePrincipalToken,
  sweepAudit,
  usePrincipalToken,
} from "./principals.ts"
import { append, cancelQueued, changeQueued, type RawAppended } from "./queue.ts"
import { branch, changeSession, createSession } from "./sessions.ts"
import { importRows } from "./transfer.ts"
import { interruptTurn } from "./interrupt.ts"
import { appendStream, createStream, deleteStream, useStream } from "./streams.ts"
import { takeSteers } from "./steer.ts"
import { beat, endTurn, recordRequest, recordRetry, recordStream, requestAbort } from "./turns.ts"
import {
  addTrigger,
  fireTrigger,
  holdTrigger,
  removeTrigger,
  settleDelivery,
  switchTrigger,
} from "./triggers.ts"
import { changeCommands, declareCommands } from "./slash-commands.ts"
import { resolveCall, resumeTurn, waitFor } from "./waiting.ts"

/** `vacuum` cannot run inside a transaction; the committer does it between two. */
export type OperationName = Exclude<keyof Writes, "vacuum">

type Operations = {
  [Name in OperationName]: (
    tx: Transaction,
    input: Parameters<Writes[Name]>[0],
  ) => Program<Name extends "append" ? RawAppended : ReturnType<Writes[Name]>>
}

type AnyOperation = (tx: Transaction, input: unknown) => Program<unknown>

/** An operation by its name. Whoever made the request gave it the input of that name. */
export function operationOf(name: OperationName): AnyOperation {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a name and its input travel together
  return OPERATIONS[name] as AnyOperation
}

export const OPERATIONS: Operations = {
  createSession,
  changeSession,
  branch,
  rewind,
  unrewind,
  append,
  changeQueued,
  cancelQueued,
  claim,
  recordRequest,
  recordStream,
  recordRetry,
  recordCompaction,
  recordInstructions,
  recordSnapshot,
  endAnswer,
  recordCalls,
  takeSteers,
  waitFor,
  resolveCall,
  resumeTurn,
  endTurn,
  performAction,
  requestAbort,
  beat,
  interrupt: interruptTurn,
  recordUpload,
  saveDraft,
  attachToDraft,
  createStream,
  appendStream,
  deleteStream,
  useStream,
  deleteSession,
  purgeMessage,
  sweep,
  importRows,
  addTrigger,
  removeTrigger,
  switchTrigger,
  fireTrigger,
  settleDelivery,
  holdTrigger,
  spawnEntity,
  killEntity,
  tagEntity,
  forkEntity,
  declareCommands,
  changeCommands,
  writeRow,
  putContext,
  removeContext,
  recordEffect,
  reserveKey,
  remode: changeMode,
  observe,
  unobserve,
  seeObservation,
  addPrincipal,
  revokePrincipal,
  addPrincipalToken,
  revokePrincipalToken,
  usePrincipalToken,
  recordAudit,
  sweepAudit,
}
