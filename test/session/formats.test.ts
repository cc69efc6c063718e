import { describe, expect, it } from "vitest"
import { declareRoute } from "../../packages/core/file/declared-route.ts"
import type { Reach } from "../../packages/core/file/route.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import { reachOf, routeOf } from "../../packages/engine/turns/agent-toolset.ts"

const sighted = capabilitiesOfApi("anthropic-messages")
const blind = capabilitiesOfApi("anthropic-messages", ["text"])

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
const FILES = {
  text: { name: "a.txt", mime: "text/plain", kind: "text", size: 9 },
  zip: { name: "a.zip", mime: "application/zip", kind: "archive", size: 9 },
  docx: { name: "a.docx", mime: DOCX, kind: "binary", size: 9 },
  png: { name: "a.png", mime: "image/png", kind: "image", size: 9 },
  pdf: { name: "a.pdf", mime: "application/pdf", kind: "pdf", size: 9 },
  thing: { name: "a.bin", mime: "application/octet-stream", kind: "binary", size: 9 },
} as const

describe("who reads a file that the model does not", () => {
  function goes(file: keyof typeof FILES, reach: Reach | undefined, expected: string) {
    const route = routeOf(FILES[file], sighted, reach)
    expect("name" in route ? `${route.type} ${route.name}` : route.type).toBe(expected)
  }
  const has = (...tools: string[]): Reach => ({ tools, skills: "all" })

  it("[BIN-003] [BIN-041] is the skill of its format, where the agent has that", () => {
    goes("zip", undefined, "skill archive")
    goes("docx", has("skill"), "skill office")
    goes("docx", has("skill", "convert", "bash"), "skill office")
    goes("docx", { tools: ["skill"], skills: ["pdf"] }, "none")
    goes("pdf", { tools: ["skill"], skills: ["pdf"] }, "skill pdf")
  })

  it("[BIN-004] is a tool that converts it, else the shell, else nobody", () => {
    goes("zip", has("extract", "bash"), "tool extract")
    goes("docx", has("convert", "bash"), "tool convert")
    goes("docx", has("bash"), "shell")
    goes("zip", has("bash"), "shell")
    goes("docx", has(), "none")
    goes("thing", has("skill", "convert", "bash"), "none")
  })

  it("[CMP-091] [CMP-092] is the tool that reads text or images alone, where the agent has it", () => {
    goes("text", has("read"), "tool read")
    goes("text", has("bash"), "none")
    goes("png", has("read_image"), "tool read_image")
  })

  it("keeps of an agent's tools those that matter for it", () => {
    const tools = ["glob", "bash", "read", "docs_search"].map((id) => ({ id }))
    expect(reachOf(tools, "all")).toEqual({ tools: ["read", "bash"], skills: "all" })
  })
})

describe("the route of a file that is sent", () => {
  const decided = (file: keyof typeof FILES, capabilities = sighted, more: object = {}) =>
    declareRoute({ ...FILES[file], ...more }, { model: "m", capabilities, routes: routeOf })

  it("[CMPH-010] is the model itself, where it takes the file", () => {
    expect(decided("png")).toMatchObject({ type: "native", trace: ["the model takes image/png"] })
    expect(decided("png", sighted, { size: 2 ** 30 })).toMatchObject({ type: "native" })
    expect(decided("text")).toMatchObject({ type: "inline" })
  })

  it("[CMPH-010] is another one, and says why", () => {
    expect(decided("pdf", blind)).toEqual({
      type: "skill",
      name: "pdf",
      model: "m",
      trace: ["the model does not take PDF documents", "the skill pdf reads this format"],
    })
    expect(decided("pdf", sighted, { condition: "encrypted" }).trace[0]).toBe(
      "it is locked with a password",
    )
    expect(decided("text", sighted, { size: 2 ** 20 })).toMatchObject({
      type: "tool",
      name: "read",
    })
    const mute = { ...blind, tools: false }
    expect(decided("docx", mute)).toMatchObject({ type: "extract" })
    expect(decided("thing", mute)).toMatchObject({ type: "none" })
  })
})
