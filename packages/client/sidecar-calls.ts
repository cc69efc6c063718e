import type { BroughtBack, QuoteAnswer, SidecarClosed } from "./answers.ts"

type Json = <T>(method: string, path: string, request: { body: object }) => Promise<T>

/** What can be done with a side conversation beside talking in it. */
export function sidecarCalls(json: Json) {
  const at = (id: string, verb: string) => `/v1/sessions/${encodeURIComponent(id)}/${verb}`
  return {
    sidecars: {
      close: (id: string, as: "keep" | "promote" | "delete" = "keep") =>
        json<SidecarClosed>("POST", at(id, "close"), { body: { as } }),
      /** What was said there, as a quote in the parent's draft. */
      bringBack: (id: string, body: BroughtBack) =>
        json<QuoteAnswer>("POST", at(id, "bring-back"), { body }),
    },
  }
}
