/** The keys, and what they do. */
export const helpStrings = {
  title: "Keyboard shortcuts",
  close: "Close",
  keys: [
    ["Enter", "Send, or queue while an answer is being written"],
    ["Shift + Enter", "New line"],
    ["Esc", "Stop the answer; put an edited message back"],
    ["/ and @", "Commands; files, skills and more"],
    ["Mod + Enter", "Steer: say it to the running answer"],
    ["↑ in an empty composer", "Edit the last queued message, or recall what was said"],
    ["Mod + S", "Put the draft aside"],
    ["Alt + ↑ / ↓ in the queue", "Move a waiting message"],
    ["Mod + .", "X-ray"],
    ["Mod + Shift + O", "New session"],
    ["Alt + ↑ / ↓", "Previous or next session"],
    ["/", "Go to the composer"],
    ["?", "This help"],
  ] as const,
} as const
