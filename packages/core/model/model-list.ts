import type { Modality } from "./capabilities.ts"
import type { Model } from "./models.ts"
import type { Price } from "./price.ts"

const TEXT: readonly Modality[] = ["text"]
const SIGHTED: readonly Modality[] = ["text", "image", "pdf"]
const SEES_IMAGES: readonly Modality[] = ["text", "image"]
const HEARS: readonly Modality[] = ["text", "audio"]
const EVERY_SENSE: readonly Modality[] = ["text", "image", "pdf", "audio", "video"]

type Row = Partial<Omit<Model, "provider_id" | "model_id" | "name">>

/** Models of one provider: what they share, then an id, a name and what is different for each. */
function family(
  provider_id: string,
  api: string,
  shared: Row,
  rows: readonly (readonly [model_id: string, name: string, more?: Row])[],
): Model[] {
  return rows.map(([model_id, name, more]) => ({
    provider_id,
    model_id,
    api,
    name,
    context_tokens: 128_000,
    output_tokens: 16_384,
    input: TEXT,
    tools: true,
    thinking: [],
    layers: [],
    ...shared,
    ...more,
  }))
}

const CLAUDE: Row = {
  context_tokens: 200_000,
  output_tokens: 64_000,
  input: SIGHTED,
  thinking: ["effort"],
}
const BUDGETED: Row = { thinking: ["off", "budget"] }
const LONG: Row = { context_tokens: 1_000_000, output_tokens: 128_000 }

/** Where reading the cache costs a tenth of input, and writing it a quarter more. The other models'
 *  prices come with the refreshed catalog. */
function dollars(input: number, output: number): Price {
  return { input, output, cache_read: input / 10, cache_write: input * 1.25 }
}

const GPT: Row = {
  context_tokens: 1_050_000,
  output_tokens: 128_000,
  input: SIGHTED,
  thinking: ["off", "effort"],
}
const GEMINI: Row = {
  context_tokens: 1_048_576,
  output_tokens: 65_536,
  input: EVERY_SENSE,
  thinking: ["effort"],
}

/** What a model on this machine is taken for until it was asked (`provider/probe.ts`). */
const LOCAL: Row = { context_tokens: 8192, output_tokens: 4096 }

/** The models we know by name. A provider's first entry is its default, and what we assume of a
 *  model of that provider that is not in the list. */
export const MODELS: readonly Model[] = [
  ...family("mirror", "mirror", { ...CLAUDE, thinking: [] }, [
    ["mirror", "Mirror — shows what a model would receive"],
    ["text", "Mirror without eyes — shows what a text-only model would receive", { input: TEXT }],
  ]),
  ...family("scripted", "scripted", { ...CLAUDE, thinking: [] }, [
    ["scripted", "Scripted — answers as a test told it to"],
  ]),
  ...family("anthropic", "anthropic-messages", CLAUDE, [
    ["claude-sonnet-5-5", "Claude Sonnet 5.5"],
    ["claude-opus-5-5", "Claude Opus 5.5"],
    ["claude-haiku-5-5", "Claude Haiku 5.5"],
    ["claude-opus-4-8", "Claude Opus 4.8", LONG],
    ["claude-opus-4-5", "Claude Opus 4.5", { ...BUDGETED, price: dollars(5, 25) }],
    ["claude-sonnet-4-5", "Claude Sonnet 4.5", { ...BUDGETED, price: dollars(3, 15) }],
    ["claude-haiku-4-5", "Claude Haiku 4.5", { ...BUDGETED, price: dollars(1, 5) }],
  ]),
  ...family("openai", "openai-responses", GPT, [
    ["gpt-5.6-sol", "GPT-5.6 Sol"],
    ["gpt-6-astra", "GPT-6 Astra", { thinking: ["effort"] }],
    ["gpt-5.6-terra", "GPT-5.6 Terra"],
    ["gpt-5.6-luna", "GPT-5.6 Luna"],
    ["gpt-5.4-mini", "GPT-5.4 mini", { context_tokens: 400_000 }],
  ]),
  ...family("openai-chat", "openai-chat", GPT, [
    ["gpt-5.6-sol", "GPT-5.6 Sol (Chat Completions)"],
    [
      "gpt-audio-mini",
      "GPT Audio mini",
      { context_tokens: 128_000, output_tokens: 16_384, input: HEARS, thinking: [] },
    ],
  ]),
  ...family("google", "gemini-generatecontent", GEMINI, [
    ["gemini-3.8-flash", "Gemini 3.8 Flash"],
    ["gemini-3.1-pro-preview", "Gemini 3.1 Pro"],
    ["gemini-3.1-flash-lite", "Gemini 3.1 Flash-Lite"],
    ["gemini-2.5-pro", "Gemini 2.5 Pro", { thinking: ["budget"] }],
    ["gemini-2.5-flash", "Gemini 2.5 Flash", { thinking: ["off", "budget"] }],
  ]),
  ...family(
    "mistral",
    "mistral-chat",
    { context_tokens: 256_000, output_tokens: 32_768, input: SEES_IMAGES },
    [
      ["mistral-medium-latest", "Mistral Medium", { thinking: ["off", "effort"] }],
      ["mistral-large-latest", "Mistral Large"],
      ["mistral-small-latest", "Mistral Small"],
      ["devstral-medium-latest", "Devstral Medium", { input: TEXT }],
      [
        "voxtral-small-latest",
        "Voxtral Small",
        { context_tokens: 32_000, output_tokens: 8192, input: HEARS, tools: false },
      ],
    ],
  ),
  ...family("amazon-bedrock", "bedrock-converse", CLAUDE, [
    ["global.anthropic.claude-sonnet-4-6", "Claude Sonnet 4.6 (Bedrock)"],
    ["global.anthropic.claude-opus-4-8", "Claude Opus 4.8 (Bedrock)", LONG],
    ["global.anthropic.claude-haiku-4-5-20251001-v1:0", "Claude Haiku 4.5 (Bedrock)", BUDGETED],
    [
      "global.amazon.nova-2-lite-v1:0",
      "Nova 2 Lite (Bedrock)",
      { ...LONG, output_tokens: 64_000, input: EVERY_SENSE },
    ],
    [
      "deepseek.v3.2",
      "DeepSeek V3.2 (Bedrock)",
      { context_tokens: 128_000, output_tokens: 16_384, input: TEXT, thinking: [] },
    ],
  ]),
  ...family("ollama", "openai-chat/ollama", LOCAL, [["gpt-oss:20b", "gpt-oss 20B (Ollama)"]]),
  ...family("llama-cpp", "openai-chat/llama-cpp", LOCAL, [["default", "llama.cpp"]]),
  ...family("vllm", "openai-chat/vllm", LOCAL, [["default", "vLLM"]]),
  ...family("lm-studio", "openai-chat/lm-studio", LOCAL, [["default", "LM Studio"]]),
  ...family("openai-compatible", "openai-chat/plain", LOCAL, [["default", "OpenAI-compatible"]]),
]
