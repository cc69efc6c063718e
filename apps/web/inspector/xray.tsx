import type { StoredMessage } from "compositor-core/message/row"
import { Button } from "../controls/controls.tsx"
import { Panel } from "../panels/panel.tsx"
import { xrayStrings as words } from "../state/strings/xray.ts"
import { DraftXray } from "./xray-draft.tsx"
import { SentXray } from "./xray-sent.tsx"

interface XrayProps {
  readonly message: StoredMessage | undefined
  readonly isRestored: boolean
  readonly onBack: () => void
  readonly onClose: () => void
}

/** What the model will see of the draft, or saw of a message. */
export default function Xray({ message, isRestored, onBack, onClose }: XrayProps) {
  return (
    <Panel
      title={words.title}
      close={words.close}
      onClose={onClose}
      isRestored={isRestored}
      about={message ? words.sent : words.draft}
      head={message && <Button onClick={onBack}>{words.back}</Button>}
    >
      {message ? <SentXray key={message.id} message={message} /> : <DraftXray />}
    </Panel>
  )
}
