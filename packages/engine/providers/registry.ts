import { readFileSync } from "node:fs"
import { findModel } from "compositor-core/model/models"
import { anthropicMessages } from "./anthropic-messages.ts"
import { bedrockConverse, type Credentials } from "./bedrock-converse.ts"
import { geminiGenerateContent } from "./gemini-generatecontent.ts"
import { mirror } from "./mirror.ts"
import { mistralChat } from "./mistral-chat.ts"
import { openaiChat } from "./openai-chat.ts"
import { DIALECTS, type Dialect } from "./openai-dialects.ts"
import { openaiResponses } from "./openai-responses.ts"
import type { Provider } from "./provider.ts"
import { patient } from "./retry.ts"
import { type Script, scripted, scriptFromText } from "./scripted.ts"

/** `COMPOSITOR_SCRIPT` names the file that tells the scripted model what to answer;
 *  `COMPOSITOR_PACE_MS` is the mirror's pace; the rest is in `SETUPS`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The providers that can be asked here, by id. */
export function providers(environment: Environment): Map<string, Provider> {
  const asked = SETUPS.flatMap((setup) => setup(environment)).map((provider) => patient(provider))
  const known = [
    mirror({ pace_ms: paceOf(environment) }),
    scripted(scriptOf(environment)),
    ...asked,
  ]
  return new Map(known.map((provider) => [provider.id, provider]))
}

/** The model that answers when nobody chose one: of the first provider that is set up, and the
 *  mirror when none is. */
export function defaultModel(environment: Environment): {
  readonly provider_id: string
  readonly model_id: string
} {
  const [first] = SETUPS.flatMap((setup) => setup(environment))
  const provider_id = first?.id ?? "mirror"
  const named =
    provider_id === dialectOf(environment)?.id ? environment.COMPOSITOR_OPENAI_MODEL : ""
  const model_id = named || findModel({ provider_id, model_id: provider_id })?.model_id
  return { provider_id, model_id: model_id ?? provider_id }
}

/** One wire API without anyone to call: enough to show the body of a request. */
export function wireOf(
  api: string,
): Pick<Provider, "api" | "encode" | "body" | "fold"> | undefined {
  return WIRES.find((wire) => wire.api === api)
}

const NOBODY = { api_key: "" }

const WIRES: readonly Provider[] = [
  anthropicMessages(NOBODY),
  openaiResponses(NOBODY),
  ...DIALECTS.map((dialect) => openaiChat({ dialect })),
  geminiGenerateContent(NOBODY),
  bedrockConverse({ region: "", credentials: { type: "bearer", token: "" } }),
  mistralChat(NOBODY),
  mirror(),
  scripted(),
]

function paceOf({ COMPOSITOR_PACE_MS }: Environment): number | undefined {
  const pace = Number.parseInt(COMPOSITOR_PACE_MS ?? "", 10)
  return Number.isNaN(pace) ? undefined : Math.max(0, pace)
}

// Read for each call, so that a test can change its mind while the server runs.
function scriptOf({ COMPOSITOR_SCRIPT }: Environment): Script | undefined {
  if (!COMPOSITOR_SCRIPT) return undefined
  return (call) => scriptFromText(readFileSync(COMPOSITOR_SCRIPT, "utf8"))(call)
}

/** Who can be asked, by what stands in the environment; the first one that is set up is the
 *  default. */
const SETUPS: readonly ((environment: Environment) => Provider[])[] = [
  anthropic,
  openai,
  google,
  mistral,
  bedrock,
  compatible,
  ollama,
]

function anthropic({ ANTHROPIC_API_KEY: api_key, ANTHROPIC_BASE_URL }: Environment): Provider[] {
  return api_key ? [anthropicMessages({ api_key, base_url: ANTHROPIC_BASE_URL || undefined })] : []
}

function openai({ OPENAI_API_KEY: api_key, OPENAI_BASE_URL }: Environment): Provider[] {
  if (!api_key) return []
  const options = { api_key, base_url: OPENAI_BASE_URL || undefined }
  return [openaiResponses(options), openaiChat(options)]
}

function google(environment: Environment): Provider[] {
  const { GEMINI_API_KEY, GOOGLE_API_KEY, GEMINI_BASE_URL } = environment
  const api_key = GEMINI_API_KEY || GOOGLE_API_KEY
  return api_key ? [geminiGenerateContent({ api_key, base_url: GEMINI_BASE_URL || undefined })] : []
}

function mistral({ MISTRAL_API_KEY: api_key, MISTRAL_BASE_URL }: Environment): Provider[] {
  return api_key ? [mistralChat({ api_key, base_url: MISTRAL_BASE_URL || undefined })] : []
}

function bedrock(environment: Environment): Provider[] {
  const { AWS_REGION, AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_BEDROCK_RUNTIME } = environment
  const region = AWS_REGION || AWS_DEFAULT_REGION
  const credentials = awsCredentials(environment)
  if (!region || !credentials) return []
  const base_url = AWS_ENDPOINT_URL_BEDROCK_RUNTIME || undefined
  return [bedrockConverse({ region, credentials, base_url })]
}

function awsCredentials(environment: Environment): Credentials | undefined {
  const { AWS_BEARER_TOKEN_BEDROCK: token, AWS_SESSION_TOKEN: session_token } = environment
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = environment
  if (token) return { type: "bearer", token }
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined
  return {
    type: "key-pair",
    access_key_id: AWS_ACCESS_KEY_ID,
    secret_access_key: AWS_SECRET_ACCESS_KEY,
    session_token: session_token || undefined,
  }
}

/** Any server that speaks Chat Completions: `COMPOSITOR_OPENAI_BASE_URL`, with
 *  `COMPOSITOR_OPENAI_DIALECT` where it is one that we know, `…_API_KEY` where it wants one and
 *  `…_MODEL` for the model that answers when nobody chose one. */
function compatible(environment: Environment): Provider[] {
  const { COMPOSITOR_OPENAI_BASE_URL: base_url, COMPOSITOR_OPENAI_API_KEY } = environment
  const dialect = dialectOf(environment)
  if (!base_url || !dialect) return []
  return [openaiChat({ base_url, dialect, api_key: COMPOSITOR_OPENAI_API_KEY || undefined })]
}

/** The dialect of the server at `COMPOSITOR_OPENAI_BASE_URL`. Throws when nobody speaks it. */
export function dialectOf(environment: Environment): Dialect | undefined {
  const { COMPOSITOR_OPENAI_BASE_URL, COMPOSITOR_OPENAI_DIALECT } = environment
  if (!COMPOSITOR_OPENAI_BASE_URL) return undefined
  const named = COMPOSITOR_OPENAI_DIALECT || "plain"
  const dialect = DIALECTS.find(({ name }) => name === named)
  if (dialect) return dialect
  const known = DIALECTS.map(({ name }) => name).join(", ")
  throw new Error(`COMPOSITOR_OPENAI_DIALECT is "${named}"; the dialects are ${known}`)
}

function ollama({ OLLAMA_HOST }: Environment): Provider[] {
  const dialect = DIALECTS.find(({ id }) => id === "ollama")
  return OLLAMA_HOST && dialect ? [openaiChat({ base_url: ollamaUrl(OLLAMA_HOST), dialect })] : []
}

const OLLAMA_PORT = "11434"

/** As Ollama reads it: a scheme and a port may be missing, and `0.0.0.0` means everywhere. */
export function ollamaUrl(host: string): string {
  const url = new URL(/^https?:\/\//.test(host) ? host : `http://${host}`)
  if (url.port === "" && !/:\d+\/?$/.test(host) && url.protocol === "http:") url.port = OLLAMA_PORT
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"
  return `${url.origin}/v1`
}
