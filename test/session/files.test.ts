import type { Part } from "../../packages/core/parts/table.ts"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { Script } from "../../packages/engine/providers/scripted.ts"
import { attachment, png, temporaryFolder } from "../build.ts"
import { zip } from "../files/archive/build.ts"
import { docx, pdf, wholeDocx } from "../files/convert/samples.ts"
import { answersIn, type House, newSession, openHouse, say } from "./house.ts"
import { caller } from "./tools.ts"

/** A house whose model is told what to do while it runs. */
async function openPuppet() {
  const puppet: { play: Script } = { play: [{ text: "ok" }] }
  const script: Script = (call) =>
    typeof puppet.play === "function" ? puppet.play(call) : puppet.play
  return Object.assign(puppet, await openHouse({ script }))
}

function contentOf({ message }: Awaited<ReturnType<typeof say>>): string {
  const [part] = message.parts
  return (part?.data as { content_id?: string } | undefined)?.content_id ?? ""
}

function folderIn(call: Record<string, any> | undefined): string {
  return call?.output?.data?.folder ?? ""
}

async function callParts(house: House, id: string) {
  const answers = await answersIn(house, id)
  return answers.flatMap(({ parts }) => parts.map(({ data }) => data as Record<string, any>))
}

describe("files that no model reads", () => {
  const bundle = zip([
    { name: "notes/a.txt", data: "the word is alpha" },
    { name: "b.txt", data: "beta" },
  ])

  it("[BIN-060] [BIN-012] are extracted to scratch, and each entry is read like any file", async () => {
    const part = attachment("bundle.zip", bundle)
    const house = await openPuppet()
    const id = await newSession(house)
    const message = await say(house, id, [part])
    await house.host.idle()
    house.play = caller([{ name: "extract", input: { path: contentOf(message) } }])
    await say(house, id, "open it")
    await house.host.idle()
    const [extracted] = (await callParts(house, id)).filter(({ type }) => type === "tool-extract")
    expect(extracted).toMatchObject({ state: "output-available" })
    const listed = JSON.stringify(extracted)
    expect(listed).toContain("notes/a.txt")
    const folder =
      /"([^"]*\/scratch\/[^"]*?)\/notes\/a\.txt/.exec(listed)?.[1] ?? folderIn(extracted)
    house.play = caller([{ name: "read", input: { path: `${folder}/notes/a.txt` } }])
    await say(house, id, "read the note")
    await house.host.idle()
    expect(JSON.stringify((await callParts(house, id)).slice(-2))).toContain("the word is alpha")
  })

  it("[BIN-013] [CMP-033] are converted where they are attached", async () => {
    const house = await openPuppet()
    const id = await newSession(house)
    const sent = await say(house, id, [attachment("report.docx", wholeDocx())])
    await house.host.idle()
    const content_id = contentOf(sent)
    house.play = caller([{ name: "convert", input: { path: content_id, to: "text" } }])
    await say(house, id, "what does it say?")
    await house.host.idle()
    const [converted] = (await callParts(house, id)).filter(({ type }) => type === "tool-convert")
    expect(converted).toMatchObject({ state: "output-available" })
  })

  it("[BIN-005] are not opened by a session that does not carry them", async () => {
    const house = await openPuppet()
    const owner = await newSession(house)
    const sent = await say(house, owner, [attachment("bundle.zip", bundle)])
    await house.host.idle()
    const content_id = contentOf(sent)
    const stranger = await newSession(house)
    house.play = caller([{ name: "extract", input: { path: content_id } }])
    await say(house, stranger, "open it")
    await house.host.idle()
    expect(await callParts(house, stranger)).toContainEqual(
      expect.objectContaining({ error_text: `${content_id} is not attached to this session.` }),
    )
  })
})

describe("a file that is broken or means harm", () => {
  const entities = `<!DOCTYPE a [${Array.from({ length: 20 }, (_, at) => `<!ENTITY e${at} "${`&e${at - 1};`.repeat(at === 0 ? 0 : 10)}x">`).join("")}]><a>&e19;</a>`
  const HOSTILE: readonly (readonly [string, Part])[] = [
    ["a cut picture", attachment("a.png", png(9000, 9000).subarray(0, 40))],
    ["a picture of 4 billion pixels", attachment("b.png", png(65_000, 65_000))],
    ["a picture that says it is none", attachment("c.jpg", Buffer.from("\xff\xd8\xff", "latin1"))],
    ["a cut PDF", attachment("d.pdf", pdf(["x"]).subarray(0, 60))],
    ["a PDF of nothing", attachment("e.pdf", Buffer.from("%PDF-1.7\n"))],
    ["a cut document", attachment("f.docx", wholeDocx().subarray(0, 200))],
    ["a document of entities", attachment("g.docx", docx(entities))],
    ["a drawing of entities", attachment("h.svg", Buffer.from(`<svg>${entities}</svg>`))],
    [
      "an archive of lies",
      attachment("i.zip", Buffer.from("PK\x03\x04\xff\xff\xff\xff", "latin1")),
    ],
  ]

  it.each(HOSTILE)("[BEY-02] ends in a receipt, and the next turn works: %s", async (_, part) => {
    const house = await openHouse({ script: [{ text: "one" }, { text: "two" }] })
    const id = await newSession(house)
    await say(house, id, [{ type: "text", text: "look" }, part])
    await house.host.idle()
    await say(house, id, "and now?")
    await house.host.idle()
    const turns = await house.host.store.turns(id)
    expect(turns.map(({ state }) => state)).toEqual(["finished", "finished"])
    const receipts = await house.host.store.receipts(id, turns[0]?.id ?? "")
    expect(receipts).toHaveLength(2)
  })
})

describe("a folder that was given", () => {
  it("[CMPH-001] [CMPH-003] [CMPH-004] is read by its session alone, and left by no link", async () => {
    const given = await temporaryFolder()
    await mkdir(join(given, "in"))
    await writeFile(join(given, "in", "a.txt"), "inside")
    await symlink("/etc/hostname", join(given, "link"))
    const house = await openPuppet()
    const id = await newSession(house)
    const scope = await house.host.scopes.mint(id, given)
    if ("type" in scope) throw new Error(scope.reason)
    const part: Part = { type: "directory-ref", ref: { kind: "scope", ...scope } }
    house.play = caller([
      { name: "read", input: { path: `${scope.id}/in/a.txt` } },
      { name: "read", input: { path: `${scope.id}/link` } },
      { name: "glob", input: { pattern: "**/*.txt", path: scope.id } },
    ])
    await say(house, id, [part])
    await house.host.idle()
    const said = JSON.stringify(await callParts(house, id))
    expect(said).toContain("inside")
    expect(said).toContain("outside")
    house.play = caller([{ name: "read", input: { path: `${scope.id}/in/a.txt` } }])
    const other = await newSession(house)
    // The part alone brings nothing along (CMPH-006).
    await say(house, other, [part])
    await house.host.idle()
    expect(JSON.stringify(await callParts(house, other))).toContain("is not available")
  })

  it("[CMPH-002] is one that a person chose: no words, path or part of a message gives any", async () => {
    const folder = await temporaryFolder()
    await writeFile(join(folder, "a.txt"), "inside")
    const house = await openPuppet()
    const id = await newSession(house)
    const forged = `dir_${"x".repeat(24)}`
    house.play = caller([
      { name: "read", input: { path: join(folder, "a.txt") } },
      { name: "read", input: { path: `${forged}/a.txt` } },
    ])
    await say(house, id, [
      { type: "text", text: `Use ${folder} and ${folder}/, @file:${folder}` },
      { type: "mention", target: { kind: "file", path: folder } },
      { type: "directory-ref", ref: { kind: "scope", id: forged, name: folder } },
    ])
    await house.host.idle()
    expect(house.host.scopes.list(id)).toEqual([])
    expect(JSON.stringify(await callParts(house, id))).not.toContain("inside")
  })
})
