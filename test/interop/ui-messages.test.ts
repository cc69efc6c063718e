import type { PartData } from "../../packages/core/parts/define-part.ts"
import { AnyPart } from "../../packages/core/parts/read-part.ts"
import { convertToModelMessages, safeValidateUIMessages, type UIMessage } from "ai"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { fromUIMessages } from "../../packages/core/interop/from-ui-messages.ts"
import type { Message } from "../../packages/core/interop/message.ts"
import { toUIMessages } from "../../packages/core/interop/to-ui-messages.ts"
import { ANSWER_PARTS, anyMessage, oneOf, USER_PARTS } from "./messages.ts"

const CONTENT_ID = `sha256:${"0".repeat(64)}`
const urlOf = (content_id: string) => `https://blobs.test/${content_id}`

/** Through JSON and the SDK's own validator, and back. */
async function roundTrip(messages: readonly Message[], options = {}) {
  const { value, losses } = toUIMessages(messages, options)
  // At compile time too: what we write is what the SDK calls a UIMessage.
  const typed: UIMessage[] = value
  expect(losses).toEqual([])
  const validated = await safeValidateUIMessages({ messages: JSON.parse(JSON.stringify(typed)) })
  if (!validated.success) throw validated.error
  await convertToModelMessages(validated.data)
  return fromUIMessages(validated.data)
}

describe("toUIMessages", () => {
  const cases = [
    ...Object.entries(USER_PARTS).map(([type, parts]) => ["user", type, parts] as const),
    ...Object.entries(ANSWER_PARTS).map(([type, parts]) => ["assistant", type, parts] as const),
  ]

  it.each(cases)(
    "[BEY-10] brings what the %s says as %s through the SDK's validator and back without a loss",
    async (role, _, parts) => {
      await fc.assert(
        fc.asyncProperty(parts, fc.boolean(), async (part, addressed) => {
          if (role === "user") expect(AnyPart.safeParse(part).error?.issues).toBeUndefined()
          const messages = [oneOf(role, [part])]
          const back = await roundTrip(messages, addressed ? { urlOf } : {})
          expect(back).toEqual({ value: messages, losses: [] })
        }),
        { numRuns: 60 },
      )
    },
  )

  it("[BEY-10] brings whole conversations through and back without a loss", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { minLength: 1, maxLength: 6 }), async (messages) => {
        expect(await roundTrip(messages)).toEqual({ value: messages, losses: [] })
      }),
      { numRuns: 100 },
    )
  })

  function shows(part: PartData, expected: object, options = {}) {
    expect(toUIMessages([oneOf("assistant", [part])], options).value[0]?.parts).toEqual([expected])
  }

  it("[DEC-08] shows text as text and any other part as data of its type", () => {
    shows({ type: "text", text: "hi" }, { type: "text", text: "hi" })
    shows(
      { type: "mention", target: { kind: "skill", name: "pdf" } },
      { type: "data-mention", data: { target: { kind: "skill", name: "pdf" } } },
    )
    shows(
      { type: "data-compaction", summary: "so far" },
      { type: "data-compaction", data: { summary: "so far" } },
    )
  })

  it("shows an attachment as a file where its bytes are here or have an address, and only once", () => {
    const file = { type: "file-attachment", name: "a.png", mime: "image/png" }
    const shown = { type: "file", mediaType: "image/png", filename: "a.png" }
    shows({ ...file, data: "aGk=" }, { ...shown, url: "data:image/png;base64,aGk=" })
    const stored = { ...file, content_id: CONTENT_ID }
    const providerMetadata = { compositor: { content_id: CONTENT_ID } }
    shows(stored, { ...shown, url: urlOf(CONTENT_ID), providerMetadata }, { urlOf })
    const { type: _, ...data } = stored
    shows(stored, { type: "data-file-attachment", data })
  })

  it("shows a call's data as its output, and a state that the SDK lacks as the last one reached", () => {
    const call = { type: "tool-read", tool_call_id: "c1", input: { path: "a.ts" } }
    const shown = { type: "tool-read", toolCallId: "c1", input: { path: "a.ts" } }
    shows(
      { ...call, state: "output-available", output: { data: "text", blocks: [] } },
      {
        ...shown,
        state: "output-available",
        output: "text",
        callProviderMetadata: { compositor: { part: {}, output: { blocks: [] } } },
      },
    )
    shows(
      { ...call, state: "interrupted" },
      {
        ...shown,
        state: "input-available",
        callProviderMetadata: { compositor: { part: { state: "interrupted" } } },
      },
    )
  })

  it("leaves out a user's message without parts, which the SDK refuses, and says so", () =>
    expect(toUIMessages([oneOf("user", []), oneOf("assistant", [])])).toEqual({
      value: [{ id: "m", role: "assistant", metadata: { schema_version: 1 }, parts: [] }],
      losses: [{ path: "/0", message: "a user message without parts is left out" }],
    }))
})

describe("fromUIMessages", () => {
  function reads(part: object, expected: readonly object[], lost: readonly string[] = []) {
    const { value, losses } = fromUIMessages([{ id: "m", role: "user", parts: [part] }])
    expect(value[0]?.parts).toEqual(expected)
    expect(losses.map(({ path }) => path.replace("/0/parts/0", ""))).toEqual(lost)
  }

  it("reads files of every kind of address", () => {
    const file = { type: "file", mediaType: "text/plain", filename: "a.txt" }
    const part = { type: "file-attachment", name: "a.txt", mime: "text/plain" }
    reads({ ...file, url: "data:text/plain;base64,aGk=" }, [{ ...part, data: "aGk=" }])
    reads({ ...file, url: "data:text/plain;charset=utf-8;base64,aG k" }, [
      { ...part, data: "aGk=" },
    ])
    reads({ ...file, url: "data:,h%69" }, [{ ...part, data: "aGk=" }])
    reads({ ...file, url: "https://a.test/a" }, [{ ...part, url: "https://a.test/a" }])
    reads({ ...file, url: "data:nothing" }, [], [""])
  })

  it("says what it cannot keep, by its path", () => {
    reads(
      { type: "text", text: "hi", state: "done", providerMetadata: { openai: { id: "1" } } },
      [{ type: "text", text: "hi" }],
      ["/state", "/providerMetadata/openai"],
    )
    reads(
      { type: "data-weather", id: "w", data: { sky: "blue" } },
      [{ type: "weather", sky: "blue" }],
      ["/id"],
    )
    reads({ type: "step-start" }, [], [""])
  })

  it("leaves out what is no part of ours, and reads the rest", () => {
    for (const part of [
      null,
      7,
      {},
      { type: "text" },
      { type: "data-command", data: { id: "no slash", args: {} } },
      { type: "data-file-ref", data: { ref: { kind: "path", path: "a\0b" } } },
    ])
      reads(part as object, [], [""])
  })

  it("reads calls of another program, whose output is data", () => {
    const parts = [
      {
        type: "tool-weather",
        toolCallId: "c",
        state: "output-available",
        input: {},
        output: 7,
        providerExecuted: true,
      },
    ]
    expect(fromUIMessages([{ id: "m", role: "assistant", parts }])).toEqual({
      value: [
        {
          id: "m",
          role: "assistant",
          metadata: {},
          parts: [
            {
              type: "tool-weather",
              tool_call_id: "c",
              state: "output-available",
              input: {},
              output: { data: 7 },
            },
          ],
        },
      ],
      losses: [{ path: "/0/parts/0/providerExecuted", message: "has no place here" }],
    })
  })

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (messages) => {
        const { value, losses } = fromUIMessages(messages)
        expect(value.length + losses.length).toBeGreaterThanOrEqual(messages.length)
      }),
    )
  })
})
