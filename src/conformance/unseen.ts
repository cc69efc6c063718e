const HANDLER = "a handler is code inside the host: what it calls does not pass the wire"
const EDITOR = "it is spoken with an editor over standard input and output, not over HTTP"
const TERMINAL = "it is about what a terminal is sent and does"
const COMMAND = "it is about commands beside the server"
const DATABASE = "it is about the database behind the server, which no answer shows"

/** Rules that no wire shows, and why. Short: what can be seen is looked at. */
export const UNSEEN: Readonly<Record<string, string>> = {
  "EA-013": HANDLER,
  "EA-014": HANDLER,
  "EA-020": HANDLER,
  "EA-030": HANDLER,
  "EA-032": "helpers are functions of the library",
  "EA-034": HANDLER,
  "EA-035": "a handler must die for it, and the kit does not kill the server",
  "EA-040": "it is what a page shows and how it is used by keyboard",
  "DEC-08": "it is a translation that a client's library makes",
  "PER-003": DATABASE,
  "PER-009": DATABASE,
  "PER-015": "it takes a second process on the same folder",
  "CMPH-015": "a message would have to carry more bytes than a server should be sent to look at it",
  "CMPH-016": "it is about what a page holds in memory",
  "QUE-007": "it is about what a surface keeps, not about what it says",
  "SES-061": "the server must die for it, and the kit does not kill the server",
  "SCR-003": "somebody must plant a link beside the server's own folders",
  "ATT-001": EDITOR,
  "ATT-002": EDITOR,
  "ATT-003": EDITOR,
  "ATT-004": EDITOR,
  "ATT-005": EDITOR,
  "ATT-006": EDITOR,
  "ATT-008": "it is about the tests of the agent",
  "TRM-01": TERMINAL,
  "TRM-02": TERMINAL,
  "TRM-03": TERMINAL,
  "OPS-08": COMMAND,
  "OPS-09": COMMAND,
  "OPS-10": "it is about the rights of files, which no answer shows",
  "OPS-11": DATABASE,
  "OPS-12": COMMAND,
  "BEY-11": "it is about this kit",
  "TRU-002": "it takes a server of one's own that speaks Chat Completions",
  "ACP-001": EDITOR,
  "ACP-002": EDITOR,
  "ACP-003": EDITOR,
  "ACP-004": EDITOR,
  "ACP-005": EDITOR,
  "ACP-006": EDITOR,
}
