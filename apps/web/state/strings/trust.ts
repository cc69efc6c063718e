/** What is said of instructions that nobody has trusted. */
export const trustStrings = {
  label: "Instructions of this folder",
  quoted: (names: string) =>
    `${names} of this folder is shown to the model as a quotation, because nobody has trusted it.`,
  look: "Look at it",
  hide: "Hide it",
  trust: "Trust it",
  keep: "Keep it as a quotation",
  trusted: (names: string) => `${names} is trusted as it is now.`,
} as const
