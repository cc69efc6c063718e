import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ARCHIVE_LIMITS } from "../../../packages/files/archives/limits.ts"
import { isDrawnOf } from "../../selection.ts"
import { HOSTILE } from "./hostile.ts"
import type { Outcome } from "./hostile-child.ts"

const MAX_RESIDENT_BYTES = 512 * 1024 * 1024
const MAX_MS = 20_000

/** Each takes a third of a second: a run that is a selection tries a tenth of them. */
const TRIED = HOSTILE.filter(({ what }) => isDrawnOf("hostile archives", what, 0.1))

let folder: string
let resident = 0
const outcomes = new Map<string, Outcome>()

/** The archives are made here and suffered there, so that only extracting counts. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "compositor-hostile-"))
  const script = join(import.meta.dirname, "hostile-child.ts")
  const child = spawn(process.execPath, [script, folder], { stdio: ["pipe", "pipe", "inherit"] })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const path = join(folder, "archive")
  for (const { what, make } of TRIED) {
    await writeFile(path, make())
    child.stdin.write(`${JSON.stringify({ what, path })}\n`)
    const { value } = await answers.next()
    const told = JSON.parse(String(value)) as { outcome: Outcome; resident: number }
    outcomes.set(what, told.outcome)
    resident = Math.max(resident, told.resident)
  }
  child.stdin.end()
  await once(child, "exit")
}, 300_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

describe("a hostile archive", () => {
  it("[BIN-062] is one of at least 120, and no two are the same", () => {
    expect(HOSTILE.length).toBeGreaterThanOrEqual(120)
    expect(new Set(HOSTILE.map(({ what }) => what)).size).toBe(HOSTILE.length)
  })

  it.each(TRIED)("[BIN-062] stays inside and within its limits: $what", (archive) => {
    const outcome = outcomes.get(archive.what)
    if (!outcome) throw new Error(`${archive.what} was not tried`)
    expect(outcome.outside).toEqual([])
    expect(outcome.strange).toEqual([])
    expect(outcome.bytes).toBeLessThanOrEqual(ARCHIVE_LIMITS.bytes)
    expect(outcome.milliseconds).toBeLessThanOrEqual(MAX_MS)
    if (archive.ends === "harmless") {
      expect(outcome).toMatchObject({ type: "extracted", files: archive.files })
      return
    }
    expect(outcome).toMatchObject({ type: "refused", files: 0, bytes: 0 })
    expect(outcome.reason).toMatch(archive.says ?? /./)
  })

  it("[BIN-062] never takes more than 512 MB, whichever it is", () => {
    expect(resident).toBeLessThanOrEqual(MAX_RESIDENT_BYTES)
  })
})
