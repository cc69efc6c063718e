import { type Tool, ToolError, type ToolResult, type ToolRuntime } from "./tool.ts"

/** Run one call to its end. It never throws: what goes wrong is what the model is told. */
export async function runTool(
  tool: Tool,
  input: unknown,
  runtime: ToolRuntime,
): Promise<ToolResult> {
  const begun = performance.now()
  const elapsed = () => ({ duration_ms: Math.round(performance.now() - begun) })
  const faults = tool.faults(input)
  if (faults.length > 0) {
    const error_text = `The input of ${tool.id} is not valid: ${faults.join("; ")}.`
    return { type: "error", error_text, metadata: elapsed() }
  }
  try {
    const made = await tool.execute(input, runtime)
    const fault = faultOf(made)
    if (fault) return { type: "error", error_text: fault, metadata: elapsed() }
    const { data, blocks, ...about } = (await runtime.clean?.(made)) ?? made
    const metadata = { ...elapsed(), ...about }
    return { type: "output", data, ...(blocks ? { blocks } : {}), metadata }
  } catch (error) {
    const told = tell(tool, error)
    const error_text = (await runtime.clean?.(told).catch(() => UNTOLD)) ?? told
    return { type: "error", error_text, metadata: elapsed() }
  }
}

/** More is a mistake of the tool: it is told so, and its words are not kept. */
const MAX_RESULT_CHARACTERS = 8 * 1024 * 1024

// A tool may come from elsewhere: what it gives back is not ours to trust.
function faultOf(output: unknown): string | undefined {
  try {
    const { length } = JSON.stringify(output)
    return length > MAX_RESULT_CHARACTERS ? "The result was too large to keep." : undefined
  } catch {
    return "The result could not be kept: it is not JSON."
  }
}

const UNTOLD = "The call failed, and why cannot be told without a secret."

function tell(tool: Tool, error: unknown): string {
  if (error instanceof ToolError) return error.message
  const message = error instanceof Error ? error.message : String(error)
  return `${tool.id} failed: ${message}`
}
