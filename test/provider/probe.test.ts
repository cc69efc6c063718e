import { describe, expect, it } from "vitest"
import type { ModelProbe } from "../../packages/core/wires/define-wire.ts"
import { findWire } from "../../packages/core/wires/wires.ts"
import { KnownModels } from "../../packages/engine/providers/known-models.ts"
import { type Probe, probe } from "../../packages/engine/providers/probe.ts"
import { probes } from "../../packages/engine/providers/registry.ts"
import { listen, readRequest } from "./loopback.ts"

/** A server that answers by path; `/api/show` by the model it is asked about. */
async function server(answers: Readonly<Record<string, object>>) {
  const seen: { url: string | undefined; headers: object }[] = []
  const base_url = await listen(async (request, response) => {
    const { url, headers, body } = await readRequest(request)
    seen.push({ url, headers })
    const asked = body.length > 0 ? `${url} ${JSON.parse(body.toString()).model}` : (url ?? "")
    const found = answers[asked]
    response.writeHead(found ? 200 : 404).end(JSON.stringify(found ?? { error: "no" }))
  })
  return { base_url, seen }
}

const signal = new AbortController().signal

function probeOf(api: string, base_url: string): ModelProbe {
  const wire = findWire(api)
  const kind = api.includes("/") ? "server" : "vendor"
  const found = wire?.runs === "remote" && wire.probe({ kind, base_url, headers: {} })
  if (!found) throw new Error(`${api} cannot be asked what it can do`)
  return found
}

describe("probe", () => {
  async function finds(api: string, answers: Readonly<Record<string, object>>) {
    const { base_url } = await server(answers)
    return probe({ ...probeOf(api, base_url), provider_id: "someone" }, signal)
  }

  it("[BIN-020] reads what Anthropic says of its models", async () => {
    const yes = { supported: true }
    const no = { supported: false }
    expect(
      await finds("anthropic-messages", {
        "/v1/models?limit=1000": {
          data: [
            {
              id: "claude-a",
              display_name: "Claude A",
              max_input_tokens: 1_000_000,
              max_tokens: 128_000,
              capabilities: {
                image_input: yes,
                pdf_input: no,
                thinking: { supported: true, types: { adaptive: yes, enabled: no, disabled: no } },
              },
            },
            { id: "claude-b" },
            { id: 7 },
          ],
        },
      }),
    ).toEqual({
      provider_id: "someone",
      models: [
        {
          provider_id: "someone",
          model_id: "claude-a",
          name: "Claude A",
          input: ["text", "image"],
          context_tokens: 1_000_000,
          output_tokens: 128_000,
          thinking: ["effort"],
        },
        { provider_id: "someone", model_id: "claude-b" },
      ],
    })
  })

  it("reads what Mistral says of its models", async () =>
    expect(
      await finds("mistral-chat", {
        "/v1/models": {
          data: [
            {
              id: "mistral-a",
              max_context_length: 256_000,
              capabilities: {
                completion_chat: true,
                function_calling: true,
                vision: true,
                audio: false,
                reasoning: true,
              },
            },
            { id: "mistral-embed", capabilities: { completion_chat: false } },
          ],
        },
      }),
    ).toMatchObject({
      models: [
        {
          model_id: "mistral-a",
          input: ["text", "image"],
          context_tokens: 256_000,
          tools: true,
          thinking: ["off", "effort"],
        },
      ],
    }))

  it("asks Ollama about each model, and does without one that is gone", async () =>
    expect(
      await finds("openai-chat/ollama", {
        "/api/tags": {
          models: [{ name: "qwen3-vl:8b" }, { name: "gone" }, { name: "gpt-oss:20b" }],
        },
        "/api/show qwen3-vl:8b": {
          capabilities: ["completion", "vision", "tools"],
          model_info: { "qwen3vl.context_length": 262_144 },
        },
        "/api/show gpt-oss:20b": { capabilities: ["completion", "tools", "thinking"] },
      }),
    ).toMatchObject({
      models: [
        {
          model_id: "qwen3-vl:8b",
          input: ["text", "image"],
          context_tokens: 262_144,
          tools: true,
          thinking: [],
        },
        { model_id: "gpt-oss:20b", input: ["text"], tools: true, thinking: ["off", "effort"] },
      ],
    }))

  it("reads what llama.cpp runs, whatever it is called", async () =>
    expect(
      await finds("openai-chat/llama-cpp", {
        "/props": {
          modalities: { vision: true, audio: false },
          default_generation_settings: { n_ctx: 32_768 },
          model_path: "/models/gemma-3-4b.gguf",
        },
      }),
    ).toMatchObject({
      models: [
        { model_id: "default", input: ["text", "image"], context_tokens: 32_768 },
        { model_id: "gemma-3-4b.gguf", input: ["text", "image"], context_tokens: 32_768 },
      ],
    }))

  it("reads what LM Studio and vLLM list", async () => {
    expect(
      await finds("openai-chat/lm-studio", {
        "/api/v0/models": {
          data: [
            { id: "a", type: "vlm", max_context_length: 8192, capabilities: ["tool_use"] },
            { id: "b", type: "embeddings" },
          ],
        },
      }),
    ).toMatchObject({
      models: [{ model_id: "a", input: ["text", "image"], context_tokens: 8192, tools: true }],
    })
    expect(
      await finds("openai-chat/vllm", {
        "/v1/models": { data: [{ id: "a", max_model_len: 4096 }] },
      }),
    ).toMatchObject({ models: [{ model_id: "a", context_tokens: 4096 }] })
  })

  it("tells who does not answer", async () => {
    expect(await finds("openai-chat/vllm", {})).toMatchObject({
      error: expect.stringContaining("404"),
    })
    const nobody: Probe = {
      ...probeOf("openai-chat/vllm", "http://127.0.0.1:9"),
      provider_id: "vllm",
    }
    expect(await probe(nobody, signal)).toMatchObject({ error: expect.stringContaining("failed") })
  })
})

describe("probes", () => {
  it("are there for everyone who is set up and can be asked", async () => {
    const { base_url, seen } = await server({
      "/props": { modalities: { vision: true }, default_generation_settings: { n_ctx: 4096 } },
    })
    const environment = {
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: base_url,
      MISTRAL_API_KEY: "key",
      MISTRAL_BASE_URL: base_url,
      OLLAMA_HOST: base_url,
      COMPOSITOR_OPENAI_BASE_URL: `${base_url}/v1/`,
      COMPOSITOR_OPENAI_DIALECT: "llama-cpp",
      COMPOSITOR_OPENAI_API_KEY: "key",
    }
    const models = new KnownModels({ probes: probes(environment) })
    const choice = { provider_id: "llama-cpp", model_id: "default" }
    expect(models.find(choice)?.input).toEqual(["text"])
    const outcomes = await models.probe()
    expect(outcomes.map(({ provider_id }) => provider_id)).toEqual([
      "anthropic",
      "mistral",
      "ollama",
      "llama-cpp",
    ])
    expect(outcomes.filter((outcome) => "error" in outcome)).toHaveLength(3)
    expect(models.find(choice)).toMatchObject({ input: ["text", "image"], context_tokens: 4096 })
    const asked = seen.find(({ url }) => url === "/props")
    expect(asked?.headers).toMatchObject({ authorization: "Bearer key" })
    expect(probes({})).toEqual([])
  })
})
