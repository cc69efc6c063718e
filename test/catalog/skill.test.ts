import { describe, expect, it } from "vitest"
import { Command } from "../../packages/core/catalog/command.ts"
import { readSkill } from "../../packages/core/catalog/read/skill.ts"
import { Skill, skillCommand } from "../../packages/core/catalog/skill.ts"
import { commandFile } from "./build.ts"

function read(text: string, { tool = "compositor", folderName = "pdf", within = "" } = {}) {
  const { skill, findings } = readSkill({
    ...commandFile(tool, "SKILL.md", text),
    folder: `/project/.agents/skills/${folderName}`,
    folderName,
    within: within || undefined,
    resources: ["scripts/a.sh"],
  })
  if (skill) expect(Skill.parse(skill)).toEqual(skill)
  return { skill, says: findings.map(({ level, message }) => `${level}: ${message}`) }
}

describe("readSkill", () => {
  it("[SKL-001] reads the head by the specification", () => {
    const text =
      "---\nname: pdf\ndescription: Reads PDF\nlicense: MIT\ncompatibility: any\nmetadata:\n  version: 1.0\nallowed-tools: Bash(git:*) Read\n---\n# PDF\n"
    expect(read(text)).toMatchObject({
      says: [],
      skill: {
        name: "pdf",
        description: "Reads PDF",
        body: "# PDF",
        dialect: "skill",
        user_invocable: true,
        model_invocable: true,
        resources: ["scripts/a.sh"],
        hints: {
          license: "MIT",
          metadata: { version: "1.0" },
          allowed_tools: ["Bash(git:*)", "Read"],
        },
      },
    })
  })
  it("[SKL-001] skips one that has no description", () =>
    expect(read("---\nname: pdf\n---\nx")).toEqual({
      skill: undefined,
      says: ["error: it has no description, so nobody would know when to use it"],
    }))
  it("warns where it can still be used", () => {
    const { skill, says } = read(`---\nname: PDF Files\ndescription: ${"d".repeat(1100)}\n---\nx`)
    expect(skill?.name).toBe("PDF-Files")
    expect(says).toEqual([
      "warning: it calls itself PDF-Files, but its folder is pdf",
      "warning: PDF-Files is not in lower-case words joined by hyphens",
      "warning: its description is longer than 1024 characters",
    ])
    expect(skill?.description.length).toBe(1024)
  })
  it("is named after its folder when it has no name", () =>
    expect(read("---\ndescription: d\n---\nx").skill?.name).toBe("pdf"))
  it("repairs the head and strips the mark", () => {
    const { skill, says } = read("\uFEFF---\nname: pdf\ndescription: Use when: PDF\n---\nx")
    expect(skill?.description).toBe("Use when: PDF")
    expect(says).toEqual(["warning: the value of description was read as if it were quoted"])
  })
  it("knows the other tools' keys, however they are spelt", () => {
    const { skill } = read(
      "---\nname: pdf\ndescription: d\nwhenToUse: now\nargument_hint: <f>\nuser-invocable: off\ndisableModelInvocation: yes\narguments: [file]\n---\nRead $file",
      { tool: "claude" },
    )
    expect(skill).toMatchObject({
      when_to_use: "now",
      argument_hint: "<f>",
      user_invocable: false,
      model_invocable: false,
      arguments: [{ name: "file", type: "string" }],
      dialect: "claude",
    })
    expect(read("---\ndescription: d\nslash: false\n---\nx").skill?.user_invocable).toBe(false)
    expect(read("---\ndescription: d\nenabled: false\n---\nx").skill).toBeUndefined()
  })
  it("names the package a nested skill belongs to", () =>
    expect(read("---\ndescription: d\n---\nx", { within: "web" }).skill?.name).toBe("web:pdf"))
  it("[CMP-046] exposes a slash command", () => {
    const { skill } = read("---\ndescription: d\n---\nx")
    const command = skill && skillCommand(skill)
    expect(Command.parse(command)).toEqual(command)
    expect(command).toMatchObject({ kind: "skill", name: "pdf", skill: "pdf", body: "x" })
  })
})
