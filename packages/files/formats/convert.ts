import { mkdtemp } from "node:fs/promises"
import { join } from "node:path"
import { printFragment } from "compositor-core/message/file-location"
import {
  CONVERT_LIMITS,
  type ConvertFile,
  type ConvertLimits,
  type ConvertRequest,
  type Converted,
  refuseConversion,
} from "./converted.ts"
import { formatOf } from "./formats.ts"
import type { Transcriber } from "./transcriber.ts"

export interface ConvertOptions {
  readonly signal?: AbortSignal | undefined
  /** A folder of ours: each conversion makes one of its own in it, and leaves its files there. */
  readonly scratch: string
  readonly limits?: Partial<ConvertLimits> | undefined
  readonly transcriber?: Transcriber | undefined
}

/** Make text, pictures or a PDF of a file. Whatever the file does, this ends within its limits and
 *  with an answer; a refusal says why, and what to install where that is the reason. */
export async function convert(
  file: ConvertFile,
  request: ConvertRequest,
  options: ConvertOptions,
): Promise<Converted> {
  const limits = { ...CONVERT_LIMITS, ...options.limits }
  const format = formatOf(file)
  const way = format?.to[request.to]
  if (!format)
    return refuseConversion(`Nothing is known of the format of ${file.name} (${file.mime}).`)
  if (!way)
    return refuseConversion(`${file.name} is ${format.name}; it cannot be made into ${request.to}.`)
  const fragment = request.place?.fragment
  if (fragment && !way.units.includes(fragment.unit))
    return refuseConversion(
      `${file.name} is ${format.name}: #${printFragment(fragment)} names no place in it as ${request.to}.`,
    )
  if (file.size > limits.input_bytes)
    return refuseConversion(
      `${file.name} has ${file.size} bytes; at most ${limits.input_bytes} are converted.`,
    )
  if (file.size === 0) return refuseConversion(`${file.name} is empty.`)
  const scratch = await mkdtemp(join(options.scratch, "convert-"))
  const { signal, transcriber } = options
  return way.route(file, request, { signal, transcriber, scratch, limits })
}
