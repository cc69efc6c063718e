import type { AskServer, ModelProbe, ProbedModel } from "compositor-core/wires/define-wire"
import { urlOf } from "compositor-core/wires/define-wire"
import { ModelFacts } from "compositor-core/wires/layers"
import { type JsonRecord, parseJsonRecord } from "compositor-core/wires/read"
import { askSmall, type SmallRequest } from "./ask.ts"

/** Whom to ask what it can do, and in which way; its address is without the version of the API. */
export interface Probe extends ModelProbe {
  readonly provider_id: string
}

export type Probed =
  | { readonly provider_id: string; readonly models: readonly ModelFacts[] }
  | { readonly provider_id: string; readonly error: string }

const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_MODELS = 1000
const TIMEOUTS = { connect_ms: 3000, idle_ms: 10_000 }

/** What a server says of its models, as facts above the tables. Never throws. */
export async function probe(server: Probe, signal: AbortSignal): Promise<Probed> {
  const { provider_id } = server
  const get: AskServer = (path, json) => readPage(server, path, { signal, json })
  try {
    const found = (await server.read(get)).slice(0, MAX_MODELS)
    return { provider_id, models: found.flatMap((facts) => checked(provider_id, facts)) }
  } catch (error) {
    return { provider_id, error: error instanceof Error ? error.message : String(error) }
  }
}

async function readPage(
  { url, headers }: Probe,
  path: string,
  about: { readonly signal: AbortSignal; readonly json: unknown },
): Promise<JsonRecord> {
  const limits = { max_bytes: MAX_ANSWER_BYTES, timeouts: TIMEOUTS }
  const question: SmallRequest = { url: urlOf(url, path), headers, ...about, ...limits }
  const page = await askSmall(question)
  const body = parseJsonRecord(page.text)
  if (page.status !== 200 || !body)
    throw new Error(`${question.url} answered with status ${page.status} and no list of models`)
  return body
}

/** What a server says is data from outside too. */
function checked(provider_id: string, facts: ProbedModel): ModelFacts[] {
  const parsed = ModelFacts.safeParse({ ...facts, provider_id })
  return parsed.success ? [parsed.data] : []
}
