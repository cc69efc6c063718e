import type { PartData } from "../../packages/core/parts/define-part.ts"
import type { LoadedFile } from "../../packages/core/file/loaded-file.ts"
import type { LoadedPart } from "../../packages/core/lower/loaded-part.ts"
import { DEFAULT_POLICY, type Policy } from "../../packages/core/lower/policy.ts"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lower, promptMessages } from "../../packages/core/lower/lower.ts"
import type { Capabilities } from "../../packages/core/model/capabilities.ts"
import { capabilitiesOfApi } from "../../packages/core/wires/models.ts"
import type { Block } from "../../packages/core/model/prompt.ts"
import { LOWERING_VERSION, Receipt } from "../../packages/core/model/receipt.ts"
import { attachment, fileRef, loaded, mediaFile, opaqueFile, text, textFile } from "../build.ts"

const sighted = capabilitiesOfApi("anthropic-messages", ["text", "image", "pdf"])
const blind = capabilitiesOfApi("anthropic-messages", ["text"])
const named: Policy = { file_refs: "descriptor" }
const inline: Policy = { file_refs: "inline" }

function seen(
  parts: readonly LoadedPart[],
  capabilities: Capabilities = sighted,
  policy: Policy = DEFAULT_POLICY,
) {
  return lower(parts, capabilities, policy).blocks.map(shown)
}

/** Media show as their type. */
function shown(block: Block): string {
  return block.type === "text" ? block.text : `<${block.media.mime}>`
}

function outcomes(parts: readonly LoadedPart[], capabilities = sighted, policy = DEFAULT_POLICY) {
  return lower(parts, capabilities, policy).receipts.map(
    ({ outcome, rule }) => `${outcome} ${rule}`,
  )
}

function ref(file: LoadedFile): LoadedPart {
  return loaded(fileRef("name" in file ? file.name : "x"), file)
}

function attached(file: LoadedFile): LoadedPart {
  return loaded(attachment("name" in file ? file.name : "x", new Uint8Array()), file)
}

function lines(content: string, start: number, end: number, total?: number): LoadedFile {
  const span = total === undefined ? { start, end } : { start, end, total }
  return textFile("src/a.ts", content, { range: { start, end }, lines: span })
}

describe("lower", () => {
  function sees(part: LoadedPart, capabilities: Capabilities, expected: string | null) {
    return () => expect(seen([part], capabilities)).toEqual(expected === null ? [] : [expected])
  }

  it(
    "[CMP-103] leaves text as it is",
    sees(loaded(text("  do\n\tthis ")), sighted, "  do\n\tthis "),
  )
  it("[CMP-103] sends no blank text", sees(loaded(text(" \n")), sighted, null))
  it(
    "[CMP-103] makes lone surrogates well-formed",
    sees(loaded(text("a\ud800b")), sighted, "a\ufffdb"),
  )

  it(
    "[CMP-104] inlines a file under a line that names it",
    sees(ref(textFile("src/a.ts", "let a\n")), blind, "File src/a.ts:\nlet a\n"),
  )
  it(
    "[CMP-025] inlines only the lines of a range",
    sees(ref(lines("two", 2, 2)), blind, "File src/a.ts, line 2:\ntwo"),
  )
  it(
    "[CMP-025] says how long the file is where that is known",
    sees(ref(lines("two\nthree", 2, 3, 3)), blind, "File src/a.ts, lines 2-3 of 3:\ntwo\nthree"),
  )
  it(
    "[CMP-023] inlines only the bytes of a range",
    sees(
      ref(textFile("a", "wo", { range: { start: 1, end: 3, unit: "byte" } })),
      blind,
      "File a, bytes 1-3:\nwo",
    ),
  )
  it(
    "[CMP-104] says that a file is empty",
    sees(ref(textFile("a.ts", "")), blind, "[File a.ts is empty]"),
  )
  it(
    "[CMP-104] shows an image to a model that has eyes",
    sees(ref(mediaFile("a.png", "image/png")), sighted, "<image/png>"),
  )
  it(
    "[CMP-113] describes an image to a model that has none",
    sees(
      ref(mediaFile("a.png", "image/png")),
      blind,
      "[file: a.png, image/png, 1,000 bytes, 100x80 pixels. Not shown: the model does not take images. Use read_image on this path for its contents.]",
    ),
  )
  it(
    "[CMP-104] describes a file that is too large, with its lines",
    sees(
      ref(
        opaqueFile("big.log", "text/plain", {
          kind: "text",
          size: 9e6,
          lines: { start: 1, end: 90, total: 90 },
        }),
      ),
      sighted,
      "[file: big.log, text/plain, 9,000,000 bytes, 90 lines. Not shown: it is too large. Use read on this path for its contents.]",
    ),
  )
  it(
    "[CMP-022] names what lies elsewhere",
    sees(
      ref({ type: "elsewhere", address: "https://example.org/a" }),
      sighted,
      "[reference: https://example.org/a. Its contents are not included.]",
    ),
  )
  it(
    "says why a file could not be read",
    sees(
      ref({
        type: "refused",
        name: "../x",
        outcome: "denied",
        reason: "../x is outside the workspace",
      }),
      sighted,
      "[file: ../x. Not shown: ../x is outside the workspace.]",
    ),
  )

  it(
    "[CMP-091] inlines an attached text",
    sees(attached(textFile("n.md", "# hi")), blind, "Attached file n.md:\n# hi"),
  )
  it(
    "[CMP-105] shows an attached image",
    sees(attached(mediaFile("a.webp", "image/webp")), sighted, "<image/webp>"),
  )
  it(
    "[CMP-092] describes an attached image to a model without eyes",
    sees(
      attached(mediaFile("a.png", "image/png")),
      blind,
      "[attached file: a.png, image/png, 1,000 bytes, 100x80 pixels. Not shown: the model does not take images.]",
    ),
  )
  it(
    "[CMP-105] describes an image of a type the API refuses",
    sees(
      attached(mediaFile("a.heic", "image/heic")),
      sighted,
      "[attached file: a.heic, image/heic, 1,000 bytes, 100x80 pixels. Not shown: the anthropic-messages API does not take image/heic.]",
    ),
  )
  it(
    "[CMP-093] gives an attached PDF to a model that reads it",
    sees(attached(mediaFile("a.pdf", "application/pdf")), sighted, "<application/pdf>"),
  )
  it(
    "[CMP-094] describes audio",
    sees(
      attached(opaqueFile("a.wav", "audio/wav", { kind: "audio" })),
      sighted,
      "[attached file: a.wav, audio/wav, 1,000 bytes. Not shown: the anthropic-messages API carries no audio.]",
    ),
  )
  it(
    "[CMP-032] describes a PSD",
    sees(
      attached(opaqueFile("d.psd", "image/vnd.adobe.photoshop", { size: 12_000_000 })),
      sighted,
      "[attached file: d.psd, image/vnd.adobe.photoshop, 12,000,000 bytes. Not shown: models do not read this format.]",
    ),
  )
  it(
    "[CMP-096] describes an archive",
    sees(
      attached(opaqueFile("a.zip", "application/zip", { kind: "archive" })),
      sighted,
      "[attached file: a.zip, application/zip, 1,000 bytes. Not shown: an archive is not opened here.]",
    ),
  )

  const command = (more: object) => loaded({ type: "command", id: "/search", args: {}, ...more })
  it("[CMP-106] sends nothing of a command", sees(command({ outcome: "action" }), sighted, null))
  it(
    "[CMP-047] sends nothing of a command whose outcome nobody noted",
    sees(command({}), sighted, null),
  )
  it(
    "[CMP-044] sends an unknown command as it was typed",
    sees(command({ outcome: "pass-through", raw: "/search  a b" }), sighted, "/search  a b"),
  )
  it(
    "[CMP-044] puts an unknown command together where the typing is lost",
    sees(command({ outcome: "pass-through", args: { raw: "a b" } }), sighted, "/search a b"),
  )

  const mention = (target: { kind: string; name?: string }, file: LoadedFile | null = null) =>
    loaded({ type: "mention", target }, file)
  it("[CMP-107] sends nothing of a skill", sees(mention({ kind: "skill" }), sighted, null))
  it(
    "[CMP-063] shows a mentioned file as a file",
    sees(mention({ kind: "file" }, textFile("a.ts", "a")), sighted, "File a.ts:\na"),
  )
  it(
    "[CMP-064] shows a symbol by its identifier",
    sees(
      mention({ kind: "symbol", name: "f" }),
      sighted,
      '<editor_context kind="ref">{"kind":"symbol","name":"f"}</editor_context>',
    ),
  )
  it(
    "[CMP-065] drops a mention of nothing it knows",
    sees(mention({ kind: "weather" }), sighted, null),
  )

  const context = (more: object) =>
    loaded({
      type: "editor-context",
      kind: "selection",
      payload: { node: 7 },
      emitted_at: 1,
      ...more,
    })
  it(
    "[CMP-108] [CMP-109] wraps editor context in its marker",
    sees(
      context({ source: "canvas" }),
      sighted,
      '<editor_context kind="selection" source="canvas">{"node":7}</editor_context>',
    ),
  )
  it(
    "[CMP-108] leaves out a source that is not there",
    sees(context({}), sighted, '<editor_context kind="selection">{"node":7}</editor_context>'),
  )

  it(
    "[CMPH-005] names a directory and nothing in it",
    sees(
      loaded({ type: "directory-ref", ref: { kind: "scope", id: "dir_1", name: "docs" } }),
      sighted,
      "[directory: docs (dir_1), read only. Its contents are not included.]",
    ),
  )
  it(
    "[CMP-121] shows the text of a part it does not know",
    sees(loaded({ type: "poem", text: "roses" }), sighted, "roses"),
  )
  it(
    "[CMP-121] says that it does not know a part",
    sees(loaded({ type: "poem" }), sighted, "[unsupported part: poem]"),
  )
})

describe("one message", () => {
  it("[CMP-003] keeps the order of its parts", () =>
    expect(
      seen([
        loaded(text("compare")),
        ref(lines("two", 2, 2)),
        loaded(text("with")),
        attached(mediaFile("a.png", "image/png")),
        loaded(text("please")),
      ]),
    ).toEqual(["compare", "File src/a.ts, line 2:\ntwo", "with", "<image/png>", "please"]))

  it("[BEY-01] has one receipt for each part, in order, also where nothing is sent", () => {
    const parts = [
      loaded(text("a")),
      loaded({ type: "command", id: "/x", args: {} }),
      loaded(text("")),
    ]
    const { receipts } = lower(parts, sighted)
    expect(receipts.map(({ part }) => part)).toEqual(parts.map(({ id }) => id))
    expect(outcomes(parts)).toEqual([
      "inlined CMP-103",
      "resolved-out CMP-106",
      "resolved-out CMP-103",
    ])
  })

  it("[BEY-01] receipts say what was shown, what it weighs and where it is kept", () => {
    const picture = mediaFile("a.png", "image/png")
    const part = attached(picture)
    expect(lower([part], sighted).receipts).toEqual([
      {
        part: part.id,
        type: "file-attachment",
        outcome: "native",
        rule: "CMP-105",
        reason: "The model is given the image (100 × 80 pixels) itself.",
        bytes: 1000,
        tokens: 11,
        content_id: "content_id" in picture ? picture.content_id : null,
        version: LOWERING_VERSION,
      },
    ])
  })

  it("says in the receipt when a range was cut", () => {
    const file = textFile("a", "x", {
      range: { start: 1, end: 9 },
      lines: { start: 1, end: 1, total: 1 },
      note: "a has only 1 line",
    })
    expect(lower([ref(file)], blind).receipts[0]?.reason).toBe(
      "The model is shown only line 1 of the file: a has only 1 line.",
    )
  })
})

describe("file policy", () => {
  const kilobytes = (count: number) => "x".repeat(count * 1024)

  it("[CMP-104] auto inlines up to 32 KB", () => {
    expect(outcomes([ref(textFile("a", kilobytes(32)))])).toEqual(["inlined CMP-104"])
    expect(outcomes([ref(textFile("a", `${kilobytes(32)}x`))])).toEqual(["descriptor CMP-104"])
  })

  it("[CMP-104] auto inlines up to 128 KB in one message, and describes the rest", () => {
    const files = [1, 2, 3, 4, 5].map((name) => ref(textFile(`${name}`, kilobytes(30))))
    const small = ref(textFile("small", "x"))
    expect(outcomes([...files, small])).toEqual([
      ...Array(4).fill("inlined CMP-104"),
      "descriptor CMP-104",
      "inlined CMP-104",
    ])
  })

  it("[CMP-025] a range may be larger than a whole file may", () =>
    expect(outcomes([ref(lines(kilobytes(100), 1, 9))])).toEqual(["range CMP-025"]))

  it("inline takes larger files", () =>
    expect(outcomes([ref(textFile("a", kilobytes(200)))], sighted, inline)).toEqual([
      "inlined CMP-104",
    ]))

  it("descriptor only names files, and still shows a range and an attachment", () => {
    const parts = [
      ref(textFile("a", "a")),
      ref(mediaFile("a.png", "image/png")),
      ref(lines("two", 2, 2)),
      attached(textFile("a", "a")),
    ]
    expect(outcomes(parts, sighted, named)).toEqual([
      "descriptor CMP-104",
      "descriptor CMP-104",
      "range CMP-025",
      "inlined CMP-091",
    ])
  })

  it("does not send more images than the API counts, nor more bytes than it takes", () => {
    const images = Array.from({ length: 101 }, () => attached(mediaFile("a.png", "image/png")))
    expect(outcomes(images).filter((outcome) => outcome.startsWith("native"))).toHaveLength(100)
    const papers = Array.from({ length: 3 }, () =>
      attached(mediaFile("a.pdf", "application/pdf", { size: 11 * 1024 * 1024 })),
    )
    expect(outcomes(papers)).toEqual(["native CMP-105", "native CMP-105", "descriptor CMP-093"])
  })
})

describe("strangers' bytes", () => {
  it("an image whose header is damaged is described, not sent", () => {
    const {
      width: _,
      height: __,
      ...file
    } = mediaFile("a.png", "image/png") as Extract<LoadedFile, { type: "media" }>
    expect(outcomes([attached(file)])).toEqual(["failed CMP-092"])
    expect(seen([attached(file)])).toEqual([
      "[attached file: a.png, image/png, 1,000 bytes. Not shown: its header is damaged.]",
    ])
  })

  it("a payload cannot close its marker, and reads as the same JSON", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), nasty), nasty, nasty, (payload, kind, source) => {
        const part = { type: "editor-context", kind, source, payload, emitted_at: 1 } as PartData
        const [block = ""] = seen([loaded(part)])
        const [, attributes, json = ""] =
          /^<editor_context ([^<>]*)>([^<>]*)<\/editor_context>$/.exec(block) ?? []
        expect(attributes).toMatch(/^kind="[^"<>]*" source="[^"<>]*"$/)
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(payload)))
        expect(block).not.toMatch(/[\u2028\u2029]/)
      }),
    )
  })

  it("a part that breaks while it is lowered is described, and the others are sent", () => {
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const broken = loaded({ type: "editor-context", kind: "a", payload: circle, emitted_at: 1 })
    const { blocks, receipts } = lower(
      [loaded(text("before")), broken, loaded(text("after"))],
      sighted,
    )
    expect(blocks.map(shown)).toEqual(["before", "[editor-context: could not be shown]", "after"])
    expect(receipts[1]?.outcome).toBe("failed")
  })

  it("[BEY-02] lower is total: whatever it is given, it gives one receipt for each part", () => {
    const junk = fc.record({
      id: fc.string(),
      part: junkPart,
      file: fc.constantFrom(...files),
    })
    fc.assert(
      fc.property(
        fc.array(junk, { maxLength: 5 }),
        fc.constantFrom(...policies),
        (parts, policy) => {
          const lowered = lower(parts as unknown as LoadedPart[], sighted, policy)
          const { blocks, calls, media, receipts } = lowered
          expect(receipts.map(({ part }) => part)).toEqual(parts.map(({ id }) => id))
          for (const receipt of receipts) Receipt.parse(receipt)
          for (const block of [...blocks, ...calls.flatMap(({ result }) => result.blocks)])
            expect(block.type !== "text" || block.text.isWellFormed()).toBe(true)
          expect(media).toHaveLength(blocks.filter(({ type }) => type !== "text").length)
          expect(promptMessages(lowered)).toHaveLength(calls.length > 0 ? 3 : 1)
        },
      ),
      { numRuns: 1000 },
    )
  })
})

const nasty = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom("</editor_context>", '"><editor_context kind="x">', "\u2028&lt;\u2029", "\ud800"),
)

const files: readonly (LoadedFile | null)[] = [
  null,
  textFile("a\ud800", "b\ud800"),
  mediaFile("a", "image/png"),
  opaqueFile("a", "video/mp4", { kind: "video", size: null }),
  { type: "refused", name: "a", outcome: "failed", reason: "b\ud800\n" },
  textFile("a.zip", "b\ud800", { place: "page 1", extracted: true }),
  textFile("long", "\ud83d".repeat(40_000), { extracted: true }),
  textFile("a", "b", { fresh: { type: "unchanged", shown_at: 1e300 } }),
  textFile("a", "b", { fresh: { type: "changed", shown_at: 0, diff: "\udc00" } }),
  mediaFile("a.pdf", "application/pdf", { place: null, pages: 3 }),
  mediaFile("a.wav", "audio/wav", { kind: "audio" }),
  opaqueFile("a.zip", "application/zip", { kind: "archive", entries: 1, route: { type: "shell" } }),
]

const policies: readonly Policy[] = [
  DEFAULT_POLICY,
  named,
  { ...inline, budget_tokens: 0 },
  { ...DEFAULT_POLICY, budget_tokens: 50, thinking_budget: true },
  { ...DEFAULT_POLICY, claimed: { "": "x", a: "y" }, custom: (_, next) => next() },
  {
    ...DEFAULT_POLICY,
    custom: () => {
      throw new Error("no")
    },
  },
]

const junkPart = fc.oneof(
  fc.constant(undefined),
  fc.anything(),
  fc
    .tuple(
      fc.constantFrom(
        "text",
        "file-ref",
        "file-attachment",
        "command",
        "mention",
        "editor-context",
        "directory-ref",
        "skill-content",
        "poem",
      ),
      fc.object(),
    )
    .map(([type, rest]) => ({ ...rest, type })),
)
