/** What is said of memories. */
export const memoryStrings = {
  add: "Remember something",
  none: "Nothing is remembered yet. What you or the model write down here is there in the next session too.",
  edit: (name: string) => `Edit ${name}`,
  forget: (name: string) => `Forget ${name}`,
  name: "Name",
  scope: "Where it counts",
  scopes: { user: "everywhere", project: "in this project" },
  body: "What to remember",
  save: "Save",
  cancel: "Cancel",
  untrusted: "not trusted yet",
  by: (author: string) => (author === "agent" ? "written by the model" : "written by you"),
  proposals: "Proposed, and not done yet",
  proposed: {
    write: (name: string) => `Remember ${name}?`,
    delete: (name: string) => `Forget ${name}?`,
  },
  accept: { write: "Remember it", delete: "Forget it" },
  reject: "Drop the proposal",
  askedBy: (session: string | undefined, via: string | undefined) =>
    ["asked for by the model", via && `woken by ${via}`, session && `in ${session}`]
      .filter(Boolean)
      .join(", "),
} as const
