import { execFileSync } from "node:child_process"
import { chmod, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { barOf } from "../../apps/cli/progress.ts"
import { inPath } from "../machine.ts"
import { setting } from "./run.ts"

describe("the command line", { timeout: 60_000 }, () => {
  it("says what it can do, and what is not a command", async () => {
    const { run } = await setting()
    const help = await run(["--help"])
    expect(help.code).toBe(0)
    for (const word of ["send", "acp", "acp-proxy", "doctor", "completion", "man"])
      expect(help.out).toContain(`  ${word}`)
    expect(await run(["nonsense"])).toMatchObject({
      code: 2,
      error: expect.stringContaining("there is no command nonsense"),
    })
    expect(await run([])).toMatchObject({
      code: 2,
      error: expect.stringContaining("this is no terminal"),
    })
    expect((await run(["--version"])).out).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  it("completes in bash what it knows", async () => {
    const { run, workspace } = await setting()
    const { out, code } = await run(["completion", "bash"])
    expect(code).toBe(0)
    const script = join(workspace, "completion.sh")
    await writeFile(script, out)
    const complete = (...words: readonly string[]) =>
      execFileSync(
        "bash",
        [
          "-c",
          `. '${script}'; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _compositor; printf '%s\\n' "\${COMPREPLY[@]}"`,
          "bash",
          "compositor",
          ...words,
        ],
        { encoding: "utf8" },
      )
        .trim()
        .split("\n")
    expect(complete("acp")).toEqual(["acp", "acp-proxy"])
    expect(complete("send", "--mod")).toEqual(["--model", "--mode"])
    expect(complete("commands", "do")).toEqual(["doctor"])
  })

  it.each([
    ["zsh", "-n"],
    ["fish", "--no-execute"],
  ])("writes what %s can read", async (shell, flag) => {
    const { run, workspace } = await setting()
    const { out, code } = await run(["completion", shell])
    expect(code).toBe(0)
    expect(out).toContain("acp-proxy")
    const script = join(workspace, `completion.${shell}`)
    await writeFile(script, out)
    if (inPath(shell)) execFileSync(shell, [flag, script])
  })

  it("writes its manual page, with every command in it", async () => {
    const { run, workspace } = await setting()
    const { out } = await run(["man"])
    expect(out).toMatch(/^\.TH COMPOSITOR 1/)
    expect(out).toContain(".SS compositor commands export")
    expect(out).toContain("\\-\\-attach")
    await writeFile(join(workspace, "compositor.1"), out)
    if (inPath("groff"))
      expect(
        execFileSync("groff", ["-man", "-Tutf8", "-ww", join(workspace, "compositor.1")], {
          encoding: "utf8",
        }),
      ).toContain("compositor")
  })

  it("examines itself, and exits with 1 when something must be mended", async () => {
    const { run, data } = await setting()
    const fine = await run(["doctor", "--json"])
    expect(fine.code).toBe(0)
    const findings = JSON.parse(fine.out) as { about: string; state: string }[]
    expect(findings.map(({ about }) => about)).toEqual(
      expect.arrayContaining(["Node.js", "data folder", "server", "providers", "commands"]),
    )
    await writeFile(join(data, "token"), "secret")
    await chmod(join(data, "token"), 0o644)
    const mended = await run(["doctor"])
    expect(mended.out).toMatch(/others could look at \S+token; now only you can/)
    expect((await stat(join(data, "token"))).mode & 0o777).toBe(0o600)
    await writeFile(join(data, "config.json"), "{ no JSON")
    const wrong = await run(["doctor"])
    expect(wrong.code).toBe(1)
    expect(wrong.out).toMatch(/^!! +\S+ +\S+config\.json is not JSON/m)
  })

  it("draws a bar for what takes a while", () => {
    const about = { doing: "sending a.bin", total: 200 }
    expect(barOf(about, 0)).toBe(`${"░".repeat(24)}   0 % sending a.bin`)
    expect(barOf(about, 100)).toBe(`${"█".repeat(12)}${"░".repeat(12)}  50 % sending a.bin`)
    expect(barOf(about, 300)).toBe(`${"█".repeat(24)} 100 % sending a.bin`)
  })
})
