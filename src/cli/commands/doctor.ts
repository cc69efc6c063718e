import { access, constants, mkdir, stat, statfs } from "node:fs/promises"
import { join } from "node:path"
import process from "node:process"
import { type CommonOptions, connected, dataFolder, workspaceFolder } from "../connect.ts"
import { printJson, printLine, showSize, table } from "../show.ts"

/** `missing` is worth knowing and breaks nothing; `wrong` must be mended. */
interface Finding {
  readonly about: string
  readonly state: "fine" | "missing" | "wrong"
  readonly says: string
}

const OLDEST_NODE = [22, 19] as const
const LEAST_FREE_BYTES = 512 * 1024 * 1024

/** Look at what is needed, and say what is not there. Exit code 1 when something must be mended. */
export async function doctorCommand(options: CommonOptions) {
  const findings = [
    nodeVersion(),
    await dataFolderState(dataFolder(options)),
    await freeSpace(dataFolder(options)),
    await tokenFile(dataFolder(options)),
    await workspaceState(workspaceFolder(options)),
    ...(await programs()),
    ...(await insideOf(options)),
  ]
  if (options.json) printJson(findings)
  else printLine(table(findings.map(({ state, about, says }) => [SIGNS[state], about, says])))
  if (findings.some(({ state }) => state === "wrong")) process.exitCode = 1
}

const SIGNS = { fine: "ok", missing: "--", wrong: "!!" } as const

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number)
  const [oldest, minorOldest] = OLDEST_NODE
  const recent = major > oldest || (major === oldest && minor >= minorOldest)
  const says = recent ? process.version : `${process.version}: ${OLDEST_NODE.join(".")} is needed`
  return { about: "Node.js", state: recent ? "fine" : "wrong", says }
}

async function dataFolderState(folder: string): Promise<Finding> {
  const about = "data folder"
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await access(folder, constants.R_OK | constants.W_OK)
    const { mode } = await stat(folder)
    if ((mode & 0o077) === 0) return { about, state: "fine", says: folder }
    return { about, state: "missing", says: `${folder}: others may look into it (chmod 700)` }
  } catch (error) {
    return { about, state: "wrong", says: (error as Error).message }
  }
}

async function freeSpace(folder: string): Promise<Finding> {
  const about = "free space"
  const disk = await statfs(folder).catch(() => undefined)
  if (!disk) return { about, state: "missing", says: "unknown" }
  const free = disk.bavail * disk.bsize
  return { about, state: free < LEAST_FREE_BYTES ? "wrong" : "fine", says: showSize(free) }
}

async function tokenFile(folder: string): Promise<Finding> {
  const about = "token"
  const found = await stat(join(folder, "token")).catch(() => undefined)
  if (!found) return { about, state: "missing", says: "none yet: the first server makes it" }
  if ((found.mode & 0o077) === 0) return { about, state: "fine", says: "only you may read it" }
  return { about, state: "wrong", says: `others may read ${join(folder, "token")} (chmod 600)` }
}

async function workspaceState(folder: string): Promise<Finding> {
  const found = await stat(folder).catch(() => undefined)
  const says = found?.isDirectory() ? folder : `${folder} is no folder`
  return { about: "workspace", state: found?.isDirectory() ? "fine" : "wrong", says }
}

/** Programs of this machine, and what is not done without them. */
const PROGRAMS = [
  ["bwrap", "no shell tool and no sandboxed conversion"],
  ["git", "no branch names"],
  ["ffmpeg", "no frames of videos"],
  ["libreoffice", "no office documents as pages"],
] as const

async function programs(): Promise<Finding[]> {
  const folders = (process.env.PATH ?? "").split(":")
  return Promise.all(
    PROGRAMS.map(async ([program, without]): Promise<Finding> => {
      const found = await Promise.all(
        folders.map((folder) =>
          access(join(folder, program), constants.X_OK).then(
            () => true,
            () => false,
          ),
        ),
      )
      const there = found.includes(true)
      return { about: program, state: there ? "fine" : "missing", says: there ? "" : without }
    }),
  )
}

/** What the rooms themselves say. */
async function insideOf(options: CommonOptions): Promise<Finding[]> {
  try {
    return await connected(options, async ({ client, local }) => {
      const { models } = await client.models()
      const asked = new Set(models.filter(({ available }) => available).map((m) => m.provider_id))
      const real = [...asked].filter((id) => id !== "mirror" && id !== "scripted")
      const workspace = workspaceFolder(options)
      const { findings } = await client.commands.doctor({ workspace })
      return [
        {
          about: "server",
          state: "fine",
          says: local ? "none lives: rooms in process" : client.url,
        },
        {
          about: "providers",
          state: real.length > 0 ? "fine" : "missing",
          says: real.length > 0 ? real.join(", ") : "none: the mirror shows what a model would see",
        },
        {
          about: "commands",
          state: findings.length > 0 ? "missing" : "fine",
          says:
            findings.length > 0 ? `${findings.length} findings: compositor commands doctor` : "",
        },
      ]
    })
  } catch (error) {
    return [{ about: "rooms", state: "wrong", says: (error as Error).message }]
  }
}
