import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import type { CompletionSource, Offer } from "../../packages/engine/completion/completion.ts"
import { Frecency, keyOf } from "../../packages/engine/completion/frecency.ts"
import { temporaryFolder } from "../build.ts"
import { openHouse } from "../session/house.ts"
import { type Desk, openDesk, typed, write } from "./house.ts"

const DEPLOY = `---
arguments:
  - name: where
    required: true
    description: which servers
    options: [staging, production]
  - name: force
    type: boolean
---
Deploy to \${where}, force \${force}.`
const FILES = {
  ".agents/commands/deploy.md": DEPLOY,
  ".agents/commands/hinted.md": "---\nargument-hint: <topic>\n---\nAbout $1.",
  ".agents/skills/tables/SKILL.md": "---\nname: tables\ndescription: Tables.\n---\nDraw.",
}

async function offers(desk: Pick<Desk, "host" | "workspace">, source: string, limit = 20) {
  const asked = { source, cursor: source.length, limit }
  const { workspaces } = desk.host
  return workspaces.complete(desk.workspace, asked, await workspaces.catalog(desk.workspace))
}

async function inserted(desk: Pick<Desk, "host" | "workspace">, source: string, limit = 20) {
  return (await offers(desk, source, limit)).items.map(({ insert }) => insert)
}

describe("the arguments of a command", () => {
  it("[EA-011] are completed from what it declares", async () => {
    const desk = await openDesk(FILES)
    expect(await offers(desk, "/deploy ")).toMatchObject({
      from: 8,
      to: 8,
      hint: "where: which servers",
      items: [
        { insert: "staging ", kind: "argument" },
        { insert: "production " },
        { insert: "where=" },
        { insert: "force=" },
      ],
    })
    expect(await inserted(desk, "/deploy prod")).toEqual(["production "])
    expect(await inserted(desk, "/deploy staging ")).toEqual(["true ", "false ", "force="])
    expect(await offers(desk, "/deploy force=f")).toMatchObject({
      from: 14,
      items: [{ insert: "false " }],
    })
    expect(await inserted(desk, "/deploy where=staging t")).toEqual(["true "])
  })

  it("[EA-011] are told in words where nothing can be chosen", async () => {
    const desk = await openDesk(FILES)
    expect(await offers(desk, "/hinted x")).toEqual({ from: 8, to: 9, items: [], hint: "<topic>" })
    expect(await offers(desk, "/search x")).toMatchObject({ hint: "query: what to look for" })
  })

  it("are those of the last command on the line, and of no action inside the text", async () => {
    const desk = await openDesk(FILES)
    expect(await inserted(desk, "do /search a /deploy prod")).toEqual(["production "])
    expect((await offers(desk, "do /memory l")).items).toEqual([])
    expect(await inserted(desk, "/memory l")).toEqual(["list "])
    expect((await offers(desk, "/deploy\nprod")).items).toEqual([])
    expect((await offers(desk, "`/deploy prod")).items).toEqual([])
  })

  it("are files where a file is meant", async () => {
    const desk = await openDesk(FILES)
    await write(join(desk.workspace, "src", "main.ts"), "")
    expect(await offers(desk, "/read main")).toMatchObject({
      from: 6,
      items: [{ kind: "file", insert: "src/main.ts " }],
    })
  })
})

describe("names that others know", () => {
  const known = (values: readonly string[]) => async (query: string) =>
    values.filter((value) => value.includes(query)).map((value): Offer => ({ value }))
  const symbols: CompletionSource = {
    prefix: "symbol",
    kind: "symbol",
    complete: known(["Parser", "parseAll"]),
  }
  const docs: CompletionSource = {
    prefix: "docs",
    kind: "resource",
    complete: known(["guide/start", "my page"]),
  }
  const models: CompletionSource = {
    prefix: "/model",
    kind: "argument",
    complete: known(["mirror/plain"]),
  }

  it("are completed by their prefix, and after a bare @ beside the files", async () => {
    const house = await openHouse({ completion_sources: () => [symbols, docs, models] })
    await write(join(house.workspace, "parse.ts"), "")
    expect(await inserted(house, "@symbol:Par")).toEqual(["@symbol:Parser "])
    expect(await inserted(house, "see @docs:page")).toEqual(['@docs:"my page" '])
    expect(await inserted(house, "/model mir")).toEqual(["mirror/plain "])
    expect(await inserted(house, "@parse")).toEqual(["@parse.ts ", "@symbol:parseAll "])
  })

  it("are not waited for", async () => {
    const never: CompletionSource = {
      prefix: "symbol",
      kind: "symbol",
      complete: () => new Promise(() => undefined),
    }
    const broken: CompletionSource = {
      prefix: "docs",
      kind: "resource",
      complete: async () => {
        throw new Error("not connected")
      },
    }
    const house = await openHouse({ completion_sources: () => [never, broken] })
    await write(join(house.workspace, "a.ts"), "")
    expect(await inserted(house, "@a")).toEqual(["@a.ts "])
    expect(await inserted(house, "@docs:a")).toEqual([])
  })
})

describe("what is used", () => {
  it("is offered first, also by the next process", async () => {
    const desk = await openDesk(FILES)
    for (const name of ["aa.ts", "ab.ts", "ac.ts"]) await write(join(desk.workspace, name), "")
    expect((await inserted(desk, "@a", 3))[0]).toBe("@aa.ts ")
    await typed(desk, "@ac.ts and @skill:tables")
    await typed(desk, "@ac.ts")
    await desk.host.idle()
    expect((await inserted(desk, "@a", 3))[0]).toBe("@ac.ts ")
    await desk.host.close()
    const { data, workspace } = desk
    const again = await openHouse({ data, workspace, environment: { HOME: desk.home } })
    expect((await inserted(again, "@a", 3))[0]).toBe("@ac.ts ")
  })

  it("[BEY-04] does not tell what was kept out", async () => {
    const desk = await openDesk()
    await write(join(desk.workspace, ".env"), "A=1")
    await typed(desk, "@.env @a.ts")
    await desk.host.close()
    const folder = join(desk.data, "frecency")
    const [file = ""] = await readdir(folder)
    const text = await readFile(join(folder, file), "utf8")
    expect(text).toContain("file:a.ts")
    expect(text).not.toContain(".env")
  })

  it("fades, and the least used is forgotten", async () => {
    const frecency = await Frecency.open(join(await temporaryFolder(), "used.json"))
    const week = 7 * 24 * 60 * 60 * 1000
    frecency.use(["file:old", "file:old"], "ses_a", 0)
    const then = frecency.share("file:old", 0)
    expect(frecency.share("file:old", 10 * week)).toBeLessThan(then / 100)
    for (let at = 0; at < 1200; at++) frecency.use([keyOf("file", `f${at}`)], "ses_a", week + at)
    expect(frecency.share("file:old", 2 * week)).toBe(0)
    expect(Object.keys(frecency.shares("file"))).toHaveLength(1000)
  })

  it("is written whole, survives a file that is not its own, and hears of other processes", async () => {
    const file = join(await temporaryFolder(), "used.json")
    await writeFile(file, '{"version":1,"used":{"a":"x"}')
    const [one, two] = [await Frecency.open(file), await Frecency.open(file)]
    one.use(["command:a"], "ses_a")
    two.use(["command:b"], "ses_b")
    await one.close()
    await two.close()
    const kept = await Frecency.open(file)
    expect([kept.share("command:a") > 0, kept.share("command:b") > 0]).toEqual([true, true])
  })
})
