import type { TranscriberSettings } from "../settings.ts"

/** Who turns speech into text: a server that speaks as OpenAI's does, or a program on this machine. */
export type Transcriber =
  | {
      readonly type: "server"
      /** The whole address, which ends in `/audio/transcriptions`. */
      readonly url: string
      readonly model: string
      readonly key?: string | undefined
      readonly fetch: (url: string, init: RequestInit) => Promise<Response>
    }
  | { readonly type: "program"; readonly model_path: string }

/** Who transcribes by the user's settings; nobody where they name none. */
export function transcriberOf(
  settings: TranscriberSettings | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Transcriber | undefined {
  if (settings?.type !== "server") return settings
  const { type, url, model, key_variable } = settings
  const key = key_variable === undefined ? undefined : environment[key_variable]
  return { type, url, model, key, fetch: (address, init) => fetch(address, init) }
}
