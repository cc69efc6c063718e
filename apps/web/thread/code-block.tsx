import { useState } from "react"
import { CheckIcon, CopyIcon } from "../controls/icons.tsx"
import { strings } from "../state/strings.ts"

/** Code as it was written, with a button that copies it. */
export function CodeBlock({ language, text }: { language: string; text: string }) {
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
