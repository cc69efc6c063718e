import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { TRUST_ALL } from "../../packages/engine/skills/trust.ts"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import {
  MAX_INSTRUCTION_CHARACTERS,
  printInstructions,
  projectInstructions,
} from "../../packages/engine/skills/instructions.ts"

describe("a project's instructions", () => {
  let root: string

  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), "instructions-")))
    await mkdir(join(root, "app", "deep"), { recursive: true })
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  const rooms = { trust: TRUST_ALL, home: "/nobody", admit: (_: string, text: string) => text }
  const write = (path: string, text: string) => writeFile(join(root, path), text)
  const texts = async () =>
    (await projectInstructions(join(root, "app", "deep"), root, rooms)).map(({ text }) => text)

  it("[SKL-004] are collected upward, the nearest last, one of each folder", async () => {
    await write("AGENTS.md", "root")
    await write("CLAUDE.md", "not this one")
    await write("app/CONTEXT.md", "app")
    await write("app/deep/CLAUDE.md", "deep")
    expect(await texts()).toEqual(["root", "app", "deep"])
  })

  it("[SKL-004] stay within their room: what is furthest away gives way", async () => {
    await write("AGENTS.md", "r".repeat(MAX_INSTRUCTION_CHARACTERS))
    await write("app/AGENTS.md", "a".repeat(20_000))
    await write("app/deep/AGENTS.md", "d".repeat(10_000))
    const found = await projectInstructions(join(root, "app", "deep"), root, rooms)
    expect(found.map(({ text, cut }) => [text[0], text.length, cut])).toEqual([
      ["r", 2_000, true],
      ["a", 20_000, false],
      ["d", 10_000, false],
    ])
    expect(printInstructions(found)).toContain("[cut here]")
  })

  it("are none of a file that lies outside", async () => {
    const outside = await mkdtemp(join(tmpdir(), "outside-"))
    await writeFile(join(outside, "secret.md"), "secret")
    await symlink(join(outside, "secret.md"), join(root, "AGENTS.md"))
    expect(await texts()).toEqual([])
    await rm(outside, { recursive: true })
  })
})
