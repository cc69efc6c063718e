import { useApp, useStore } from "../state/context.ts"
import { Button } from "../controls/controls.tsx"
import { panelStrings as words } from "../state/strings/shelf.ts"

interface TrustButtonProps {
  /** The file, and what it was when it was shown. */
  readonly file: { readonly path: string; readonly digest?: string }
  readonly isTrusted: boolean
  readonly onChanged: () => void
}

/** Says yes to a file that came with the project, as it is now, or takes that back. */
export function TrustButton({ file, isTrusted, onChanged }: TrustButtonProps) {
  const { actions, store } = useApp()
  const session = useStore((state) => state.current)
  const set = () =>
    actions.try(async () => {
      const where = session ? { session } : {}
      await store.client.commands.trust({ ...file, trusted: !isTrusted, ...where })
      onChanged()
    })
  return (
    <Button look={isTrusted ? "plain" : "outline"} onClick={() => void set()}>
      {isTrusted ? words.untrust : words.trust}
    </Button>
  )
}
