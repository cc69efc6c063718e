import type { Probe } from "./probe.ts"
import { dialectOf, type Environment, ollamaUrl } from "./registry.ts"

/** The servers that can say what their models can do, by what stands in the environment. */
export function probes(environment: Environment): Probe[] {
  return [...anthropic(environment), ...mistral(environment), ...local(environment)]
}

function anthropic({ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL }: Environment): Probe[] {
  if (!key) return []
  const base_url = ANTHROPIC_BASE_URL || "https://api.anthropic.com"
  const headers = { "x-api-key": key, "anthropic-version": "2023-06-01" }
  return [{ provider_id: "anthropic", kind: "anthropic", base_url, headers }]
}

function mistral({ MISTRAL_API_KEY: key, MISTRAL_BASE_URL }: Environment): Probe[] {
  if (!key) return []
  const base_url = MISTRAL_BASE_URL || "https://api.mistral.ai"
  return [{ provider_id: "mistral", kind: "mistral", base_url, headers: bearer(key) }]
}

function local(environment: Environment): Probe[] {
  const { OLLAMA_HOST, COMPOSITOR_OPENAI_BASE_URL, COMPOSITOR_OPENAI_API_KEY } = environment
  const dialect = dialectOf(environment)
  const ollama = OLLAMA_HOST ? [localProbe("ollama", ollamaUrl(OLLAMA_HOST), undefined)] : []
  if (!dialect || !COMPOSITOR_OPENAI_BASE_URL) return ollama
  return [...ollama, localProbe(dialect.id, COMPOSITOR_OPENAI_BASE_URL, COMPOSITOR_OPENAI_API_KEY)]
}

/** What these servers say of themselves stands beside the version of the API, not under it. */
function localProbe(provider_id: string, url: string, key: string | undefined): Probe {
  const kind = KINDS[provider_id] ?? "models"
  const base_url = url.replace(/\/+$/, "").replace(/\/v1$/, "")
  return { provider_id, kind, base_url, headers: key ? bearer(key) : {} }
}

const KINDS: Readonly<Record<string, Probe["kind"]>> = {
  ollama: "ollama",
  "llama-cpp": "llama-cpp",
  "lm-studio": "lm-studio",
}

function bearer(key: string) {
  return { authorization: `Bearer ${key}` }
}
