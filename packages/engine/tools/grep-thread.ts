import { parentPort } from "node:worker_threads"
import { matchLines, type ScanRequest } from "./match-lines.ts"

// The thread in which an expression runs: one that does not come to an end takes nobody else along.
parentPort?.on("message", (request: ScanRequest) => parentPort?.postMessage(matchLines(request)))
