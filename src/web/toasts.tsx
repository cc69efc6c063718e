import { Toast } from "@base-ui/react/toast"
import { IconButton, looks } from "./controls.tsx"
import { CloseIcon } from "./icons.tsx"
import { strings } from "./strings.ts"

export const toasts = Toast.createToastManager()

export function say(text: string, action?: { label: string; run: () => void }) {
  const id = toasts.add({
    // The same words twice are one notice.
    id: text,
    description: text,
    timeout: action ? 10_000 : 8_000,
    priority: action ? "low" : "high",
    ...(action
      ? {
          actionProps: {
            children: action.label,
            onClick: () => {
              toasts.close(id)
              action.run()
            },
          },
        }
      : {}),
  })
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={toasts} limit={4}>
      <Toast.Portal>
        <Toast.Viewport
          aria-label={strings.toast.region}
          className="fixed top-14 right-4 left-4 z-50 flex flex-col items-end gap-2 sm:left-auto sm:w-96"
        >
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts } = Toast.useToastManager()
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      swipeDirection={["right", "up"]}
      className="w-full rounded-xl border border-line-strong bg-surface text-sm text-ink shadow-lg transition-all duration-200 data-[ending-style]:translate-x-4 data-[ending-style]:opacity-0 data-[starting-style]:translate-x-4 data-[starting-style]:opacity-0"
    >
      <Toast.Content className="flex items-start gap-2 py-2 pr-2 pl-4">
        <Toast.Description className="min-w-0 flex-1 py-1.5 break-words" />
        {toast.actionProps && <Toast.Action className={looks("outline")} />}
        <Toast.Close
          render={
            <IconButton label={strings.toast.close}>
              <CloseIcon className="size-4" />
            </IconButton>
          }
        />
      </Toast.Content>
    </Toast.Root>
  ))
}
