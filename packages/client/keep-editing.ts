import type { StoredMessage } from "compositor-core/message/row"

/** Says that it is still being edited, and how long that holds. */
type Renew = () => Promise<{ readonly message: Pick<StoredMessage, "metadata"> }>

const USUAL_MS = 30_000
const LEAST_MS = 250

/** A message that is edited is held for a while only, so that nobody who went away holds a queue. Whoever
 *  goes on editing says so again in good time, until `isEditing` says no or the message is gone. */
export function keepEditing(renew: Renew, isEditing: () => boolean): void {
  const again = async () => {
    if (!isEditing()) return
    const held = await renew().catch(() => undefined)
    if (held) wait(Number(held.message.metadata.editing_until))
  }
  const wait = (until: number) => {
    const left = Number.isNaN(until) ? USUAL_MS : (until - Date.now()) / 3
    setTimeout(() => void again(), Math.min(USUAL_MS, Math.max(LEAST_MS, left)))
  }
  wait(Number.NaN)
}
