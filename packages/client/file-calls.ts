import type { FilePlaced } from "compositor-core/contract/files"
import type { Ask, AskRaw, QueryOf } from "./ask.ts"

/** Files as a person looks at them. */
export function fileCalls(json: Ask, raw: AskRaw) {
  return {
    files: {
      list: (query: QueryOf<"GET /v1/files"> = {}) => json("GET /v1/files", [], { query }),
      /** What the messages of a session carry, the last first; `next` reads on. */
      carried: (session: string, query: { before?: string } = {}) =>
        json("GET /v1/sessions/:id/files", [session], { query }),
      content: (query: FilePlaced & { readonly entry?: string }) =>
        raw("GET /v1/files/content", [], { query }),
      /** What an archive holds. */
      inside: (query: FilePlaced) => json("GET /v1/files/inside", [], { query }),
      /** The text that can be taken out of a document. */
      text: (query: FilePlaced) => json("GET /v1/files/text", [], { query }),
    },
  }
}
