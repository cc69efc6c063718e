import { randomBytes } from "node:crypto"
import { chmod, open, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import { isRunning } from "compositor-files/disk/running"

/** A running server as its data folder names it: who finds the file may talk to it, so only its
 *  owner may read it (DAE-001). */
export const Registration = z.object({
  id: z.string(),
  version: z.string(),
  url: z.string(),
  pid: z.int(),
  token: z.string(),
  /** Where its rows are, if not in the folder: an address without its password. */
  store: z.string().optional(),
  blobs: z.string().optional(),
})
export type Registration = z.infer<typeof Registration>

const FILE = "server.json"
const TOKEN = "token"
const ALIVE_TIMEOUT_MS = 1500

export async function register(data: string, registration: Registration) {
  const temporary = join(data, `${FILE}.${process.pid}`)
  await writeFile(temporary, `${JSON.stringify(registration, null, 2)}\n`, { mode: 0o600 })
  await rename(temporary, join(data, FILE))
}

export async function unregister(data: string, id: string) {
  const current = await read(data)
  if (current?.id === id) await rm(join(data, FILE), { force: true })
}

/** The server that lives on this folder, if one answers. */
export async function findServer(data: string): Promise<Registration | undefined> {
  const registration = await read(data)
  if (!registration || !isRunning(registration.pid)) return undefined
  const alive = await fetch(`${registration.url}/v1/info`, {
    headers: { authorization: `Bearer ${registration.token}` },
    signal: AbortSignal.timeout(ALIVE_TIMEOUT_MS),
  }).then(
    (response) => response.ok,
    () => false,
  )
  return alive ? registration : undefined
}

/** The folder's token, made once, so that a link goes on working after a restart. */
export async function folderToken(data: string): Promise<string> {
  const path = join(data, TOKEN)
  const file = await open(path, "wx", 0o600).catch(() => undefined)
  if (!file) {
    await chmod(path, 0o600)
    const token = (await readFile(path, "utf8")).trim()
    if (token !== "") return token
  }
  const token = randomBytes(24).toString("base64url")
  if (file) await file.writeFile(token)
  else await writeFile(path, token, { mode: 0o600 })
  await file?.close()
  return token
}

async function read(data: string): Promise<Registration | undefined> {
  try {
    return Registration.parse(JSON.parse(await readFile(join(data, FILE), "utf8")))
  } catch {
    return undefined
  }
}
