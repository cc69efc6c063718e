// `npm run house`: prints who looks where, and fails on a look upstairs or sideways.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import {
  ENTRANCE,
  FLOORS,
  floorOf,
  judge,
  roomOf,
  roomOfImport,
  type SourceFile,
  scan,
} from "./house-rules.ts"

const src = join(import.meta.dirname, "..", "src")

if (process.argv[1] === import.meta.filename) showHouse(readHouse(src))

/** Every source file of the house. */
export function readHouse(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => scan(path, readFileSync(join(folder, path), "utf8")))
}

function showHouse(files: readonly SourceFile[]): void {
  const violations = judge(files)
  console.log(drawHouse(files))
  for (const { path, line, message } of violations) console.log(`src/${path}:${line} ${message}`)
  console.log(
    violations.length === 0
      ? "Nobody looks upstairs or sideways."
      : `${violations.length} against the rules of the house`,
  )
  if (violations.length > 0) process.exitCode = 1
}

function drawHouse(files: readonly SourceFile[]): string {
  const floors = [...FLOORS, [ENTRANCE]].map((rooms) => drawFloor(rooms, files))
  return floors.toReversed().join("")
}

function drawFloor(rooms: readonly string[], files: readonly SourceFile[]): string {
  const inhabited = rooms
    .map((room) => ({ room, files: files.filter(({ path }) => roomOf(path) === room) }))
    .filter((room) => room.files.length > 0)
  return inhabited.map((room, index) => drawRoom(room.room, room.files, index === 0)).join("")
}

function drawRoom(room: string, files: readonly SourceFile[], isFirst: boolean): string {
  const floor = isFirst && room !== ENTRANCE ? String(floorOf(room)) : ""
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const columns = [
    floor.padStart(2),
    room.padEnd(9),
    count(files.length, "file").padStart(9),
    count(lines, "line").padStart(13),
    looksOf(room, files).join(" "),
  ]
  return `${columns.join("  ").trimEnd()}\n`
}

function count(amount: number, noun: string): string {
  return `${amount.toLocaleString("en")} ${amount === 1 ? `${noun} ` : `${noun}s`}`
}

function looksOf(room: string, files: readonly SourceFile[]): string[] {
  const targets = files.flatMap(({ path, imports }) =>
    imports.flatMap(({ specifier }) => roomOfImport(path, specifier) ?? []),
  )
  const others = new Set(targets.filter((target) => target !== room))
  return [...others].sort((a, b) => floorOf(b) - floorOf(a) || a.localeCompare(b))
}
