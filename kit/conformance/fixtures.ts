import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** One message, and what it is on a wire: `conformance/lowering/README.md` tells the format. */
export interface LoweringCase {
  readonly name: string
  readonly sight: "vision" | "text-only"
  /** What the model must take beside its API; for others the case says nothing. */
  readonly takes?: string
  readonly parts: readonly object[]
  /** The messages of the request's body, without a system message and marks for caches. */
  readonly messages: readonly object[]
}

export interface LoweringFixture {
  readonly api: string
  /** Where the messages stand in a body. */
  readonly at: string
  /** Files of the workspace, in base64. */
  readonly files: Readonly<Record<string, string>>
  readonly cases: readonly LoweringCase[]
}

/** The fixtures that come with the kit. */
export const FIXTURES = fileURLToPath(new URL("../../conformance/lowering", import.meta.url))

export async function readFixtures(folder: string = FIXTURES): Promise<LoweringFixture[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json")).toSorted()
  const texts = names.map((name) => readFile(join(folder, name), "utf8"))
  return (await Promise.all(texts)).map((text) => JSON.parse(text) as LoweringFixture)
}

/** An example that a source document gives: `conformance/README.md` tells the format. */
export interface DocumentExample {
  readonly name: string
  readonly sent: "message" | "part" | "entity" | "memory" | "prompt"
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  /** What stands where the document has a placeholder. */
  readonly fill?: Readonly<Record<string, unknown>>
}

const DOCUMENTS = fileURLToPath(new URL("../../conformance/documents", import.meta.url))

/** The examples with their placeholders filled. */
export async function readExamples(): Promise<DocumentExample[]> {
  const names = (await readdir(DOCUMENTS)).filter((name) => name.endsWith(".json")).toSorted()
  const texts = await Promise.all(names.map((name) => readFile(join(DOCUMENTS, name), "utf8")))
  const examples = texts.flatMap((text) => JSON.parse(text).examples as DocumentExample[])
  return examples.map((example) => ({ ...example, body: filled(example.body, example.fill ?? {}) }))
}

function filled(value: unknown, fill: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string") return Object.hasOwn(fill, value) ? fill[value] : value
  if (Array.isArray(value)) return value.map((item) => filled(item, fill))
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filled(item, fill)]))
}

/** The messages of a body, without those that the system prompt takes on some wires, and without
 *  marks for caches: where those stand depends on the model. */
export function messagesIn(body: Readonly<Record<string, unknown>>, at: string): object[] {
  const messages = unmarked(body[at] ?? []) as { readonly role?: string }[]
  return messages.filter(({ role }) => role !== "system" && role !== "developer")
}

function unmarked(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => !isMark(item)).map(unmarked)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== "cache_control")
  return Object.fromEntries(entries.map(([key, item]) => [key, unmarked(item)]))
}

function isMark(value: unknown): boolean {
  return typeof value === "object" && value !== null && "cachePoint" in value
}

/** Whether what came is what was written. A descriptor, a text in square brackets, may say more
 *  before it closes: which way there is to read a file is the host's. */
export function matches(came: unknown, written: unknown): boolean {
  if (typeof written === "string" && typeof came === "string") return sameText(came, written)
  if (typeof written !== "object" || written === null) return came === written
  if (typeof came !== "object" || came === null) return false
  const [left, right] = [Object.entries(written), Object.keys(came)]
  if (Array.isArray(written) !== Array.isArray(came) || left.length !== right.length) return false
  return left.every(([key, value]) => matches((came as Record<string, unknown>)[key], value))
}

function sameText(came: string, written: string): boolean {
  if (!/^\[[^]*\]$/.test(written)) return came === written
  return came.startsWith(written.slice(0, -1)) && came.endsWith("]")
}
