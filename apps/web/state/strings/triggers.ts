/** What is said of triggers. */
export const triggersStrings = {
  add: "Add a trigger",
  none: "Nothing wakes this session. A schedule, a webhook or another program can.",
  needsSession: "A trigger wakes a session: open one first.",
  kind: "What wakes it",
  kinds: {
    interval: "Every so often",
    cron: "By the clock (cron)",
    webhook: "A webhook",
    api: "Another program",
  },
  when: { interval: "Minutes", cron: "Expression" } as Record<string, string>,
  prompt: "What it says",
  fire: "Fire now",
  fired: "The trigger fired.",
  remove: "Remove",
  next: (when: string) => `next ${when}`,
  last: (when: string) => `last ${when}`,
  key: (key: string) => `The key of this webhook, told only once: ${key}`,
} as const
