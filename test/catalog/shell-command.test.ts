import { execFileSync } from "node:child_process"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type ShellPiece, shellCommand } from "../../packages/core/catalog/shell-command.ts"

function code(text: string): ShellPiece {
  return { type: "code", text }
}
function value(...words: string[]): ShellPiece {
  return { type: "value", words, raw: "$1" }
}
function command(...pieces: ShellPiece[]): string {
  const made = shellCommand(pieces)
  return made.type === "command" ? made.command : `refused: ${made.reason}`
}

describe("shellCommand", () => {
  it("[BEY-05] quotes a value for where it stands", () => {
    expect(command(code("ls "), value("a b"))).toBe("ls 'a b'")
    expect(command(code("ls "), value("a", "b"))).toBe("ls 'a' 'b'")
    expect(command(code('ls "x '), value("it's"), code(' y"'))).toBe(`ls "x "'it'\\''s'" y"`)
    expect(command(code("ls 'x "), value("a"), code("'"))).toBe("ls 'x ''a'''")
    expect(command(code("ls "), value())).toBe("ls ''")
  })

  it.each([
    ["a comment", "ls # "],
    ["a here-document", "cat <<EOF\n"],
    ["backticks", "echo `"],
    ["an expansion", "echo $(ls | cat "],
    ["an expansion", "echo ${x:-"],
    ["an expansion", "echo $'"],
    ["an expansion", 'echo "$(ls '],
    ["after a backslash", "ls \\"],
    ["a program for another interpreter", "sh -c '"],
    ["a program for another interpreter", 'bash -l -c "'],
    ["a program for another interpreter", "/bin/sh -ec '"],
    ["a program for another interpreter", 'python3 -c "'],
    ["a program for another interpreter", "eval "],
    ["a program for another interpreter", "ls | xargs "],
    ["a program for another interpreter", "awk '"],
    ["a program for another interpreter", "ssh host "],
  ])("[BEY-05] refuses a value in %s: %s", (place, text) =>
    expect(command(code(text), value("a"))).toBe(
      `refused: $1 stands where sh would read it as code: ${place}`,
    ),
  )

  it("reads past what is closed", () => {
    expect(command(code('echo "#" $(date +%s) ${HOME} '), value("a"))).toBe(
      `echo "#" $(date +%s) \${HOME} 'a'`,
    )
    expect(command(code("ls # x\nls "), value("a"))).toBe("ls # x\nls 'a'")
    expect(command(code("awk '{print $1}' "), value("a"))).toBe("awk '{print $1}' 'a'")
    expect(command(code("bash deploy.sh -e "), value("a"))).toBe("bash deploy.sh -e 'a'")
  })
  it("refuses a NUL", () => expect(command(code("ls "), value("a\0b"))).toMatch(/NUL/))

  it("[BEY-05] gives sh every value as it is, in and out of quotes", () => {
    const nasty = fc.string({
      unit: fc.constantFrom(...Array.from("abc '\"\\$`!#&|;<>(){}[]*?~\n\t=-%日")),
      minLength: 1,
      maxLength: 12,
    })
    fc.assert(
      fc.property(nasty, nasty, (first, second) => {
        const made = command(
          code("printf '%s\\0' "),
          value(first),
          code(' "<'),
          code(""),
          value(second),
          code(">\" '['"),
          value(first, second),
          code("']'"),
        )
        const shown = execFileSync("/bin/sh", ["-c", made], { encoding: "utf8", env: {} })
        expect(shown.split("\0")).toEqual([first, `<${second}>`, `[${first}`, `${second}]`, ""])
      }),
      { numRuns: 150 },
    )
  })
})
