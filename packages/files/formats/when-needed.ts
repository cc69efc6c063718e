import type { listArchive as List } from "../archives/archive.ts"
import type { runReader as Read } from "./run-reader.ts"
import type { runProgram as Run } from "./sandboxed.ts"
import type { transcribe as Transcribe } from "./transcribe.ts"

// Who looks up what can be done with a file need not load whoever does it.

export const runReaderWhenNeeded: typeof Read = async (...given) =>
  (await import("./run-reader.ts")).runReader(...given)

export const runProgramWhenNeeded: typeof Run = async (...given) =>
  (await import("./sandboxed.ts")).runProgram(...given)

export const transcribeWhenNeeded: typeof Transcribe = async (...given) =>
  (await import("./transcribe.ts")).transcribe(...given)

export const listArchiveWhenNeeded: typeof List = async (...given) =>
  (await import("../archives/archive.ts")).listArchive(...given)
