import { Dialog, DialogHead } from "../controls/dialog.tsx"
import { helpStrings } from "../state/strings/help.ts"

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl"

export default function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog label={helpStrings.title} onClose={onClose}>
      <DialogHead title={helpStrings.title} onClose={onClose} />
      <dl className="grid max-h-[70dvh] grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2.5 overflow-y-auto text-sm">
        {helpStrings.keys.map(([keys, what]) => (
          <div key={keys} className="col-span-2 grid grid-cols-subgrid">
            <dt>
              <kbd className="rounded-md border border-line-strong bg-sunken px-1.5 py-0.5 font-mono text-xs whitespace-nowrap">
                {keys.replace("Mod", MOD)}
              </kbd>
            </dt>
            <dd className="text-muted">{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
