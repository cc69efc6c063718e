import { useCallback, useEffect, useState } from "react"
import type { InstructionFile } from "compositor-client/client"
import { useApp, useWhere } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { trustStrings as words } from "../state/strings/trust.ts"

/** Asks once for each folder whether its instructions may speak; until then they are quoted. */
export function TrustCard() {
  const { actions, store } = useApp()
  const where = useWhere()
  const [files, askAgain] = useUntrusted(where)
  const [isOpen, setOpen] = useState(false)
  const [kept, setKept] = useState(() => localStorage.getItem(KEPT_KEY))
  const asked = files.map(({ path, digest }) => `${path} ${digest}`).join("\n")
  if (files.length === 0 || kept?.split("\n\n").includes(asked)) return null
  const names = files.map(({ path }) => path.split("/").at(-1)).join(", ")
  const trust = () =>
    actions.try(async () => {
      const seen = files.map(({ path, digest }) => ({ path, digest }))
      await store.client.commands.trust({ ...where, files: seen })
      askAgain()
    })
  const keep = () => {
    const next = [...(kept?.split("\n\n") ?? []).slice(-MAX_KEPT), asked].join("\n\n")
    localStorage.setItem(KEPT_KEY, next)
    setKept(next)
  }
  return (
    <section
      aria-label={words.label}
      className="mb-2 rounded-xl border border-line bg-sunken px-3 py-2 text-sm text-muted"
    >
      <p>{words.quoted(names)}</p>
      {isOpen && files.map((file) => <Content key={file.path} file={file} />)}
      <div className="mt-1.5 flex flex-wrap gap-2">
        <Button look="outline" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.hide : words.look}
        </Button>
        <Button look="outline" onClick={() => void trust()}>
          {words.trust}
        </Button>
        <Button onClick={keep}>{words.keep}</Button>
      </div>
    </section>
  )
}

/** Folders whose instructions a person wants quoted, as they were then. */
const KEPT_KEY = "compositor.quoted"
const MAX_KEPT = 100

function Content({ file: { path, text } }: { file: InstructionFile }) {
  return (
    <figure className="mt-2">
      <figcaption className="font-mono text-xs [overflow-wrap:anywhere]">{path}</figcaption>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by keyboard */}
      <pre
        tabIndex={0}
        className="mt-1 max-h-48 overflow-auto rounded-lg border border-line bg-surface p-2 text-xs whitespace-pre-wrap text-ink [overflow-wrap:anywhere]"
      >
        {text}
      </pre>
    </figure>
  )
}

/** The folder's instructions that nobody has trusted; looked for again when the page is come back to. */
function useUntrusted(where: {
  readonly session?: string
}): [readonly InstructionFile[], () => void] {
  const { store } = useApp()
  const [files, setFiles] = useState<readonly InstructionFile[]>([])
  const ask = useCallback(
    (isWanted: () => boolean = () => true) => {
      const found = store.client.commands
        .instructions(where)
        .then(({ files }) => files.filter(({ trusted }) => !trusted))
        // Who may not trust anything is not asked to.
        .catch(() => [])
      void found.then((untrusted) => isWanted() && setFiles(untrusted))
    },
    [store, where],
  )
  useEffect(() => {
    let isWanted = true
    const askNow = () => ask(() => isWanted)
    askNow()
    window.addEventListener("focus", askNow)
    return () => {
      isWanted = false
      window.removeEventListener("focus", askNow)
    }
  }, [ask])
  return [files, ask]
}
