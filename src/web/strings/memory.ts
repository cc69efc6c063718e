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
} as const
