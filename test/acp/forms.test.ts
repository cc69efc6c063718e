import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { readAttachments } from "../../apps/acp/attachments.ts"
import { codexForm, opencodeForm, textForm } from "../../apps/acp/forms.ts"
import { normaliseMessage } from "../../apps/acp/json-rpc.ts"
import { kindOf, toolCallOf } from "../../apps/acp/tool-calls.ts"

const FILE = { path: "/workspace/file.py", mime: "text/x-python", filename: "file.py" }

describe("attachments for other agents", () => {
  it("[ATT-004] names the paths below the message, byte for byte", () => {
    expect(textForm("Review this file", [FILE, { path: "b c.png" }])).toBe(
      "Review this file\n\nAttachments:\n- /workspace/file.py\n- b c.png\n",
    )
  })

  it("[ATT-004] leaves a message without attachments as it is", () => {
    fc.assert(fc.property(fc.string(), (message) => textForm(message, []) === message))
  })

  it("[ATT-005] makes OpenCode's file of an attachment, with its defaults", () => {
    expect(opencodeForm(FILE)).toEqual({
      type: "file",
      mime: "text/x-python",
      url: "file:///workspace/file.py",
      filename: "file.py",
    })
    expect(opencodeForm({ path: "file:///a/b.bin" })).toEqual({
      type: "file",
      mime: "application/octet-stream",
      url: "file:///a/b.bin",
      filename: "b.bin",
    })
    expect(opencodeForm({ path: "/" })).toEqual({
      type: "file",
      mime: "application/octet-stream",
      url: "file:///",
    })
  })

  it("[ATT-005] never puts the scheme in twice, and always names the file by its last step", () => {
    const step = fc.stringMatching(/^[a-z][a-z0-9._ -]{0,8}$/)
    fc.assert(
      fc.property(fc.array(step, { minLength: 1 }), fc.boolean(), (steps, schemed) => {
        const path = `/${steps.join("/")}`
        const form = opencodeForm({ path: schemed ? `file://${path}` : path })
        expect(form.url).toBe(`file://${path}`)
        expect(form.filename).toBe(steps.at(-1))
      }),
    )
  })

  it("[ATT-006] makes images local images and other files mentions for Codex", () => {
    expect(
      codexForm("look", [
        { path: "/w/a.png" },
        { path: "/w/b", mime: "image/webp" },
        { path: "file:///w/c.py", filename: "see.py" },
        { path: "/w/d.md" },
      ]),
    ).toEqual([
      { type: "text", text: "look" },
      { type: "localImage", path: "/w/a.png" },
      { type: "localImage", path: "/w/b" },
      { type: "mention", name: "see.py", path: "/w/c.py" },
      { type: "mention", name: "d.md", path: "/w/d.md" },
    ])
  })

  it("[ATT-006] falls back to text for Codex's older requests", () => {
    expect(codexForm("look", [{ path: "/w/a.png" }], "text")).toEqual([
      { type: "text", text: "look\n\nAttachments:\n- /w/a.png\n" },
    ])
  })
})

describe("attachments in _meta", () => {
  const meta = (attachments: unknown) => ({ "sandboxagent.dev": { attachments } })

  it("[ATT-001] reads the list, and none where there is none", () => {
    expect(readAttachments(meta([FILE]))).toEqual({ type: "attachments", attachments: [FILE] })
    for (const none of [undefined, null, {}, "x", { "sandboxagent.dev": 7 }, meta(null)])
      expect(readAttachments(none)).toEqual({ type: "attachments", attachments: [] })
  })

  it("[ATT-009] names the item that does not fit, whatever stands there", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const read = readAttachments(meta([FILE, value]))
        if (read.type === "invalid") expect(read).toMatchObject({ item: 1 })
        else expect(read.attachments).toHaveLength(2)
      }),
    )
  })
})

describe("a line of the protocol", () => {
  it("[ATT-001] is changed only where a prompt is said in a string", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(normaliseMessage(value)).toBe(value)
      }),
    )
    const prompt = { method: "session/prompt", params: { content: "hi", _meta: { a: 1 } } }
    expect(normaliseMessage(prompt)).toEqual({
      method: "session/prompt",
      params: { prompt: [{ type: "text", text: "hi" }], _meta: { a: 1 } },
    })
  })
})

describe("tool calls for an editor", () => {
  it.each([
    ["read", "read"],
    ["write", "edit"],
    ["edit", "edit"],
    ["glob", "search"],
    ["grep", "search"],
    ["tool_search", "search"],
    ["bash", "execute"],
    ["web_fetch", "fetch"],
    ["web_search", "fetch"],
    ["skill", "think"],
    ["memory_write", "other"],
    ["github_triage", "other"],
  ])("[ACP-005] shows %s as %s", (tool, kind) => expect(kindOf(tool)).toBe(kind))

  it("[ACP-005] shows where a call looks, and what an edit changes", () => {
    const edit = {
      type: "tool-edit",
      tool_call_id: "c1",
      state: "output-available",
      input: { path: "src/a.ts", old_string: "one", new_string: "two" },
      output: { data: { replaced: 1 } },
    }
    expect(toolCallOf(edit, "/work")).toEqual({
      toolCallId: "c1",
      title: "edit src/a.ts",
      name: "edit",
      kind: "edit",
      status: "completed",
      locations: [{ path: "/work/src/a.ts" }],
      content: [{ type: "diff", path: "/work/src/a.ts", oldText: "one", newText: "two" }],
      rawInput: edit.input,
      rawOutput: { replaced: 1 },
    })
    const read = {
      type: "tool-read",
      tool_call_id: "c2",
      state: "output-error",
      input: { path: "/etc/x", start: 7 },
      error_text: "no",
    }
    expect(toolCallOf(read, "/work")).toMatchObject({
      status: "failed",
      locations: [{ path: "/etc/x", line: 7 }],
      content: [{ type: "content", content: { type: "text", text: "no" } }],
    })
  })
})
