import type { OutgoingSend } from "../composer/draft.ts"
import { strings } from "../state/strings.ts"

/** Past this a message is folded. */
export const LONG_TEXT_CHARACTERS = 2_400

interface OutgoingMessageProps {
  readonly message: OutgoingSend
  /** It is about to be shown elsewhere: only one that takes long is shown here. */
  readonly isLate?: boolean
}

/** A message on its way: it is seen from the moment on in which it was sent. */
export function OutgoingMessageView({ message, isLate = false }: OutgoingMessageProps) {
  const { text, attachments } = message
  const names = attachments.map(({ name }) => name).join(", ")
  return (
    <article
      aria-label={strings.you}
      aria-busy="true"
      className={`flex flex-col items-end gap-1.5 ${isLate ? "late" : ""}`}
    >
      <div className="max-w-[88%] rounded-2xl rounded-br-md bg-hover px-4 py-2.5 whitespace-pre-wrap [overflow-wrap:anywhere]">
        {text.slice(0, LONG_TEXT_CHARACTERS) || names}
      </div>
      <p className="pulse px-1 text-xs text-muted">{strings.composer.sending}</p>
    </article>
  )
}
