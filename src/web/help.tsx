import { Dialog } from "@base-ui/react/dialog"
import { IconButton } from "./controls.tsx"
import { CloseIcon } from "./icons.tsx"
import { strings } from "./strings.ts"

const MOD = /Mac|iPhone|iPad/.test(navigator.userAgent) ? "⌘" : "Ctrl"

export function Help({
  open,
  onOpenChange,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
}) {
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed top-1/2 left-1/2 z-50 w-[min(30rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 rounded-2xl border border-line bg-surface p-5 shadow-xl outline-none">
          <div className="mb-3 flex items-center justify-between">
            <Dialog.Title className="text-lg font-semibold">{strings.help.title}</Dialog.Title>
            <Dialog.Close
              render={
                <IconButton label={strings.help.close}>
                  <CloseIcon />
                </IconButton>
              }
            />
          </div>
          <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2.5 text-sm">
            {strings.help.keys.map(([keys, what]) => (
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
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
