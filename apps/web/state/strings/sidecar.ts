/** What the sidecars say. */
export const sidecarStrings = {
  title: "Sidecar",
  list: "Sidecars",
  all: "All sidecars",
  close: "Close the sidecar",
  about: "What was said in the sidecar",
  none: "No sidecars yet. Open one from a message's menu: it knows what was said up to there, and nothing said in it reaches this conversation unless you bring it back.",
  empty: "Ask something beside the conversation. It knows everything up to where it was opened.",
  input: "Message to the sidecar",
  placeholder: "Ask beside…",
  restored: "The question was not sent. It is written here again.",
  bringBack: "Bring back as a quote",
  broughtBack: "The quote is in your draft.",
  promote: "Keep as a session",
  delete: "Delete the sidecar",
  keep: "Keep",
  kept: "The sidecar is kept; it is in the list of sidecars.",
} as const
