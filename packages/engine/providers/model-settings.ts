import { open } from "node:fs/promises"
import { join } from "node:path"
import { errorMessage, isRecord } from "compositor-core/message/untyped"
import type { ProviderEnvironment } from "compositor-core/wires/define-wire"
import { ModelConfig } from "compositor-core/wires/layers"
import { KnownModels } from "./known-models.ts"
import { probes } from "./registry.ts"

/** What the user says of models stands in this file of the data folder, under `models` and `apis`;
 *  other keys of it are other rooms' business. */
const CONFIG_FILE = "config.json"
const CATALOG_FILE = "models.json"
const MAX_CONFIG_BYTES = 4 * 1024 * 1024

/** All that is known of models in a data folder. `COMPOSITOR_MODELS_URL` names another catalog than
 *  the public one. Throws when the user's own file is not as it should be: to ignore what somebody
 *  wrote down would be worse. */
export async function openKnownModels(
  data: string,
  environment: ProviderEnvironment,
): Promise<KnownModels> {
  return KnownModels.open({
    file: join(data, CATALOG_FILE),
    url: environment.COMPOSITOR_MODELS_URL || undefined,
    config: await readModelConfig(join(data, CONFIG_FILE)),
    probes: probes(environment),
  })
}

export async function readModelConfig(file: string): Promise<ModelConfig | undefined> {
  const text = await readSmall(file)
  if (text === undefined) return undefined
  const { models, apis } = objectIn(text, file)
  const parsed = ModelConfig.safeParse({
    ...(models === undefined ? {} : { models }),
    ...(apis === undefined ? {} : { apis }),
  })
  if (parsed.success) return parsed.data
  const faults = parsed.error.issues.map(({ path, message }) => `/${path.join("/")}: ${message}`)
  throw new Error(`${file} does not fit: ${faults.join("; ")}`)
}

async function readSmall(file: string): Promise<string | undefined> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined
    throw error
  })
  if (!handle) return undefined
  try {
    const { size } = await handle.stat()
    if (size > MAX_CONFIG_BYTES)
      throw new Error(`${file} has ${size} bytes; at most ${MAX_CONFIG_BYTES} are read`)
    return await handle.readFile("utf8")
  } finally {
    await handle.close()
  }
}

function objectIn(text: string, file: string): Readonly<Record<string, unknown>> {
  const value = parsed(text, file)
  if (isRecord(value)) return value
  throw new Error(`${file} must hold a JSON object`)
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${file} is not JSON: ${errorMessage(error)}`, { cause: error })
  }
}
