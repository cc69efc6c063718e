/** Commands that act on this terminal and not on the session. The server does not hear of them. */
export const LOCAL_COMMANDS = [
  { name: "sessions", description: "Open another session" },
  { name: "models", description: "Choose the model for what follows" },
  { name: "new", description: "Begin a new session" },
  { name: "branch", description: "Go on from here in a new session" },
  {
    name: "side",
    description:
      "Ask something beside, in a sidecar that this session does not see: /side question",
  },
  { name: "back", description: "Leave the sidecar; it is kept" },
  {
    name: "bring",
    description: "Take the sidecar's last answer back into this session, as a quote",
  },
  { name: "attach", description: "Attach a file: /attach path" },
  { name: "stash", description: "Drafts that gave way to another: take one up again" },
  {
    name: "trust",
    description: "Trust this folder's AGENTS.md and the like as they are: /trust, /trust show",
  },
  { name: "ide", description: "Take along what an editor beside has selected: /ide, /ide off" },
  { name: "quit", description: "Leave" },
] as const

export type LocalName = (typeof LOCAL_COMMANDS)[number]["name"]

export interface LocalCommand {
  readonly name: LocalName
  readonly argument: string
}

/** The command that leads a source, if it is one of ours. */
export function localCommand(source: string): LocalCommand | undefined {
  const [, word, argument = ""] = /^\/(\S+)(?:\s+([^]*))?$/.exec(source.trim()) ?? []
  const known = LOCAL_COMMANDS.find(({ name }) => name === word)
  return known && { name: known.name, argument: argument.trim() }
}
