import type { z } from "zod"
import type { AcpBlock } from "../acp/acp-block.ts"
import type { FileOrigin } from "../file/describe.ts"
import type { LoadedFile } from "../file/loaded-file.ts"
import type { Circumstances } from "../file/policy.ts"
import type { FileLocation } from "../file/slice.ts"
import type { LoweredPart } from "../file/verdict.ts"
import type { PartChip } from "./chip.ts"
import type { Schemas } from "./schemas.ts"

/** A part as it is written: in a row, in a request or an answer, in an export. Its type may be one that
 *  this version does not know. */
export interface PartData {
  readonly type: string
  readonly [field: string]: unknown
}

/** A list that holds one thing or nothing. */
export type AtMostOne<Thing> = readonly [] | readonly [Thing]

/** Says that a part has nothing of the kind that is asked for. */
export function none(): [] {
  return []
}

/** The ways by which a text of a part may have come in, as the ingress policy knows them. */
export type TextOrigin = "paste" | "ref" | "attachment" | "editor-context"

/** Where the texts of a part stand, and how each came in. A path without a star is running text, which
 *  is judged as a whole; `"payload.**"` is every string below `payload`, with its key; `"base64 …"` says
 *  that the text is bytes, which are judged as what they decode to. What no path names is judged as well,
 *  under the origin of the first path that does not name bytes. */
type TextPaths = Readonly<Record<string, TextOrigin | `base64 ${TextOrigin}`>>

/** A file that has to be read before a part can be lowered. */
export type FileRequest =
  /** A file of the workspace. `selected` is what stood there when somebody selected it. */
  | {
      readonly from: "workspace"
      readonly path: string
      readonly place: FileLocation
      readonly selected?: string | undefined
    }
  /** Bytes that were stored. */
  | {
      readonly from: "blob"
      readonly content_id: string
      readonly name: string
      readonly place: FileLocation
    }
  /** Bytes that the part carries, in base64. */
  | { readonly from: "part"; readonly data: string; readonly name: string }
  /** Bytes that nobody sent: only what they are is known. */
  | {
      readonly from: "nowhere"
      readonly name: string
      readonly mime: string
      readonly size: number | null
    }
  /** Something that is not fetched for a reference. */
  | { readonly from: "elsewhere"; readonly address: string }

/** What was found out about the bytes of a part when it came in. */
export interface StoredBytes {
  readonly content_id: string
  readonly mime: string
  readonly size: number
  /** What is wrong with them, where something is. */
  readonly condition?: string | undefined
  /** The bytes in base64, where the part may carry them along. */
  readonly data?: string | undefined
}

/** Something a tool can be given to reach what a part names (BEY-18). */
export interface PartHandle {
  readonly name: string
  /** Set where its bytes are stored. */
  readonly content_id?: string | undefined
}

/** Something that completion offers again because a message named it. */
export type NamedThing =
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: string; readonly name: string }

/** A piece of the source that a part is written as in a draft: text, or a node without its place. */
export type SourcePiece =
  | string
  | { readonly kind: string; readonly raw?: string; readonly [field: string]: unknown }

/** A part as a content block of the Agent Client Protocol. */
export interface AcpForm {
  readonly block: AcpBlock
  /** What another program cannot tell from the block. */
  readonly lost?: string
}

/** Who speaks: the user, a file word for word, the host, or somebody else. */
type Voice = "user" | "file" | "host" | "others"

/** Everything the product asks of a type of part. Its file is the only place that knows it by name. */
export interface PartDefinition<Part extends { readonly type: string }> {
  readonly type: Part["type"]
  /** The shape in which the part is written, made of what it is given: who draws parts loads no zod. */
  schema(schemas: Schemas): z.ZodType<Part>
  /** What the ingress policy reads of it. */
  readonly texts: TextPaths
  /** The stored bytes that live as long as the part does. */
  blobs(part: Part): AtMostOne<string>
  /** What tools can be given to reach it; `none` for a part that is no file. */
  handles(part: Part): AtMostOne<PartHandle>
  /** What lowering needs read beforehand; the engine reads it. */
  load(part: Part): AtMostOne<FileRequest>
  /** How a file of this part is called where it is shown. */
  readonly origin: FileOrigin
  /** What the model is shown. Pure: `file` is what `load` asked for. */
  lower(part: Part, at: Circumstances, file: LoadedFile | null): LoweredPart
  /** Who speaks in what lowering makes of it: only the host may write its own markers (TRU-001). */
  voice(part: Part): Voice
  /** The part in words: in a summary, a title, an export. */
  words(part: Part): string
  acp(part: Part, root: string | undefined): AcpForm
  /** The part as it is kept, with what is known of it once it came in. */
  keep(part: Part, about: { readonly now: number; readonly bytes?: StoredBytes }): Part
  /** How it is written in a draft; `none` for what no text can stand for. */
  source(part: Part): readonly SourcePiece[]
  /** What completion learns from it. */
  names(part: Part): readonly NamedThing[]
  readonly chip: PartChip<Part>
  readonly example: Part
}

/** Define a type of part. Every field is required: what a part does not have is written as `none`. */
export function definePart<Schema extends z.ZodType<{ readonly type: string }>>(
  definition: DefinedPart<Schema>,
): DefinedPart<Schema> {
  return definition
}

type DefinedPart<Schema extends z.ZodType<{ readonly type: string }>> = Omit<
  PartDefinition<z.output<Schema>>,
  "schema"
> & { schema(schemas: Schemas): Schema }

/** Keep a part as it came. */
export function asItCame<Part>(part: Part): Part {
  return part
}
