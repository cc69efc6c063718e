import { newId } from "compositor-core/message/id"
import type { StoredMessage } from "compositor-core/message/row"
import { useApp, useStore } from "../state/context.ts"
import { BackIcon, BranchIcon, InspectIcon, MoreIcon, SidecarIcon } from "../controls/icons.tsx"
import { Menu, type MenuItem } from "../controls/menu.tsx"
import { usePanel } from "../panels/panels.ts"
import { beginSidecar } from "../panels/sidecar-actions.ts"
import { strings } from "../state/strings.ts"

const words = strings.message

/** What can be done from a message on. */
export function MessageMenu({ message }: { message: StoredMessage }) {
  const { actions } = useApp()
  const show = usePanel()
  const current = useStore((state) => state.current)
  const isOwn = message.role === "user"
  const beside = () => {
    if (!current) return
    const id = actions.try(() => beginSidecar(actions.store.client, current, message.id))
    show({ type: "sidecars", opened: { key: newId("ses"), id } })
  }
  const items: MenuItem[] = [
    {
      label: words.branch,
      icon: <BranchIcon className="size-4" />,
      run: () => void actions.branch(message.id),
    },
    {
      label: words.sidecar,
      icon: <SidecarIcon className="size-4" />,
      run: beside,
    },
  ]
  const rewind: MenuItem = {
    label: words.rewind,
    icon: <BackIcon className="size-4" />,
    run: () => void actions.rewind(message),
  }
  const inspect: MenuItem = {
    label: words.inspect,
    icon: <InspectIcon className="size-4" />,
    run: () => show({ type: "inspector", message: message.id }),
  }
  return (
    <Menu
      label={isOwn ? words.menuOwn : words.menuAnswer}
      className="size-6"
      items={isOwn ? [rewind, ...items, inspect] : items}
    >
      <MoreIcon className="size-3.5" />
    </Menu>
  )
}
