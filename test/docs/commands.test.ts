import { spawnSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Command } from "commander"
import { describe, expect, it } from "vitest"
import { program } from "../../apps/cli/program.ts"

const ROOT = join(import.meta.dirname, "..", "..")
const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "ARCHITECTURE.md",
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
]

const GENERAL = ["", "--help", "-h", "--version", "-V"]
/** Commands of which the help says enough. */
const BY_THE_WAY = ["chat", "completion", "man"]

describe("a command that a page names", () => {
  const root = program()
  /** What the program does without a command. */
  const chat = root.commands.find((one) => one.name() === "chat") ?? root

  it.each(PAGES)("is one that exists, with its options, in %s", (page) => {
    const text = readFileSync(join(ROOT, page), "utf8")
    const wrong = commandsIn(text).flatMap((line) => faultsOf(line).map((fault) => [line, fault]))
    expect(wrong).toEqual([])
  })

  it("is found wherever it stands, and its faults are told", () => {
    const text = [
      "Say `compositor sned`, or `npm run benhc`.",
      "```sh",
      "git diff | ./bin/compositor send -c /review --colour  # --not-an-option",
      "compositor serve \\",
      "  --prot 1",
      "A=1 npm run bench -- sende --quick",
      "```",
    ].join("\n")
    expect(commandsIn(text).flatMap(faultsOf)).toEqual([
      "there is no command sned",
      "there is no script benhc",
      "send has no option --colour",
      "serve has no option --prot",
      "bench has no sende",
    ])
  })

  it("is in README's table, and the other way round", () => {
    const text = readFileSync(join(ROOT, "README.md"), "utf8")
    const [, table = ""] = text.split("| command | what it does |")
    const rows = table.split("\n\n")[0]?.split("\n") ?? []
    const listed = rows.flatMap((row) => row.split("|")[1]?.match(/[a-z-]{2,}/g) ?? [])
    const names = root.commands.map((one) => one.name())
    expect(
      listed.filter((name) => name !== "none" && !/^-+$/.test(name) && !names.includes(name)),
    ).toEqual([])
    expect(
      names.filter((name) => !text.includes(`\`${name}\``) && !BY_THE_WAY.includes(name)),
    ).toEqual([])
  })

  // What a page says

  /** Each call in a shell block, one to a line, and in the code of a sentence. */
  function commandsIn(text: string): string[] {
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block)
    const prose = text.replace(/^```[\s\S]*?^```/gm, "").replace(/<!--[\s\S]*?-->/g, "")
    const inline = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code)
    const lines = blocks.flatMap((block) => block.replace(/\\\n\s*/g, " ").split("\n"))
    return [...inline, ...lines]
      .flatMap((line) => line.split(/ \| | && /))
      .map((line) => line.trim().replace(/^(?:\w+=\S* )+/, ""))
      .filter((line) =>
        /^(?:(?:\.\/bin\/|npx )?compositor(?: |$)|npm (?:run |start|test))/.test(line),
      )
  }

  function faultsOf(line: string): string[] {
    const [first = "", ...words] = wordsOf(line)
    if (first === "npm") return faultsOfScript(words)
    return faultsOfCommand(root, first === "npx" ? words.slice(1) : words)
  }

  function wordsOf(line: string): string[] {
    const [command = ""] = line.split(/\s#/)
    const words = command.match(/"[^"]*"|'[^']*'|\S+/g) ?? []
    return words.map((word) => word.replace(/^["']|["']$/g, ""))
  }

  // What there is

  function faultsOfCommand(command: Command, words: readonly string[]): string[] {
    const [name = "", ...rest] = words
    const inner = command.commands.find((one) => [one.name(), ...one.aliases()].includes(name))
    if (inner) return faultsOfCommand(inner, rest)
    if (command === root && /^\w/.test(name)) return [`there is no command ${name}`]
    if (command === root && !GENERAL.includes(name)) return faultsOfCommand(chat, words)
    return words
      .filter((word) => /^--?[a-z]/.test(word))
      .map((word) => word.split("=")[0] ?? "")
      .filter((word) => !GENERAL.includes(word))
      .filter((word) => !command.options.some(({ short, long }) => word === short || word === long))
      .map((word) => `${command.name() || "compositor"} has no option ${word}`)
  }

  function faultsOfScript([verb = "", ...words]: readonly string[]): string[] {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const [name = "", ...rest] = verb === "run" ? words : [verb, ...words]
    if (scripts[name] === undefined) return [`there is no script ${name}`]
    if (name !== "bench" && name !== "torture") return []
    const said = helpOf(name)
    return rest
      .filter((word) => word !== "--" && /^[a-z-]/.test(word))
      .filter((word) => !said.includes(word))
      .map((word) => `${name} has no ${word}`)
  }

  const told = new Map<string, readonly string[]>()

  function helpOf(name: string): readonly string[] {
    const known = told.get(name)
    if (known) return known
    const script = join(ROOT, "scripts", `${name}.ts`)
    const { stdout } = spawnSync(process.execPath, [script, "--help"], { encoding: "utf8" })
    const words = stdout.match(/[\w-]+/g) ?? []
    told.set(name, words)
    return words
  }
})
