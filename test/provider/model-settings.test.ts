import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openKnownModels, readModelConfig } from "../../packages/engine/providers/model-settings.ts"
import { temporaryFolder } from "../build.ts"
import { listen } from "./loopback.ts"

async function folder(text?: string): Promise<string> {
  const data = join(await temporaryFolder(), "data")
  await mkdir(data)
  if (text !== undefined) await writeFile(join(data, "config.json"), text)
  return data
}

function config(value: object) {
  return folder(JSON.stringify(value))
}

const llama = { provider_id: "ollama", model_id: "llava:7b" }

describe("openKnownModels", () => {
  it("[BIN-020] knows the embedded models where nobody said anything", async () => {
    const known = await openKnownModels(await folder(), {})
    expect(known.find({ provider_id: "anthropic", model_id: "anthropic" })?.layers).toEqual([])
    expect(known.refreshed).toBeNull()
  })

  it("[BIN-022] puts what the user says above what a server says of itself", async () => {
    const url = await listen((request, response) => {
      const shown = {
        capabilities: ["completion", "vision"],
        model_info: { "llama.context_length": 32_768 },
      }
      const tags = { models: [{ name: "llava:7b" }] }
      response.end(JSON.stringify(request.url === "/api/tags" ? tags : shown))
    })
    const data = await config({ models: [{ ...llama, context_tokens: 4096 }], theme: "dark" })
    const known = await openKnownModels(data, { OLLAMA_HOST: url })
    expect(known.find(llama)).toMatchObject({ input: ["text"], context_tokens: 4096 })
    await known.probe()
    const model = known.find(llama)
    expect(model).toMatchObject({ input: ["text", "image"], context_tokens: 4096 })
    expect(model?.layers.map((mark) => mark.split("-")[0])).toEqual(["probe", "config"])
    expect(model && known.capabilities(model).revision).toMatch(/\/probe-\w+\/config-\w+$/)
  })

  it("asks the catalog that the environment names, and keeps it in the folder", async () => {
    const entry = {
      id: "claude-new",
      name: "New",
      modalities: { input: ["text"], output: ["text"] },
      limit: { context: 5, output: 5 },
    }
    const COMPOSITOR_MODELS_URL = await listen((_, response) => {
      response.end(JSON.stringify({ anthropic: { models: { a: entry } } }))
    })
    const data = await folder()
    const known = await openKnownModels(data, { COMPOSITOR_MODELS_URL })
    expect((await known.refresh()).type).toBe("updated")
    const again = await openKnownModels(data, { COMPOSITOR_MODELS_URL })
    expect(again.find({ provider_id: "anthropic", model_id: "claude-new" })?.name).toBe("New")
  })
})

describe("readModelConfig", () => {
  async function refuses(text: string, message: RegExp) {
    const file = join(await folder(text), "config.json")
    await expect(readModelConfig(file)).rejects.toThrow(message)
  }

  it("says what is wrong with the user's file, by its name and path", async () => {
    await refuses("{", /config\.json is not JSON/)
    await refuses("[]", /config\.json must hold a JSON object/)
    await refuses('{"models":[{"provider_id":"a"}]}', /\/models\/0\/model_id/)
    await refuses('{"apis":{"x":{"max_request_bytes":"many"}}}', /\/apis\/x\/max_request_bytes/)
    await refuses(" ".repeat(5 * 1024 * 1024), /at most 4194304 are read/)
  })

  it("minds neither a missing file nor what is meant for others", async () => {
    expect(await readModelConfig(join(await folder(), "config.json"))).toBeUndefined()
    const file = join(await config({ policy: { deny: [] } }), "config.json")
    expect(await readModelConfig(file)).toEqual({ models: [], apis: {} })
  })
})
