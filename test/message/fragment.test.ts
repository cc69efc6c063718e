import { describe, expect, it } from "vitest"
import { type Address, printAddress, readAddress } from "../../packages/core/compose/address.ts"
import {
  type FileFragment,
  parseFragment,
  printFragment,
} from "../../packages/core/message/file-location.ts"

describe("fragments", () => {
  function reads(text: string, fragment: FileFragment, printed = text) {
    expect(parseFragment(text)).toEqual({ type: "fragment", fragment })
    expect(printFragment(fragment)).toBe(printed)
  }
  function faults(text: string, reason: string, message: string) {
    expect(parseFragment(text)).toEqual({ type: "fault", fault: { reason, message } })
  }

  it("[BEY-08] [CMP-023] reads lines, from 1 and with their end", () => {
    reads("L10-25", { unit: "line", start: 10, end: 25 })
    reads("L7", { unit: "line", start: 7, end: 7 })
    reads("L10:25", { unit: "line", start: 10, end: 25 }, "L10-25")
    reads("L10-L25", { unit: "line", start: 10, end: 25 }, "L10-25")
    reads("10-25", { unit: "line", start: 10, end: 25 }, "L10-25")
  })
  it("[BEY-08] reads bytes, which are written with their last one and kept half open", () => {
    reads("B0-4095", { unit: "byte", start: 0, end: 4096 })
    reads("B0", { unit: "byte", start: 0, end: 1 })
  })
  it("[BEY-08] reads pages", () => {
    reads("page=3-7", { unit: "page", start: 3, end: 7 })
    reads("page=3", { unit: "page", start: 3, end: 3 })
  })
  it("[BEY-08] reads times", () => {
    reads("t=40,70", { unit: "time", start: 40, end: 70 })
    reads("t=40", { unit: "time", start: 40 })
    reads("t=,70", { unit: "time", start: 0, end: 70 }, "t=0,70")
    reads("t=npt:1:10,0:01:20.5", { unit: "time", start: 70, end: 80.5 }, "t=70,80.5")
  })
  it("[BEY-08] reads sheets and cells", () => {
    reads("sheet=Q3&range=A1:D20", { unit: "cells", sheet: "Q3", cells: "A1:D20" })
    reads("sheet=Q3", { unit: "cells", sheet: "Q3" })
    reads("range=B2", { unit: "cells", cells: "B2" })
    reads("sheet=Next%20year%2E", { unit: "cells", sheet: "Next year." })
  })
  it("[BEY-08] reads regions", () => {
    const sides = { x: 160, y: 120, width: 320, height: 240 }
    reads("xywh=160,120,320,240", { unit: "region", measure: "pixel", ...sides })
    const half = { x: 25, y: 25, width: 50, height: 50.5 }
    reads("xywh=percent:25,25,50,50.5", { unit: "region", measure: "percent", ...half })
    reads(
      "xywh=pixel:1,2,3,4",
      { unit: "region", measure: "pixel", x: 1, y: 2, width: 3, height: 4 },
      "xywh=1,2,3,4",
    )
  })
  it("[BEY-08] tells what is inverted, empty or outside", () => {
    faults("L9-3", "inverted", "lines 9-3 end before they begin")
    faults("L0", "zero", "lines count from 1")
    faults("L0-4", "zero", "lines count from 1")
    faults("B9-3", "inverted", "bytes 9-3 end before they begin")
    faults("page=0", "zero", "pages count from 1")
    faults("page=7-3", "inverted", "pages 7-3 end before they begin")
    faults("t=70,40", "inverted", "the time 70,40 ends before it begins")
    faults("t=40,40", "zero", "the time 40,40 has no length")
    faults("range=D20:A1", "inverted", "the cells D20:A1 end before they begin")
    faults("sheet=Q&range=A0", "zero", "the rows of A0 count from 1")
    faults("xywh=1,1,0,5", "zero", "the region 1,1,0,5 has no area")
    faults("xywh=percent:60,0,60,10", "outside", "the region 60,0,60,10 leaves its picture")
  })
  it("leaves what it does not know", () => {
    for (const text of [
      "",
      "install",
      "L",
      "L1-",
      "page=",
      "t=",
      "sheet=",
      "sheet=%zz",
      "xywh=1,2",
      "L1-2.ts",
      `L${"1".repeat(300)}`,
    ])
      expect(parseFragment(text)).toBeUndefined()
  })
})

describe("addresses", () => {
  function reads(text: string, address: Address, printed = text) {
    expect(readAddress(text)).toEqual({ address, end: text.length })
    expect(printAddress(address)).toBe(printed)
  }

  it("reads a path, and a place behind it", () => {
    reads("src/a.ts", { path: "src/a.ts" })
    reads("src/a.ts#L10-25", { path: "src/a.ts", range: { start: 10, end: 25 } })
    reads("src/a.ts:10-25", { path: "src/a.ts", range: { start: 10, end: 25 } }, "src/a.ts#L10-25")
    reads("a.bin#B0-4095", { path: "a.bin", range: { start: 0, end: 4096, unit: "byte" } })
    reads("a.pdf#page=3-7", { path: "a.pdf", fragment: { unit: "page", start: 3, end: 7 } })
  })
  it("[BEY-08] reads what is inside an archive", () => {
    const range = { start: 1, end: 9 }
    reads("bundle.zip!/src/a.ts#L1-9", { path: "bundle.zip", entry: "src/a.ts", range })
    reads("a.zip!/b.tar!/c.ts", { path: "a.zip", entry: "b.tar!/c.ts" })
    reads('"my a.zip"!/"b c.ts"#L1-9', { path: "my a.zip", entry: "b c.ts", range })
    expect(readAddress('"my a.zip"!/b.ts#L1-9')?.address).toEqual({
      path: "my a.zip",
      entry: "b.ts",
      range,
    })
    reads("wow!/a.ts", { path: "wow!/a.ts" })
  })
  it("reaches any file by quoting it", () => {
    reads('"a#L1"', { path: "a#L1" })
    reads('"a b.ts"#L3', { path: "a b.ts", range: { start: 3, end: 3 } })
    reads('"a.zip!/b"', { path: "a.zip!/b" })
    reads('"x:7"', { path: "x:7" })
    reads('"say ""hi"""', { path: 'say "hi"' })
    expect(printAddress({ path: "two\nlines" })).toBeUndefined()
  })
  it("leaves the end of a sentence, and reads no empty path", () => {
    expect(readAddress('"a b.ts"#L3.')?.end).toBe(11)
    expect(readAddress("a.ts, b")?.end).toBe(4)
    expect(readAddress('""')).toBeUndefined()
    expect(readAddress('"a')).toBeUndefined()
    expect(readAddress("")).toBeUndefined()
  })
})
