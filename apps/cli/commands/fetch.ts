import { UsageError } from "../complain.ts"
import { showSize } from "../show.ts"
import { printJson, printLine, tellLine } from "../print.ts"

interface FetchCommandOptions {
  readonly json?: boolean
  readonly allow?: readonly string[]
  readonly maxBytes?: string
  /** A page as it is, and not as text. */
  readonly raw?: boolean
}

const REFUSED = 1

/** Fetch a public address as `web_fetch` does, and show what came or why nothing did. */
export async function fetchCommand(address: string, options: FetchCommandOptions) {
  const { fetchUrl } = await import("compositor-files/fetch/fetch")
  const { pageText } = await import("compositor-files/fetch/page-text")
  const fetched = await fetchUrl(address, {
    ...(options.raw ? {} : { read_html: pageText }),
    ...(options.allow ? { allow: options.allow } : {}),
    ...(options.maxBytes === undefined ? {} : { max_bytes: bytesOf(options.maxBytes) }),
  })
  if (fetched.type === "refused") {
    process.exitCode = REFUSED
    return options.json ? printJson(fetched) : printLine(`Not fetched: ${fetched.reason}.`)
  }
  const { bytes, ...about } = fetched
  if (options.json) return printJson({ ...about, size: bytes.length })
  const { url, status, mime, text, truncated } = about
  tellLine(`${status}  ${mime}  ${showSize(bytes.length)}  ${url}`)
  printLine(text ?? `[${mime}, ${showSize(bytes.length)}: no text]`)
  if (truncated) tellLine("There was more than is fetched.")
}

function bytesOf(text: string): number {
  const bytes = Number(text)
  if (Number.isSafeInteger(bytes) && bytes > 0) return bytes
  throw new UsageError(`--max-bytes ${text}: say a number of bytes`)
}
