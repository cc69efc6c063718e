// `npm run house`: prints who looks where, and fails on a look upstairs or sideways.

import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import {
  FLOORS,
  floorOf,
  judge,
  PACKAGES,
  roomOf,
  roomOfImport,
  type SourceFile,
  scan,
} from "./house-rules.ts"

const root = join(import.meta.dirname, "..")

if (process.argv[1] === import.meta.filename) showHouse(readHouse(root))

/** Every source file of every package. */
export function readHouse(root: string): SourceFile[] {
  return PACKAGES.flatMap(({ folder }) => sourcesIn(root, folder))
    .sort()
    .map((path) => scan(path, readFileSync(join(root, path), "utf8")))
}

function sourcesIn(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.replaceAll("\\", "/")}`)
    .filter((path) => /\.tsx?$/.test(path) && !path.includes("/node_modules/"))
}

function showHouse(files: readonly SourceFile[]): void {
  const violations = judge(files)
  console.log(drawHouse(files))
  for (const { path, line, message } of violations) console.log(`${path}:${line} ${message}`)
  console.log(
    violations.length === 0
      ? "Nobody looks upstairs or sideways."
      : `${violations.length} against the rules of the house`,
  )
  if (violations.length > 0) process.exitCode = 1
}

function drawHouse(files: readonly SourceFile[]): string {
  const floors = FLOORS.map((rooms) => drawFloor(rooms, files))
  return floors.toReversed().join("")
}

function drawFloor(rooms: readonly string[], files: readonly SourceFile[]): string {
  const inhabited = rooms
    .map((room) => ({ room, files: files.filter(({ path }) => roomOf(path) === room) }))
    .filter((room) => room.files.length > 0)
  return inhabited.map((room, index) => drawRoom(room.room, room.files, index === 0)).join("")
}

function drawRoom(room: string, files: readonly SourceFile[], isFirst: boolean): string {
  const floor = isFirst ? String(floorOf(room)) : ""
  const lines = files.reduce((sum, file) => sum + file.lines, 0)
  const columns = [
    floor.padStart(2),
    room.padEnd(17),
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
