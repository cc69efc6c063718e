import type { JsonObject } from "./json.ts"

/** Content blocks of the Agent Client Protocol (v1), as a prompt carries them. */
export type AcpBlock =
  | { type: "text"; text: string; _meta?: AcpMeta }
  | { type: "image"; data: string; mimeType: string; uri?: string; _meta?: AcpMeta }
  | { type: "audio"; data: string; mimeType: string; _meta?: AcpMeta }
  | {
      type: "resource_link"
      uri: string
      name: string
      mimeType?: string
      size?: number
      _meta?: AcpMeta
    }
  | { type: "resource"; resource: AcpResource; _meta?: AcpMeta }

type AcpResource =
  | { uri: string; mimeType?: string; text: string }
  | { uri: string; mimeType?: string; blob: string }

/** `_meta` survives on every block; under our name it carries the part itself. */
interface AcpMeta {
  [name: string]: unknown
  compositor?: { part: JsonObject }
}

/** What has no address elsewhere is given one of this scheme. */
export const SCHEME = "compositor"

/** Text under an address of ours. */
export function resourceBlock(path: string, text: string, mimeType: string): AcpBlock {
  const uri = `${SCHEME}:${path.split("/").map(encodeURIComponent).join("/")}`
  return { type: "resource", resource: { uri, mimeType, text } }
}
