import { z } from "zod"
import { ContentId, FileReference, shortName } from "../message/file-reference.ts"

/** What the shape of a part is written with. A definition is given it and does not import it: whoever only
 *  lowers or shows parts loads no zod. */
export const SCHEMAS = { z, shortName, contentId: ContentId, fileReference: FileReference }

export type Schemas = typeof SCHEMAS
