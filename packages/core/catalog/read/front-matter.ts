import { linesBefore } from "../finding.ts"
import { MAX_FRONT_MATTER_CHARACTERS } from "../limits.ts"
import { FrontMatterHead } from "./head.ts"
import { readYaml } from "./yaml.ts"

/** A Markdown file with a head: what its keys say, and the text below. */
export interface MarkdownFile {
  readonly head: FrontMatterHead
  readonly body: string
  /** The line of the file at which the body begins. */
  readonly line: number
}

/** Split a file into its YAML head and its body, whatever its byte order mark and line ends. A head
 *  that cannot be read is told of and left out: the body is still the author's. */
export function readMarkdown(text: string, path: string): MarkdownFile {
  const plain = withoutMark(text)
  return split(plain, path, FENCE.exec(plain))
}

/** Continue's `.prompt` files: their head needs no opening fence. */
export function readPromptFile(text: string, path: string): MarkdownFile {
  const plain = withoutMark(text)
  return split(plain, path, FENCE.exec(plain) ?? HALF_FENCE.exec(plain))
}

// Only `---` alone on its line: `---js` is no fence, and nothing in a head is ever run.
const FENCE = /^---[ \t]*\r?\n(?:([^]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/
const HALF_FENCE = /^([^]*?)\r?\n---[ \t]*(?:\r?\n|$)/
const KEY = /^["']?[\w-]+["']?[ \t]*:/m

export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

function split(text: string, path: string, fence: RegExpExecArray | null): MarkdownFile {
  // A file may begin with a rule: what has no key in it is no head.
  if (!fence || (fence[1] && !KEY.test(fence[1])))
    return { head: new FrontMatterHead(path, 1), ...bodyOf(text, 0) }
  const [whole, yaml = ""] = fence
  return {
    head: headOf(yaml, path, whole.startsWith("---") ? 2 : 1),
    ...bodyOf(text, whole.length),
  }
}

function bodyOf(text: string, from: number): { body: string; line: number } {
  const rest = text.slice(from)
  const blank = rest.length - rest.trimStart().length
  return { body: rest.trim(), line: 1 + linesBefore(text, from + blank) }
}

function headOf(yaml: string, path: string, firstLine: number): FrontMatterHead {
  if (yaml.length <= MAX_FRONT_MATTER_CHARACTERS)
    return new FrontMatterHead(path, firstLine, readYaml(yaml))
  const head = new FrontMatterHead(path, firstLine)
  head.note({
    level: "error",
    rule: "limit",
    message: `the head is longer than ${MAX_FRONT_MATTER_CHARACTERS} characters`,
  })
  return head
}
