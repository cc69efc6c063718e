import { useEffect, useState } from "react"
import { Button } from "./controls/controls.tsx"
import { strings } from "./state/strings.ts"
import { enter, awaitToken } from "./state/token.ts"

const words = strings.gate

/** The page without a good token: it says what to do, and takes one. */
export function Gate({ reason }: { reason: "missing" | "refused" }) {
  const [written, setWritten] = useState("")
  useEffect(awaitToken, [])
  return (
    <main className="mx-auto flex h-full max-w-lg flex-col justify-center gap-4 px-6">
      <img src="/icon.svg" alt="" className="size-10" />
      <h1 className="text-2xl font-semibold">
        {reason === "missing" ? words.missingTitle : words.refusedTitle}
      </h1>
      <p className="text-muted">{words[reason]}</p>
      <form
        className="flex items-end gap-2"
        onSubmit={(event) => {
          event.preventDefault()
          if (written.trim() !== "") enter(written.trim())
        }}
      >
        <label className="min-w-0 flex-1 text-sm font-medium">
          {words.field}
          <input
            autoFocus
            autoComplete="off"
            spellCheck={false}
            value={written}
            onChange={(event) => setWritten(event.currentTarget.value)}
            className="mt-1 h-9 w-full rounded-lg border border-line-strong bg-surface px-3 text-ink"
          />
        </label>
        <Button type="submit" look="solid" disabled={written.trim() === ""}>
          {words.enter}
        </Button>
      </form>
      <p>{words.how}</p>
      <pre className="rounded-lg border border-line bg-sunken px-4 py-3 font-mono text-sm">
        {words.command}
      </pre>
    </main>
  )
}
