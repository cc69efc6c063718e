/** Rules that no wire shows, and why. */
export const UNSEEN: Readonly<Record<string, string>> = {}
