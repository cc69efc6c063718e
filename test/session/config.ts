import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { temporaryFolder } from "../build.ts"

/** A data folder in which the user has said something about models. */
export async function writeConfig(config: object): Promise<string> {
  const data = join(await temporaryFolder(), "data")
  await mkdir(data)
  await writeFile(join(data, "config.json"), JSON.stringify(config))
  return data
}
