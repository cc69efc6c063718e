import { describe, expect, it } from "vitest"
import { withVariables } from "../../packages/engine/mcp/variables.ts"

describe("variables in a file of MCP servers", () => {
  const fills = (said: unknown, value: unknown, missing: readonly string[] = []) =>
    expect(withVariables(said, { HOST: "a.example", EMPTY: "", ODD: "${HOST}" })).toEqual({
      value,
      missing,
    })

  it("[MCP-001] fills in what the environment says, in every string of an entry", () =>
    fills(
      { url: "https://${HOST}/mcp", headers: { x: "${HOST}${HOST}" }, args: ["--to", "${HOST}"] },
      {
        url: "https://a.example/mcp",
        headers: { x: "a.examplea.example" },
        args: ["--to", "a.example"],
      },
    ))
  it("[MCP-001] takes the default where there is no value, or an empty one", () =>
    fills("${NONE:-b.example}, ${EMPTY:-c}", "b.example, c"))
  it("[MCP-001] names what has neither", () =>
    fills({ command: "${NONE}", env: { A: "${EMPTY}" } }, { command: "${NONE}", env: { A: "" } }, [
      "NONE",
    ]))
  it("[MCP-001] does not look into what it filled in", () => fills("${ODD}", "${HOST}"))
  it("[MCP-001] leaves what is no variable, and what is no text", () =>
    fills(
      { args: ["$HOST", "${1}"], timeout_ms: 100, disabled: true },
      {
        args: ["$HOST", "${1}"],
        timeout_ms: 100,
        disabled: true,
      },
    ))
})
