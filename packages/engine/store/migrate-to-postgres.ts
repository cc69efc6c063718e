import { join } from "node:path"
import { moveToPostgres } from "./postgres/move.ts"

interface RowsMove {
  readonly data: string
  readonly url: string
  readonly progress: (done: number, total: number) => void
}

/** All rows of a data folder, into a PostgreSQL that has none yet. */
export function moveRows({ data, url, progress }: RowsMove) {
  return moveToPostgres({ file: join(data, "compositor.db"), url, progress })
}
