import { z } from "zod"
import { MAX_PATTERN_CHARACTERS } from "./read-glob.ts"

export const Action = z.enum(["allow", "deny", "ask"])
export type Action = z.infer<typeof Action>

/** What may be done without asking. A pattern is held against a call's subject: `*` stands for
 *  anything within one name, word or command, `**` for anything at all. */
export const PermissionRule = z.strictObject({
  /** `fs.write`, `shell.run` …; `*` for all of them. */
  permission: z.string().min(1).max(64),
  pattern: z.string().min(1).max(MAX_PATTERN_CHARACTERS),
  action: Action,
  source: z.enum(["manifest", "session", "project"]),
  added_at: z.int().min(0).optional(),
  /** Of a manifest: no other layer overrides it. A manifest's denial is always so. */
  pinned: z.boolean().optional(),
})
export type PermissionRule = z.infer<typeof PermissionRule>

interface PermissionQuestion {
  readonly permission: string
  /** A path, a command, an address: what the tool says the call is about. */
  readonly subject: string
}

/** A longer subject is always asked about: nobody reads a pattern against it. */
const MAX_SUBJECT_CHARACTERS = 64 * 1024

/** What the rules say about a call: the most specific one wins, except that nothing overrides what
 *  the manifest denies or pins (SES-080). Where no rule speaks, a person is asked. */
export function judgeCall(rules: readonly PermissionRule[], call: PermissionQuestion): Action {
  const matching = rules.filter((rule) => speaksOf(rule, call))
  const fixed = matching.filter(isFixed)
  if (fixed.length > 0) return strictest(fixed)
  return matching.sort(bySpecificity)[0]?.action ?? "ask"
}

/** What the built-in assistant may do until someone says otherwise. */
export const DEFAULT_RULES: readonly PermissionRule[] = [
  { permission: "fs.read", pattern: "**", action: "allow", source: "manifest" },
  { permission: "memory", pattern: "**", action: "allow", source: "manifest" },
  { permission: "human", pattern: "**", action: "allow", source: "manifest" },
  { permission: "fs.write", pattern: "**", action: "ask", source: "manifest" },
  { permission: "shell.run", pattern: "**", action: "ask", source: "manifest" },
  { permission: "net.fetch", pattern: "**", action: "ask", source: "manifest" },
]

/** Scratch is there to be written: nobody is asked for each file (SCR-001). */
export function scratchRule(path: string): PermissionRule {
  return { permission: "fs.write", pattern: `${path}/**`, action: "allow", source: "session" }
}

function speaksOf(rule: PermissionRule, { permission, subject }: PermissionQuestion): boolean {
  if (rule.permission !== "*" && rule.permission !== permission) return false
  const everything = rule.pattern === "*" || rule.pattern === "**"
  if (rule.action === "allow")
    return (
      everything ||
      (subject.length <= MAX_SUBJECT_CHARACTERS &&
        matches(rule.pattern, subject, permission === "shell.run" ? SHELL_MARKS : SLASH))
    )
  // What is forbidden stays so with something in front of it or behind it.
  return everything || piecesOf(permission, subject).some((piece) => matches(rule.pattern, piece))
}

// What a star does not reach across when it allows: `git *` is one command, and not two.
const SHELL_MARKS = /[;&|<>`$()\n\r\\]/
const SLASH = /\//
const NOTHING = /(?!)/

function piecesOf(permission: string, subject: string): string[] {
  const cut = subject.slice(0, MAX_SUBJECT_CHARACTERS)
  if (permission !== "shell.run") return [cut]
  return [cut, ...cut.split(/[;&|`()\n\r]|\$\(/).map((piece) => piece.trim())]
}

function isFixed({ source, action, pinned }: PermissionRule): boolean {
  return source === "manifest" && (action === "deny" || pinned === true)
}

const STRICTNESS: Readonly<Record<Action, number>> = { deny: 2, ask: 1, allow: 0 }
const LAYERS: Readonly<Record<PermissionRule["source"], number>> = {
  session: 2,
  project: 1,
  manifest: 0,
}

function strictest(rules: readonly PermissionRule[]): Action {
  return rules.map(({ action }) => action).sort((a, b) => STRICTNESS[b] - STRICTNESS[a])[0] ?? "ask"
}

/** The longer its letters the more a pattern says; then the nearer layer, then what was said last. */
function bySpecificity(left: PermissionRule, right: PermissionRule): number {
  return (
    letters(right) - letters(left) ||
    LAYERS[right.source] - LAYERS[left.source] ||
    (right.added_at ?? 0) - (left.added_at ?? 0) ||
    STRICTNESS[right.action] - STRICTNESS[left.action]
  )
}

function letters({ permission, pattern }: PermissionRule): number {
  const plain = pattern.replaceAll("*", "").length * 2
  return plain + (pattern.includes("*") ? 0 : 1) + (permission === "*" ? 0 : 0.5)
}

interface Retry {
  readonly pattern: number
  readonly text: number
}

// A star takes as little as it can and is asked for more when what follows does not fit; only the
// last of each kind is ever asked, so the work stays small whatever the pattern.
function matches(pattern: string, text: string, separator: RegExp = NOTHING): boolean {
  let star: Retry | undefined
  let stars: Retry | undefined
  let at: Retry = { pattern: 0, text: 0 }
  for (;;) {
    if (at.pattern === pattern.length && at.text === text.length) return true
    if (pattern.startsWith("**", at.pattern)) {
      stars = { pattern: at.pattern + 2, text: at.text }
      star = undefined
      at = stars
    } else if (pattern[at.pattern] === "*") {
      star = { pattern: at.pattern + 1, text: at.text }
      at = star
    } else if (at.pattern < pattern.length && pattern[at.pattern] === text[at.text]) {
      at = { pattern: at.pattern + 1, text: at.text + 1 }
    } else {
      star = star && oneMore(star, text, separator)
      if (!star) stars = stars && oneMore(stars, text, NOTHING)
      const retry: Retry | undefined = star ?? stars
      if (retry === undefined) return false
      at = retry
    }
  }
}

function oneMore({ pattern, text: at }: Retry, text: string, separator: RegExp): Retry | undefined {
  const next = text[at]
  return next === undefined || separator.test(next) ? undefined : { pattern, text: at + 1 }
}
