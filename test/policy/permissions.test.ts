import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  type Action,
  DEFAULT_RULES,
  judgeCall,
  PermissionRule,
  scratchRule,
} from "../../packages/engine/policy/permissions.ts"
import { type ToolBefore, watch } from "../../packages/engine/policy/watchdog.ts"

type Source = PermissionRule["source"]

function rule(
  said: `${string} ${string} ${Action}`,
  source: Source = "session",
  more: Partial<PermissionRule> = {},
): PermissionRule {
  const [permission = "", pattern = "", action] = said.split(" ")
  return {
    permission,
    pattern: pattern.replaceAll("_", " "),
    action: action as Action,
    source,
    ...more,
  }
}

describe("judgeCall", () => {
  function says(rules: readonly PermissionRule[], call: string, action: Action) {
    const at = call.indexOf(" ")
    const found = judgeCall(rules, {
      permission: call.slice(0, at),
      subject: call.slice(at + 1),
    })
    return () => expect(found).toBe(action)
  }

  it("[PER-010] is said by rules of one shape", () => {
    const shape = { permission: "fs.write", pattern: "src/**", action: "allow", source: "session" }
    expect(PermissionRule.parse({ ...shape, added_at: 1 })).toEqual({ ...shape, added_at: 1 })
    for (const wrong of [{ action: "perhaps" }, { source: "user" }, { pattern: "" }, { more: 1 }])
      expect(PermissionRule.safeParse({ ...shape, ...wrong }).success).toBe(false)
  })

  it("asks where no rule speaks", says([], "fs.write a.ts", "ask"))
  it("reads by itself, and asks before it writes", () => {
    expect(judgeCall(DEFAULT_RULES, { permission: "fs.read", subject: "a" })).toBe("allow")
    expect(judgeCall(DEFAULT_RULES, { permission: "fs.write", subject: "a" })).toBe("ask")
    expect(judgeCall(DEFAULT_RULES, { permission: "shell.run", subject: "ls" })).toBe("ask")
  })

  const wide = rule("fs.write ** allow", "project")
  it(
    "[SES-080] lets the most specific win, whatever its layer",
    says([wide, rule("fs.write src/** deny", "project")], "fs.write src/a.ts", "deny"),
  )
  it(
    "[SES-080] lets the session's word count before the project's",
    says([wide, rule("fs.write ** ask")], "fs.write a", "ask"),
  )
  it(
    "[SES-080] takes the last of two that say the same of it",
    says(
      [
        rule("fs.write a allow", "session", { added_at: 1 }),
        rule("fs.write a deny", "session", { added_at: 2 }),
      ],
      "fs.write a",
      "deny",
    ),
  )
  it(
    "[SES-080] never overrides what the manifest denies",
    says(
      [rule("fs.write ** deny", "manifest"), rule("fs.write a.ts allow")],
      "fs.write a.ts",
      "deny",
    ),
  )
  it(
    "[SES-080] never overrides what the manifest pins",
    says(
      [rule("shell.run ** ask", "manifest", { pinned: true }), rule("shell.run ls allow")],
      "shell.run ls",
      "ask",
    ),
  )
  it(
    "[SES-080] overrides what the manifest merely suggests",
    says(
      [rule("shell.run ** ask", "manifest"), rule("shell.run ls allow")],
      "shell.run ls",
      "allow",
    ),
  )
  it(
    "holds one star inside a name",
    says([rule("fs.write src/*.ts allow")], "fs.write src/a/b.ts", "ask"),
  )
  it(
    "lets two stars cross folders",
    says([rule("fs.write src/** allow")], "fs.write src/a/b.ts", "allow"),
  )
  it("[SCR-001] asks nobody about scratch, and about every way out of it", () => {
    const rules = [...DEFAULT_RULES, scratchRule("/data/scratch/ses_1")]
    const judged = (subject: string) => judgeCall(rules, { permission: "fs.write", subject })
    expect(judged("/data/scratch/ses_1/a/b.txt")).toBe("allow")
    for (const path of [
      "/data/scratch/ses_2/a",
      "/data/scratch/ses_1",
      "a.txt",
      "/data/scratch/ses_12/a",
    ])
      expect(judged(path)).toBe("ask")
  })
  it("lets a rule speak of every permission", says([rule("* ** deny")], "net.fetch x", "deny"))

  const git = [rule("shell.run git_* allow")]
  it("allows a command by its beginning", says(git, "shell.run git status -s", "allow"))
  for (const trick of [
    "git status; rm -rf x",
    "git status && rm x",
    "git status | sh",
    "git $(rm x)",
    "git `rm x`",
    "git log > x",
    "git a\nrm x",
  ])
    it(`does not take ${JSON.stringify(trick)} for git`, says(git, `shell.run ${trick}`, "ask"))
  it(
    "forbids a command wherever it stands",
    says(
      [rule("shell.run ** allow", "project"), rule("shell.run rm_* deny")],
      "shell.run ls; rm x",
      "deny",
    ),
  )
  it(
    "asks about what is too long to be matched",
    says(git, `shell.run git ${"x".repeat(70_000)}`, "ask"),
  )
  it(
    "denies what is too long all the same",
    says([rule("shell.run rm** deny")], `shell.run rm ${"x".repeat(70_000)}`, "deny"),
  )

  it("agrees with a regular expression on every pattern", () => {
    const letter = fc.constantFrom("a", "b", "/", "*", "**")
    const pattern = fc.array(letter, { maxLength: 8, minLength: 1 }).map((list) => list.join(""))
    const text = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 10 })
    fc.assert(
      fc.property(pattern, text, (pattern, list) => {
        fc.pre(pattern !== "*" && pattern !== "**")
        const subject = list.join("")
        const source = pattern.replace(/\*\*|\*/g, (star) => (star === "*" ? "[^/]*" : ".*"))
        const expected = new RegExp(`^${source}$`).test(subject) ? "allow" : "ask"
        const rules = [rule(`fs.read ${pattern} allow`)]
        expect(judgeCall(rules, { permission: "fs.read", subject })).toBe(expected)
      }),
    )
  })
})

describe("watchdog", () => {
  const call = { tool_id: "bash", input: { command: "ls" }, manifest: {}, session_id: "ses_1" }
  const asked = (before: ToolBefore | undefined, rules: Action, headless = false) =>
    watch(before, call, { rules, headless, timeout_ms: 50 })
  const says = (answer: "allow" | "ask") => () => ({ answer })

  it("[WDG-001] sees the tool, its input, the manifest and the session", async () => {
    const seen: unknown[] = []
    await asked((given) => {
      seen.push(given)
      return { answer: "allow" }
    }, "allow")
    expect(seen).toEqual([call])
  })
  it("[WDG-001] can deny with a reason, and can have a person asked", async () => {
    const deny = () => ({ answer: "deny", reason: "not on a Friday" }) as const
    expect(await asked(deny, "allow")).toEqual({ answer: "deny", reason: "not on a Friday" })
    expect(await asked(says("ask"), "allow")).toEqual({ answer: "ask" })
  })
  it("[WDG-001] cannot allow what the rules deny or ask about", async () => {
    expect(await asked(says("allow"), "deny")).toMatchObject({ answer: "deny" })
    expect(await asked(says("allow"), "ask")).toEqual({ answer: "ask" })
    expect(await asked(undefined, "ask")).toEqual({ answer: "ask" })
  })
  it("[WDG-001] denies what it would ask when nobody is there", async () => {
    expect(await asked(says("ask"), "allow", true)).toMatchObject({ answer: "deny" })
    expect(await asked(undefined, "ask", true)).toMatchObject({ answer: "deny" })
    expect(await asked(undefined, "allow", true)).toEqual({ answer: "allow" })
  })
  it("[WDG-001] has denied when it fails or does not answer", async () => {
    const fails = () => {
      throw new Error("oh")
    }
    expect(await asked(fails, "allow")).toMatchObject({ answer: "deny" })
    expect(await asked(() => new Promise(() => {}), "allow")).toMatchObject({ answer: "deny" })
  })
})
