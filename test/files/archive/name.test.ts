import fc from "fast-check"
import { posix, win32 } from "node:path"
import { describe, expect, it } from "vitest"
import { entryName, nameKey } from "../../../packages/files/archives/name.ts"
import { EntryTree } from "../../../packages/files/archives/tree.ts"

function on(windows: boolean, name: string): string {
  const parsed = entryName(name, windows)
  return parsed.type === "name" ? parsed.segments.join("/") : parsed.reason
}

describe("entryName", () => {
  it("[BIN-062] gives Windows names that it can open", () => {
    expect(on(true, "con")).toBe("con_")
    expect(on(true, "src/AUX.c")).toBe("src/AUX_.c")
    expect(on(true, "lpt1.txt")).toBe("lpt1_.txt")
    expect(on(true, "console.log")).toBe("console.log")
    expect(on(true, "a. ")).toBe("a__")
    expect(on(true, "...")).toBe("___")
    expect(on(true, "a.txt::$DATA")).toBe("a.txt__$DATA")
    expect(on(true, 'what?<>|*".txt')).toBe("what______.txt")
    expect(on(false, "aux.c")).toBe("aux.c")
    expect(on(false, "...")).toBe("...")
  })

  const names = fc.array(
    fc.oneof(
      fc.constantFrom("..", ".", "/", "\\", ":", "C:", " ", "\0", "\u202e", "\uff0e", "\uff0f"),
      fc.string({ maxLength: 4, unit: "binary" }),
    ),
    { maxLength: 8 },
  )

  it("[BIN-062] never leaves the folder, by the rules of either system", () => {
    fc.assert(
      fc.property(names, fc.boolean(), (pieces, windows) => {
        const parsed = entryName(pieces.join(""), windows)
        if (parsed.type === "refused") return
        const path = parsed.segments.join("/")
        expect(posix.resolve("/root/to", path)).toMatch(/^\/root\/to(\/|$)/)
        if (windows) expect(win32.resolve("Q:\\root\\to", path)).toMatch(/^Q:\\root\\to(\\|$)/)
        // oxlint-disable-next-line no-control-regex
        expect(path).not.toMatch(/[\0-\x1f\x7f]/)
      }),
      { numRuns: 5000 },
    )
  })
})

describe("EntryTree", () => {
  it("[BIN-062] gives no two files one place, whatever the disk takes for the same", () => {
    const segment = fc.constantFrom(
      "a",
      "A",
      "\u00e9",
      "e\u0301",
      "\u00c9",
      "ss",
      "\u00df",
      "a~2",
      "b.txt",
      "B.TXT",
    )
    const paths = fc.array(fc.array(segment, { minLength: 1, maxLength: 3 }), { maxLength: 20 })
    fc.assert(
      fc.property(paths, (all) => {
        const folders = new Set([""])
        const tree = new EntryTree((path) => {
          expect(folders.has(keyOf(path))).toBe(false)
          folders.add(keyOf(path))
        })
        const files = all.map((segments) => keyOf(tree.file(segments).path))
        expect(new Set(files).size).toBe(files.length)
        for (const file of files) expect(folders.has(file)).toBe(false)
      }),
      { numRuns: 2000 },
    )
  })

  function keyOf(path: string): string {
    return path.split("/").map(nameKey).join("/")
  }
})
