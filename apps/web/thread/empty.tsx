import { NEW } from "../state/actions.ts"
import { useApp, useStore } from "../state/context.ts"
import { chosenModel } from "../composer/model-picker.tsx"
import { strings } from "../state/strings.ts"

const words = strings.empty

/** Before the first message: what this is, and something to try. */
export function Empty({ onFilled }: { onFilled: () => void }) {
  const { desk } = useApp()
  const mirror = useStore((state) => chosenModel(state)?.provider_id === "mirror")
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <div className="mx-auto flex min-h-full max-w-2xl flex-col justify-center gap-3 px-6 py-8">
        <h2 className="text-2xl font-semibold tracking-tight text-balance">{words.title}</h2>
        <p className="text-muted">{words.text}</p>
        {mirror && <p className="text-muted">{words.mirror}</p>}
        <ul aria-label={words.examplesLabel} className="mt-3 grid gap-2 sm:grid-cols-3">
          {words.examples.map(({ label, text }) => (
            <li key={label}>
              <button
                type="button"
                onClick={() => {
                  desk.write(NEW, text)
                  onFilled()
                }}
                className="flex h-full w-full flex-col gap-1 rounded-xl border border-line bg-surface px-3.5 py-3 text-left transition-colors hover:border-accent"
              >
                <span className="text-sm font-medium">{label}</span>
                <span className="line-clamp-2 text-xs text-muted">{text}</span>
              </button>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}
