import type { Part } from "../parts/table.ts"
import type { LoadedFile } from "../file/loaded-file.ts"

/** A part and the id that its receipt and its capture carry. */
export interface NamedPart {
  readonly id: string
  readonly part: Part
}

/** A part with all that lowering needs of the world: nothing is read after this. */
export interface LoadedPart extends NamedPart {
  /** For refs, attachments and file mentions; the other parts are their own content. */
  readonly file: LoadedFile | null
}
