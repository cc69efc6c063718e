import type { CommandActions } from "../../packages/core/commands/command-actions.ts"

/** The functions that commands ask for, in a session where nothing was ever said or kept. */
export const EMPTY_ACTIONS: CommandActions = {
  listCommands: () => [],
  isFile: async () => false,
  readHistory: async () => [],
  readLastReceipts: async () => null,
  listMemories: async () => [],
  countProposedMemories: async () => 0,
  readMemory: async (name) => ({ type: "failed", message: `There is no memory ${name}.` }),
  rewriteMemory: async (name) => ({ type: "failed", message: `There is no memory ${name}.` }),
  deleteMemory: async (name) => ({ type: "failed", message: `There is no memory ${name}.` }),
}
