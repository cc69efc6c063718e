import { memo, useState } from "react"
import { CheckIcon, CopyIcon } from "../controls/icons.tsx"
import { type Inline, inlineOf } from "./inline.ts"
import { type Block, grow, type Item, type Parsed } from "./markdown.ts"
import { strings } from "../state/strings.ts"

/** An answer's text. While it grows, only its last blocks are read and drawn again. */
export const Markdown = memo(function Markdown({ text, live }: { text: string; live?: boolean }) {
  const [before, setBefore] = useState(() => grow(undefined, text))
  const parsed = before.text === text ? before : grow(before, text)
  if (parsed !== before) setBefore(parsed)
  return (
    <div className={live ? "prose live" : "prose"}>
      {levelled(parsed).map(({ from, block, level }) => (
        <BlockView key={from} block={block} level={level} />
      ))}
    </div>
  )
})

/** Headings one below the other, whatever the answer skips: under the page's own h1 and h2. */
function levelled({ blocks }: Parsed) {
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

const BlockView = memo(function BlockView({ block, level = 0 }: { block: Block; level?: number }) {
  switch (block.type) {
    case "heading": {
      // Within a list or a quote it is only bold.
      const Heading = level === 0 ? "p" : (`h${level}` as "h3")
      return (
        <Heading className={`font-semibold ${HEADINGS[block.level - 1]}`}>
          <Inlines source={block.text} />
        </Heading>
      )
    }
    case "paragraph":
      return (
        <p>
          <Inlines source={block.text} />
        </p>
      )
    case "fence":
      return <Fence language={block.language} text={block.text} />
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
  }
})

const HEADINGS = ["text-[1.3em]!", "text-[1.16em]!", "text-[1.05em]!", "", "", ""]

function Blocks({ blocks }: { blocks: readonly Block[] }) {
  return blocks.map((block, at) => <BlockView key={at} block={block} />)
}

function Items({ items }: { items: readonly Item[] }) {
  return items.map(({ checked, blocks }, at) => {
    const [first] = blocks
    const tight = blocks.length === 1 && first?.type === "paragraph"
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
        {tight ? <Inlines source={first.text} /> : <Blocks blocks={blocks} />}
      </li>
    )
  })
}

function Table({ table }: { table: Extract<Block, { type: "table" }> }) {
  const align = (column: number) => ({ textAlign: table.align[column] ?? "left" })
  return (
    <div className="overflow-x-auto rounded-lg border border-line" tabIndex={0} role="group">
      <table className="w-full border-collapse text-[0.93em]">
        <thead>
          <tr>
            {table.head.map((cell, column) => (
              <th key={column} style={align(column)} scope="col">
                <Inlines source={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} style={align(column)}>
                  <Inlines source={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export function Fence({ language, text }: { language: string; text: string }) {
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-sunken">
      <div className="flex h-8 items-center justify-between border-b border-line pr-1 pl-3 text-xs text-muted">
        <span>{language || "text"}</span>
        <CopyButton text={text} label={strings.message.copyCode} />
      </div>
      <pre
        className="overflow-x-auto px-3 py-2.5 font-mono text-[0.85em] leading-normal"
        tabIndex={0}
      >
        <code>{text}</code>
      </pre>
    </div>
  )
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      return // The browser says no; nothing was copied and nothing says it was.
    }
    setCopied(true)
    setTimeout(() => setCopied(false), 1600)
  }
  return (
    <button
      type="button"
      onClick={() => void copy()}
      aria-label={copied ? strings.message.copied : label}
      title={label}
      className="inline-flex h-6 items-center gap-1 rounded-md px-1.5 text-xs text-muted hover:bg-hover hover:text-ink"
    >
      {copied ? <CheckIcon className="size-3.5" /> : <CopyIcon className="size-3.5" />}
      <span aria-hidden="true">{copied ? strings.message.copied : strings.message.copy}</span>
    </button>
  )
}

const Inlines = memo(function Inlines({ source }: { source: string }) {
  return <InlineViews inlines={inlineOf(source)} />
})

function InlineViews({ inlines }: { inlines: readonly Inline[] }) {
  return inlines.map((inline, at) => <InlineView key={at} inline={inline} />)
}

function InlineView({ inline }: { inline: Inline }) {
  switch (inline.type) {
    case "text":
      return inline.text
    case "code":
      return <code>{inline.text}</code>
    case "break":
      return <br />
    case "strong":
      return (
        <strong>
          <InlineViews inlines={inline.children} />
        </strong>
      )
    case "emphasis":
      return (
        <em>
          <InlineViews inlines={inline.children} />
        </em>
      )
    case "deleted":
      return (
        <del>
          <InlineViews inlines={inline.children} />
        </del>
      )
    case "link":
      return (
        <a href={inline.url} target="_blank" rel="noopener noreferrer">
          <InlineViews inlines={inline.children} />
        </a>
      )
  }
}
