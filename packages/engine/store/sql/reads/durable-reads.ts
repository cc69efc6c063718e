import { lifeOf, type StreamFound, type StreamPage } from "../../../streams/stream.ts"
import { type DurableRecord, headOf, pageOf } from "../durable-rows.ts"
import type { SqlReader, Program } from "../program.ts"

/** Reads streams that anybody may append to. */
export class DurableReads {
  readonly #asking: SqlReader

  constructor(asking: SqlReader) {
    this.#asking = asking
  }

  *stream(path: string, now: number): Program<StreamFound> {
    const record = yield* this.#asking.get<DurableRecord>(
      "SELECT * FROM durable_streams WHERE path = ?",
      path,
    )
    if (record?.deleted) return { type: "gone", message: `${path} was deleted` }
    const ends = record ? lifeOf(record, record.used_at) : null
    if (!record || (ends !== null && now >= ends))
      return { type: "missing", message: `there is no stream ${path}` }
    return { type: "found", head: headOf(record) }
  }

  *streamPage(id: string, page: { from: number; max_bytes: number }): Program<StreamPage | null> {
    const record = yield* this.#asking.get<DurableRecord>(
      "SELECT * FROM durable_streams WHERE id = ?",
      id,
    )
    return record && !record.deleted ? yield* pageOf(this.#asking, record, page) : null
  }
}
