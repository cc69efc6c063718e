// `npm run pack`: two folders that can be published, and their tarballs, in `dist/pack`. `compositor` is
// everything; `compositor-core` is what runs in a browser and has no machine code.

import { spawnSync } from "node:child_process"
import fs from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, join, relative } from "node:path"
import process from "node:process"
import { bundle } from "./bundle.ts"
import { compile } from "./compile.ts"
import { scan } from "./house-rules.ts"
import {
  CORE_ENTRIES,
  CORE_LIMIT_BYTES,
  CORE_ROOMS,
  type Entries,
  FULL_ENTRIES,
  FULL_FILES,
  NATIVE,
  NEVER,
  OPTIONAL,
  PEERS,
} from "./pack-contents.ts"

const root = join(import.meta.dirname, "..")

/** What of the client draws in a page of others: it needs more than a browser. */
const REACT = join("client", "react")

interface Manifest {
  readonly version: string
  readonly description: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly dependencies: Readonly<Record<string, string>>
  readonly devDependencies: Readonly<Record<string, string>>
  readonly optionalDependencies: Readonly<Record<string, string>>
}

export interface Packed {
  readonly name: string
  readonly folder: string
  readonly tarball: string
  readonly bytes: number
}

if (process.argv[1] === import.meta.filename) {
  const { buildPage } = await import("./build.ts")
  await buildPage()
  for (const { name, tarball, bytes } of await pack(join(root, "dist", "pack"), [
    "compositor",
    "compositor-core",
  ]))
    console.log(`${name}  ${(bytes / 1024).toFixed(0)} KB unpacked  ${relative(root, tarball)}`)
}

/** Write the packages that are asked for into a folder of their own. */
export async function pack(
  out: string,
  names: readonly ("compositor" | "compositor-core")[],
): Promise<Packed[]> {
  fs.rmSync(out, { recursive: true, force: true })
  const built = join(out, ".built")
  compile(built, ["tsconfig.build.json", "tsconfig.react.json"])
  const manifest = JSON.parse(fs.readFileSync(join(root, "package.json"), "utf8")) as Manifest
  const packed: Packed[] = []
  for (const name of names)
    packed.push(
      name === "compositor" ? await packAll(out, built, manifest) : packCore(out, built, manifest),
    )
  fs.rmSync(built, { recursive: true })
  return packed
}

async function packAll(out: string, built: string, manifest: Manifest): Promise<Packed> {
  const folder = join(out, "compositor")
  fs.cpSync(built, join(folder, "dist"), { recursive: true })
  copy(folder, FULL_FILES)
  writeManifest(folder, about("compositor", manifest))
  await bundle(join(folder, "dist"))
  fs.mkdirSync(join(folder, "man"))
  fs.writeFileSync(join(folder, "man", "compositor.1"), manualPage(folder))
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies }
  const wanted = Object.entries(all).filter(([name]) => !NEVER.includes(name))
  const besides = Object.entries(manifest.devDependencies).filter(([name]) => PEERS.includes(name))
  const isOptional = ([name]: [string, string]) => OPTIONAL.includes(name)
  writeManifest(folder, {
    ...about("compositor", manifest),
    bin: { compositor: "bin/compositor" },
    man: "man/compositor.1",
    exports: exportsOf(folder, FULL_ENTRIES),
    dependencies: Object.fromEntries(wanted.filter((one) => !isOptional(one))),
    optionalDependencies: Object.fromEntries(wanted.filter(isOptional)),
    peerDependencies: Object.fromEntries(besides.map(([name, version]) => [name, `^${version}`])),
    peerDependenciesMeta: Object.fromEntries(PEERS.map((name) => [name, { optional: true }])),
  })
  return tarballOf(out, "compositor", folder)
}

// The command line says itself what it can do.
function manualPage(folder: string): string {
  const main = join(folder, "dist", "bundle", "main.js")
  const { stdout, stderr, status } = spawnSync(process.execPath, [main, "man"], {
    encoding: "utf8",
  })
  if (status !== 0) throw new Error(`The built command line does not run: ${stderr}`)
  return stdout
}

function packCore(out: string, built: string, manifest: Manifest): Packed {
  const folder = join(out, "compositor-core")
  const { files, packages } = reached(built, CORE_ROOMS)
  const native = packages.filter((name) => NATIVE.includes(name))
  if (native.length > 0) throw new Error(`compositor-core reaches ${native.join(", ")}.`)
  for (const file of files)
    for (const path of [file, file.replace(/\.js$/, ".d.ts")])
      if (fs.existsSync(join(built, path))) copyFile(join(built, path), join(folder, "dist", path))
  copy(folder, ["LICENSE"])
  const all = { ...manifest.dependencies, ...manifest.optionalDependencies }
  writeManifest(folder, {
    ...about("compositor-core", manifest),
    sideEffects: false,
    exports: exportsOf(folder, CORE_ENTRIES),
    dependencies: Object.fromEntries(packages.map((name) => [name, versionOf(all, name)])),
  })
  const packed = tarballOf(out, "compositor-core", folder)
  if (packed.bytes > CORE_LIMIT_BYTES)
    throw new Error(`compositor-core has ${packed.bytes} bytes; ${CORE_LIMIT_BYTES} are allowed.`)
  return packed
}

function versionOf(all: Readonly<Record<string, string>>, name: string): string {
  const version = all[name]
  if (version === undefined) throw new Error(`${name} is imported but is no dependency.`)
  return version
}

interface Reached {
  readonly files: readonly string[]
  readonly packages: readonly string[]
}

/** Every file that the rooms' files lead to, and every package. */
function reached(built: string, rooms: readonly string[]): Reached {
  const files = new Set<string>()
  const packages = new Set<string>()
  const left = rooms.flatMap((room) => filesIn(built, room))
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (files.has(file)) continue
    files.add(file)
    const { imports } = scan(file, fs.readFileSync(join(built, file), "utf8"))
    for (const { specifier } of imports) {
      if (isBuiltin(specifier)) continue
      if (specifier.startsWith(".")) left.push(join(dirname(file), specifier))
      else packages.add(packageOf(specifier))
    }
  }
  return { files: [...files].sort(), packages: [...packages].sort() }
}

function filesIn(built: string, room: string): string[] {
  return fs
    .readdirSync(join(built, room), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".js"))
    .map((path) => join(room, path))
    .filter((path) => !path.startsWith(REACT))
}

function packageOf(specifier: string): string {
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")
}

function exportsOf(folder: string, entries: Entries) {
  const there = Object.entries(entries).filter(
    ([, file]) => file.endsWith("*") || fs.existsSync(join(folder, "dist", `${file}.js`)),
  )
  return {
    ...Object.fromEntries(
      there.map(([path, file]) => [
        path,
        { types: `./dist/${file}.d.ts`, default: `./dist/${file}.js` },
      ]),
    ),
    "./package.json": "./package.json",
  }
}

function about(name: string, { version, description, license, engines }: Manifest) {
  return { name, version, description, license, type: "module", engines }
}

function writeManifest(folder: string, manifest: object) {
  fs.writeFileSync(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

function copy(folder: string, paths: readonly string[]) {
  for (const path of paths)
    if (fs.existsSync(join(root, path)))
      fs.cpSync(join(root, path), join(folder, path), { recursive: true })
}

function copyFile(from: string, to: string) {
  fs.mkdirSync(dirname(to), { recursive: true })
  fs.copyFileSync(from, to)
}

function tarballOf(out: string, name: string, folder: string): Packed {
  const args = ["pack", "--json", "--ignore-scripts", "--pack-destination", out]
  const { stdout, stderr, status } = spawnSync("npm", args, { cwd: folder, encoding: "utf8" })
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`)
  const [told] = JSON.parse(stdout) as { filename: string; unpackedSize: number }[]
  if (!told) throw new Error(`npm pack said nothing about ${name}.`)
  return { name, folder, tarball: join(out, told.filename), bytes: told.unpackedSize }
}
