/** What is said of agents. */
export const agentsStrings = {
  none: "Nobody answers here.",
  uses: "Answers here",
  use: "Let it answer here",
  begin: "Begin a session with it",
  switched: (name: string) => `From the next message on, ${name} answers.`,
  model: (name: string) => `model ${name}`,
  allTools: "all tools",
  tools: (count: number) => (count === 1 ? "1 tool" : `${count} tools`),
  prompt: "Its instructions",
  toolNames: "Its tools",
  how: "An agent is a file .agents/agents/<name>.md: its head says what it may, its body is its instructions.",
  refresh: "Refresh",
} as const
