import type { SessionScreen } from "./desk.ts"
import type { Screen } from "./screen.ts"
import { askForTrust } from "./trust.ts"

/** What a command of the terminal may use. */
interface TerminalActions {
  readonly desk: SessionScreen
  readonly attachments: Screen["attachments"]
  chooseSession(): Promise<unknown>
  chooseModel(): Promise<unknown>
  /** Take the last answer of the sidecar back into the session that it stands beside. */
  bringAnswer(): Promise<unknown>
  takeUpStash(): Promise<unknown>
  linkEditor(argument: string): Promise<unknown>
  quit(): void
}

/** A command that acts on this terminal and not on the session. The server does not hear of it. */
interface LocalCommand {
  readonly name: string
  readonly about: string
  perform(argument: string, actions: TerminalActions): unknown
}

export const LOCAL_COMMANDS: readonly LocalCommand[] = [
  {
    name: "sessions",
    about: "Open another session",
    perform: (_, actions) => actions.chooseSession(),
  },
  {
    name: "models",
    about: "Choose the model for what follows",
    perform: (_, actions) => actions.chooseModel(),
  },
  { name: "new", about: "Begin a new session", perform: (_, { desk }) => desk.begin() },
  {
    name: "branch",
    about: "Go on from here in a new session",
    perform: (title, { desk }) => desk.branch(title),
  },
  {
    name: "side",
    about: "Ask something beside, in a sidecar that this session does not see: /side question",
    perform: (question, { desk }) => desk.side(question),
  },
  {
    name: "back",
    about: "Leave the sidecar; it is kept",
    perform: async (_, { desk }) => {
      if (!(await desk.back())) desk.say("notice", "This is no sidecar.")
    },
  },
  {
    name: "bring",
    about: "Take the sidecar's last answer back into this session, as a quote",
    perform: (_, actions) => actions.bringAnswer(),
  },
  {
    name: "attach",
    about: "Attach a file: /attach path",
    perform: (path, { desk, attachments }) => attachments.file(desk.client, path),
  },
  {
    name: "stash",
    about: "Drafts that gave way to another: take one up again",
    perform: (_, actions) => actions.takeUpStash(),
  },
  {
    name: "trust",
    about: "Trust this folder's AGENTS.md and the like as they are: /trust, /trust show",
    perform: (argument, { desk }) => askForTrust(desk, argument),
  },
  {
    name: "ide",
    about: "Take along what an editor beside has selected: /ide, /ide off",
    perform: (argument, actions) => actions.linkEditor(argument),
  },
  { name: "quit", about: "Leave", perform: (_, actions) => actions.quit() },
]

export interface LocalCall {
  readonly command: LocalCommand
  readonly argument: string
}

/** The command that leads a source, if it is one of the terminal's. */
export function readLocalCall(source: string): LocalCall | undefined {
  const [, word, argument = ""] = /^\/(\S+)(?:\s+([^]*))?$/.exec(source.trim()) ?? []
  const command = LOCAL_COMMANDS.find(({ name }) => name === word)
  return command && { command, argument: argument.trim() }
}
