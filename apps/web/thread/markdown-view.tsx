import { memo, type ReactNode, useState } from "react"
import { growMarkdown, type MarkdownDocument } from "compositor-core/markdown/grow"
import type {
  MarkdownBlock,
  MarkdownInline,
  MarkdownInlines,
  MarkdownListItem,
  MarkdownTarget,
} from "compositor-core/markdown/tree"
import { strings } from "../state/strings.ts"
import { CodeBlock } from "./code-block.tsx"

/** An answer's text. While it grows, only its last blocks are read and drawn again. */
export const Markdown = memo(function Markdown({ text, live }: { text: string; live?: boolean }) {
  const [before, setBefore] = useState(() => growMarkdown(undefined, text))
  const document = before.text === text ? before : growMarkdown(before, text)
  if (document !== before) setBefore(document)
  return (
    <div className={live ? "prose live" : "prose"}>
      {withLevels(document).map(({ from, block, level }) => (
        <BlockView key={from} block={block} level={level} />
      ))}
    </div>
  )
})

/** Headings one below the other, whatever the answer skips: under the page's own h1 and h2. */
function withLevels({ blocks }: MarkdownDocument) {
  const used = [
    ...new Set(blocks.flatMap(({ block }) => (block.type === "heading" ? [block.level] : []))),
  ]
  const ranks = used.sort((a, b) => a - b)
  let above = 2
  return blocks.map(({ from, block }) => {
    if (block.type !== "heading") return { from, block, level: 0 }
    above = Math.min(6, above + 1, 3 + ranks.indexOf(block.level))
    return { from, block, level: above }
  })
}

interface BlockProps {
  readonly block: MarkdownBlock
  readonly level?: number
}

const BlockView = memo(function BlockView({ block, level = 0 }: BlockProps) {
  switch (block.type) {
    case "heading": {
      // Within a list or a quote it is only bold.
      const Heading = level === 0 ? "p" : (`h${level}` as "h3")
      return (
        <Heading className={`font-semibold ${HEADINGS[block.level - 1]}`}>
          <Inlines inlines={block.children} />
        </Heading>
      )
    }
    case "paragraph":
      return (
        <p>
          <Inlines inlines={block.children} />
        </p>
      )
    case "code":
      return <CodeBlock language={block.language} text={block.text} />
    case "quote":
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      )
    case "list":
      return block.start === null ? (
        <ul>
          <Items items={block.items} />
        </ul>
      ) : (
        <ol start={block.start}>
          <Items items={block.items} />
        </ol>
      )
    case "table":
      return <Table table={block} />
    case "rule":
      return <hr />
    case "html":
      return <p className="whitespace-pre-wrap">{block.text}</p>
    case "definition":
      return null
  }
})

const HEADINGS = ["text-[1.3em]!", "text-[1.16em]!", "text-[1.05em]!", "", "", ""]

function Blocks({ blocks }: { blocks: readonly MarkdownBlock[] }) {
  return blocks.map((block, at) => <BlockView key={at} block={block} />)
}

function Items({ items }: { items: readonly MarkdownListItem[] }) {
  return items.map(({ checked, blocks }, at) => {
    const [first, ...others] = blocks
    const isLine = first?.type === "paragraph" && (others.length === 0 || checked !== null)
    return (
      <li key={at}>
        {checked !== null && (
          <input
            type="checkbox"
            checked={checked}
            disabled
            className="mr-1.5 align-middle"
            aria-label={checked ? strings.message.done : strings.message.toDo}
          />
        )}
        {isLine && <Inlines inlines={first.children} />}
        <Blocks blocks={isLine ? others : blocks} />
      </li>
    )
  })
}

function Table({ table }: { table: Extract<MarkdownBlock, { type: "table" }> }) {
  const align = (column: number) => ({ textAlign: table.align[column] ?? "left" })
  return (
    <div className="overflow-x-auto rounded-lg border border-line" tabIndex={0} role="group">
      <table className="w-full border-collapse text-[0.93em]">
        <thead>
          <tr>
            {table.head.map((cell, column) => (
              <th key={column} style={align(column)} scope="col">
                <Inlines inlines={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} style={align(column)}>
                  <Inlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Inlines({ inlines }: { inlines: MarkdownInlines }) {
  return inlines.map((inline, at) => <InlineView key={at} inline={inline} />)
}

function InlineView({ inline }: { inline: MarkdownInline }) {
  switch (inline.type) {
    case "text":
    case "html":
      return inline.text
    case "code":
      return <code>{inline.text}</code>
    case "break":
      return <br />
    case "strong":
      return (
        <strong>
          <Inlines inlines={inline.children} />
        </strong>
      )
    case "emphasis":
      return (
        <em>
          <Inlines inlines={inline.children} />
        </em>
      )
    case "deleted":
      return (
        <del>
          <Inlines inlines={inline.children} />
        </del>
      )
    case "link":
      return (
        <Link target={inline} written="[">
          <Inlines inlines={inline.children} />
        </Link>
      )
    case "image":
      // A picture from elsewhere would tell a stranger that the answer was read: it is a link.
      return (
        <Link target={inline} written="![">
          {inline.alt}
        </Link>
      )
  }
}

interface LinkProps {
  readonly target: MarkdownTarget
  /** How it begins where it is shown as it was written. */
  readonly written: string
  readonly children: ReactNode
}

/** A link that may be opened, or one that stays as it was written: to a script, to a file of this
 *  machine, or to a place beside a page that nobody knows. */
function Link({ target: { opens, destination, title }, written, children }: LinkProps) {
  if (opens === null)
    return (
      <>
        {written}
        {children}
        {`](${destination})`}
      </>
    )
  return (
    <a href={opens} title={title || undefined} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  )
}
