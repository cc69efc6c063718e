import { z } from "zod"
import { runSandboxed, type SandboxResult } from "compositor-files/sandbox/sandbox"
import { runInWorkspace } from "compositor-files/sandbox/workspace-shell"
import { judgeCall } from "../policy/permissions.ts"
import type { Hiding } from "./glob.ts"
import { searchFor } from "./masked.ts"
import { cutText, textOutput } from "./output.ts"
import { withoutPiecesOfSecrets } from "./pieces-of-secrets.ts"
import { admitText, scratchOf, stageNamed } from "./place.ts"
import { defineTool, type Tool, ToolError, type ToolOutput, type ToolRuntime } from "./tool.ts"

const TIMEOUT_MS = 30_000
const MAX_TIMEOUT_MS = 600_000
/** A command that says more is stopped. */
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024

const Input = z.strictObject({
  command: z.string().min(1).max(64_000).describe("What sh runs, in the workspace."),
  timeout_ms: z.int().min(1).max(MAX_TIMEOUT_MS).optional(),
})
type Input = z.output<typeof Input>

/** A shell behind walls: no network, nothing of the user's but the workspace, and that read-only
 *  unless writing is allowed everywhere in it. What it makes goes to `$SCRATCH`. */
export function bashTool(hiding: Hiding = () => undefined, shell_fault?: string): Tool {
  return defineTool({
    id: "bash",
    aliases: [],
    description:
      "Run a shell command without network. The workspace is read-only unless writing is allowed; $SCRATCH is writable and is kept.",
    input: Input,
    requires: ["shell.run"],
    read_only: false,
    waits: false,
    consumes: [],
    absent: shell_fault,
    subject: ({ command }) => command.trim(),
    execute: (input, runtime) => run(input, runtime, hiding),
  })
}

async function run(input: Input, runtime: ToolRuntime, hiding: Hiding): Promise<ToolOutput> {
  const { command, timeout_ms = TIMEOUT_MS } = input
  const staged = await stageNamed(command, runtime)
  const { workspace_root: root, signal } = runtime
  const scratch = await scratchOf(runtime)
  const about = { command, scratch, timeout_ms, max_output_bytes: MAX_OUTPUT_BYTES, signal }
  const ran = await (root === null
    ? runSandboxed({ ...about, workspace: null })
    : runInWorkspace({
        ...about,
        search: searchFor(root, runtime, hiding),
        writable: mayWrite(runtime),
      }))
  return told(ran, runtime, wrongNames(command, staged))
}

/** No program opens a content id: where the file lies is said, for the next try. */
function wrongNames(command: string, staged: readonly string[]): string[] {
  if (!command.includes("sha256:")) return []
  return staged.map((path) => `an attachment that it names lies at ${path}`)
}

/** A shell cannot be held to some paths: it may write where all of the workspace may be written. */
function mayWrite({ rules = [] }: ToolRuntime): boolean {
  const about = rules.filter(({ permission }) => permission === "fs.write" || permission === "*")
  if (about.some(({ action }) => action === "deny")) return false
  return judgeCall(about, { permission: "fs.write", subject: "." }) === "allow"
}

async function told(
  ran: SandboxResult,
  runtime: ToolRuntime,
  about: readonly string[],
): Promise<ToolOutput> {
  if (ran.type === "unavailable") throw new ToolError(`No shell command is run: ${ran.reason}.`)
  if (ran.type === "stopped") throw new ToolError(`The command was stopped: ${ran.reason}.`)
  const judged = await admitText(runtime, { origin: "command-output", text: ran.text })
  const shown = await withoutPiecesOfSecrets(judged, runtime)
  const cut = await cutText(shown.text, runtime)
  const notes = [
    ...(ran.truncated ? [`it said more than ${MAX_OUTPUT_BYTES} bytes and was stopped`] : []),
    ...ran.notes,
    ...about,
    ...(shown.note === null ? [] : [shown.note]),
  ]
  const data = { exit_code: ran.code, ...(notes.length > 0 ? { notes } : {}) }
  const more = ran.truncated ? { truncated: true } : {}
  return { data, ...textOutput(cut.text), ...more, ...cut.about }
}
