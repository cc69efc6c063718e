import type { Where } from "./answers.ts"

/** What lies in a folder of the workspace. */
export interface FolderEntry {
  readonly name: string
  /** From the workspace's root, with slashes. */
  readonly path: string
  readonly is_folder: boolean
  readonly size: number | null
}

/** A file that a message carries or names: its part and where it stands. */
export interface CarriedFile {
  readonly type: string
  readonly message_id: string
  readonly part_id: string
  readonly role: string
  readonly name?: string
  readonly mime?: string
  readonly size?: number
  readonly content_id?: string
  /** Where the bytes are in the part alone. */
  readonly data?: string
  readonly ref?: Readonly<Record<string, unknown>>
}

/** A file of the workspace by its path, or one that the session's messages carry. */
export type FilePlaced =
  | (Where & { readonly path: string })
  | { readonly session: string; readonly content_id: string; readonly name: string }

type Query = Readonly<Record<string, string | undefined>>
type Json = <T>(method: string, path: string, request?: { query?: Query }) => Promise<T>
type Raw = (method: string, path: string, request: { query?: Query }) => Promise<Response>

/** Files as a person looks at them. */
export function fileCalls(json: Json, raw: Raw) {
  return {
    files: {
      list: (query: Where & { folder?: string } = {}) =>
        json<{ folder: string; entries: readonly FolderEntry[]; more: boolean }>(
          "GET",
          "/v1/files",
          { query },
        ),
      /** What the messages of a session carry, the last first; `next` reads on. */
      carried: (session: string, query: { before?: string } = {}) =>
        json<{ files: readonly CarriedFile[]; next: string | null }>(
          "GET",
          `/v1/sessions/${encodeURIComponent(session)}/files`,
          { query },
        ),
      content: (query: FilePlaced & { readonly entry?: string }) =>
        raw("GET", "/v1/files/content", { query }),
      /** What an archive holds. */
      inside: (query: FilePlaced) =>
        json<{
          format: string
          entries: readonly { readonly name: string; readonly size: number | null }[]
          more: boolean
        }>("GET", "/v1/files/inside", { query }),
      /** The text that can be taken out of a document. */
      text: (query: FilePlaced) =>
        json<{ text: string; truncated: boolean; note?: string }>("GET", "/v1/files/text", {
          query,
        }),
    },
  }
}
