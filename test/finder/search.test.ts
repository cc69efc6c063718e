import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  BITS,
  lettersOf,
  maskOf,
  readQuery,
  startMaskOf,
} from "../../packages/files/finder/letters.ts"
import { Paths } from "../../packages/files/finder/paths.ts"
import { frecencyScore } from "../../packages/files/finder/rank.ts"
import { Matcher, NO_MATCH, type ByteSpan, totalOf } from "../../packages/files/finder/score.ts"
import { FileSearch } from "../../packages/files/finder/search.ts"
import { Top } from "../../packages/files/finder/top.ts"

const NOTHING_USED: ReadonlyMap<number, number> = new Map()

function indexOf(paths: readonly string[]) {
  const index = new Paths()
  const folders = new Map<string, number>()
  const ids = paths.map((path) => {
    const from = path.lastIndexOf("/") + 1
    const folder = path.slice(0, from)
    if (!folders.has(folder)) folders.set(folder, index.addFolder(folder))
    return index.add(folders.get(folder) ?? 0, path.slice(from)) as number
  })
  return { index, ids, search: new FileSearch(index) }
}

function found(paths: readonly string[], query: string, limit = 50): string[] {
  const { search } = indexOf(paths)
  return search.find({ query, limit, frecency: NOTHING_USED }).map(({ path }) => path)
}

describe("Search", () => {
  it("[CMP-063] prefers the name of a file to the folders it lies in", () =>
    expect(found(["parser/index.ts", "src/lib/parser.ts", "src/x.ts"], "parser")).toEqual([
      "src/lib/parser.ts",
      "parser/index.ts",
    ]))
  it("[CMP-063] follows a path that is typed with its slashes", () =>
    expect(found(["src/main.ts", "src/lib/map.ts", "lib/src-main.ts"], "src/ma")).toEqual([
      "src/main.ts",
      "src/lib/map.ts",
    ]))
  it("[CMP-063] finds humps and the beginnings of words", () =>
    expect(found(["a/profile.ts", "a/fooItem.ts", "a/foo-items.ts"], "fi")).toEqual([
      "a/fooItem.ts",
      "a/foo-items.ts",
      "a/profile.ts",
    ]))
  it("[CMP-063] shows what is used most and lies on top when nothing was typed", () => {
    const { search, ids } = indexOf(["a/b/c.ts", "z.ts", "a/d.ts", "a/b/e.ts"])
    const frecency = new Map([[ids[3] as number, 0.5]])
    const paths = search.find({ query: " ", limit: 3, frecency }).map(({ path }) => path)
    expect(paths).toEqual(["a/b/e.ts", "z.ts", "a/d.ts"])
  })
  it("[CMP-063] puts a file that is used before its like", () => {
    const { search, ids } = indexOf(["a/one.ts", "b/one.ts"])
    const frecency = new Map([[ids[1] as number, 1]])
    expect(search.find({ query: "one", limit: 1, frecency })[0]?.path).toBe("b/one.ts")
  })
  it("[CMP-063] says where in the path the letters are", () => {
    const { search } = indexOf(["src/fileIndex.ts"])
    const [match] = search.find({ query: "s/fi", limit: 1, frecency: NOTHING_USED })
    expect(match?.positions).toEqual([0, 3, 4, 5])
  })
  it("finds nothing where there is nothing", () => {
    expect(found([], "a")).toEqual([])
    expect(found(["a"], "b")).toEqual([])
    expect(found(["a"], "a", 0)).toEqual([])
  })

  it("forgets what was removed and finds what came in its place", () => {
    const { index, ids, search } = indexOf(["a/one.ts", "a/two.ts"])
    const paths = (query: string) =>
      search.find({ query, limit: 9, frecency: NOTHING_USED }).map(({ path }) => path)
    expect(paths("o")).toHaveLength(2)
    index.remove(ids[0] as number)
    expect(paths("o")).toEqual(["a/two.ts"])
    expect(paths("on")).toEqual([])
    index.add(index.addFolder("b/"), "only.ts")
    expect(paths("on")).toEqual(["b/only.ts"])
    expect(paths("")).toEqual(["b/only.ts", "a/two.ts"].sort((x, y) => x.length - y.length))
  })

  it("keeps its letters right when many files come and go", () => {
    const index = new Paths()
    const search = new FileSearch(index)
    const folder = index.addFolder("some/folder/")
    const add = (name: string) => index.add(folder, name) as number
    let ids: number[] = []
    for (let round = 0; round < 30; round++) {
      for (const id of ids) index.remove(id)
      ids = Array.from({ length: 500 }, (_, at) => add(`round${round}-file${at}.ts`))
    }
    expect(index.size).toBe(500)
    expect(index.end).toBeLessThanOrEqual(500)
    const [match] = search.find({ query: "round29-file321.ts", limit: 1, frecency: NOTHING_USED })
    expect(match?.path).toBe("some/folder/round29-file321.ts")
  })
})

const name = fc.string({
  unit: fc.constantFrom(..."abcABs-_.1é".split("")),
  minLength: 1,
  maxLength: 12,
})
const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"))
const query = fc.string({
  unit: fc.constantFrom(..."abcs-/.1é".split("")),
  minLength: 1,
  maxLength: 6,
})

describe("Search beside a look at every file", () => {
  it("[CMP-063] finds the same files with the same scores, typed letter by letter or at once", () => {
    const property = fc.property(
      fc.uniqueArray(path, { maxLength: 60 }),
      query,
      fc.integer({ min: 1, max: 12 }),
      (paths, query, limit) => {
        const { search } = indexOf(paths)
        for (let length = 1; length <= query.length; length++) {
          const typed = query.slice(0, length)
          const matches = search.find({ query: typed, limit, frecency: NOTHING_USED })
          const scores = matches.map(({ score }) => score)
          expect(scores).toEqual(everyScore(paths, typed).slice(0, limit))
          const { search: fresh } = indexOf(paths)
          expect(fresh.find({ query: typed, limit, frecency: NOTHING_USED })).toEqual(matches)
        }
      },
    )
    fc.assert(property, { numRuns: 300 })
  })

  it("[CMP-063] counts use in the same way", () => {
    const property = fc.property(
      fc.uniqueArray(path, { minLength: 1, maxLength: 30 }),
      query,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 10 }),
      (paths, query, shares) => {
        const { search, ids } = indexOf(paths)
        const frecency = new Map(
          shares.slice(0, ids.length).map((share, at) => [ids[at] as number, share]),
        )
        const matches = search.find({ query, limit: 5, frecency })
        const bonus = (at: number) => (at < shares.length ? frecencyScore(shares[at]) : 0)
        expect(matches.map(({ score }) => score)).toEqual(
          everyScore(paths, query, bonus).slice(0, 5),
        )
      },
    )
    fc.assert(property, { numRuns: 300 })
  })

  function everyScore(paths: readonly string[], query: string, bonus = nothing): number[] {
    const { letters, alphabet } = readQuery(query)
    const matcher = new Matcher(letters)
    return paths
      .flatMap((path, at) => {
        const from = path.lastIndexOf("/") + 1
        const points = matcher.points(
          spanOf(path.slice(0, from), alphabet),
          spanOf(path.slice(from), alphabet),
        )
        return points === NO_MATCH ? [] : [totalOf(points, path.length) + bonus(at)]
      })
      .sort((left, right) => right - left)
  }

  function nothing(_at: number): number {
    return 0
  }

  function spanOf(text: string, alphabet: string): ByteSpan {
    const bytes = lettersOf(text, alphabet)
    return { bytes, from: 0, to: bytes.length }
  }

  it("never expects less of a file than it is worth", () => {
    const property = fc.property(path, query, (path, query) => {
      const { letters, alphabet } = readQuery(query)
      const from = path.lastIndexOf("/") + 1
      const folder = spanOf(path.slice(0, from), alphabet)
      const name = spanOf(path.slice(from), alphabet)
      const matcher = new Matcher(letters)
      const points = matcher.points(folder, name)
      matcher.enter(folder)
      const most = matcher.mostPoints(
        maskOf(name.bytes),
        startMaskOf(name.bytes, 0, name.to),
        BITS[name.bytes[0] ?? 0] ?? 0,
      )
      expect(most).toBeGreaterThanOrEqual(points)
    })
    fc.assert(property, { numRuns: 3000 })
  })

  it("is not slowed down by names of one letter", { timeout: 10_000 }, () => {
    const paths = Array.from(
      { length: 200 },
      (_, at) => `${"a".repeat(200)}/${"a".repeat(200 + (at % 50))}${at}`,
    )
    const { search } = indexOf(paths)
    const matches = search.find({ query: "a".repeat(120), limit: 50, frecency: NOTHING_USED })
    expect(matches).toHaveLength(50)
  })
})

describe("Top", () => {
  it("keeps the best, whatever order they come in", () => {
    const property = fc.property(
      fc.array(fc.integer({ min: 0, max: 20 })),
      fc.nat(10),
      (scores, limit) => {
        const top = new Top(limit)
        scores.forEach((score, id) => top.add(id, score))
        const expected = scores
          .map((score, id) => ({ id, score }))
          .sort((left, right) => right.score - left.score || left.id - right.id)
          .slice(0, limit)
        expect(top.list()).toEqual(expected)
      },
    )
    fc.assert(property, { numRuns: 300 })
  })
})
