/** What is said of MCP servers. */
export const serversStrings = {
  none: "No MCP servers. A file .mcp.json in the workspace names some.",
  refresh: "Refresh",
  states: {
    ready: "ready",
    failed: "not reached",
    disabled: "switched off",
    untrusted: "not trusted yet",
  },
  counts: (tools: number, prompts: number, resources: number) =>
    `${tools} tools · ${prompts} prompts · ${resources} resources`,
  offers: "What it offers",
  tools: "Tools",
  prompts: "Prompts",
  resources: "Resources",
  reconnect: (name: string) => `Reconnect ${name}`,
  reconnected: (name: string) => `${name} was started anew.`,
  refer: (name: string) => `Put ${name} into the draft`,
  referred: (name: string) => `${name} is in your draft.`,
} as const
