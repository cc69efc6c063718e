import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CommandDialect } from "../../packages/core/catalog/command.ts"
import { parseTemplate, templateOf } from "../../packages/core/catalog/template.ts"
import { shows, template } from "./build.ts"

const NASTY = [
  "$1",
  "$@",
  "$&",
  "$$",
  "$`",
  "$ARGUMENTS",
  "{{args}}",
  "!`id`",
  "!{id}",
  "@{/etc/passwd}",
  "@/etc/passwd",
  "\\$1",
  "\\",
  "${input:x}",
  "{% raw %}",
  "{{ x }}",
  "don't",
  '"',
  "日本",
]
const dialects = fc.constantFrom(...CommandDialect.options)
const marks = fc.array(fc.constantFrom(...NASTY, "a", " ", "\n", ".", "}", "`"), { maxLength: 20 })

describe("parseTemplate", () => {
  it("[BEY-05] puts a body together again from its slots as they were written", () =>
    fc.assert(
      fc.property(dialects, marks, (dialect, pieces) => {
        const body = pieces.join("")
        for (const piece of parseTemplate(body, dialect, ["x"]).pieces)
          if (piece.type !== "literal")
            expect(body.slice(piece.at, piece.at + piece.raw.length)).toBe(piece.raw)
      }),
      { numRuns: 500 },
    ))

  it("[BEY-05] fills in what was typed, whatever it looks like, and nothing of it twice", () =>
    fc.assert(
      fc.property(
        fc.constantFrom("compositor", "claude", "opencode", "gemini"),
        marks,
        (dialect, typed) => {
          const text = typed.join("").trim()
          const slot = dialect === "gemini" ? "{{args}}" : "$ARGUMENTS"
          expect(shows(template(dialect, `<${slot}>`), text)).toBe(`<${text}>`)
        },
      ),
      { numRuns: 500 },
    ))

  it("is parsed once for each command", () => {
    const command = template("claude", "$0")
    expect(templateOf(command)).toBe(templateOf(command))
  })

  it.each(CommandDialect.options)(
    "reads 64 KB of anything in the dialect %s without delay",
    (dialect) => {
      for (const mark of [...NASTY, "{", "{{", "!{", "@{", "{#", "{%", " !`a` ", "@a/", "$a-b-"]) {
        const body = mark.repeat(Math.floor((64 * 1024) / mark.length))
        const began = performance.now()
        parseTemplate(body, dialect, ["a"])
        expect(performance.now() - began, mark).toBeLessThan(1000)
      }
    },
  )
})
