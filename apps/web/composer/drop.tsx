import { useEffect, useState } from "react"
import { ENTITY } from "./attachments.ts"
import { useApp } from "../state/context.ts"
import { ClipIcon } from "../controls/icons.tsx"
import { strings } from "../state/strings.ts"

/** The whole page takes files. */
export function DropTarget() {
  const { actions } = useApp()
  const [over, setOver] = useState(false)

  useEffect(() => {
    // Every element that is entered says so, and says so again when it is left.
    let depth = 0
    const enter = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth++
      setOver(true)
    }
    const leave = (event: DragEvent) => {
      if (!carriesFiles(event)) return
      depth = Math.max(0, depth - 1)
      if (depth === 0) setOver(false)
    }
    const move = (event: DragEvent) => {
      if (!carriesFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      event.dataTransfer.dropEffect = "copy"
    }
    const drop = (event: DragEvent) => {
      depth = 0
      setOver(false)
      if (!carriesFiles(event) || !event.dataTransfer) return
      event.preventDefault()
      void actions.attach.drop(event.dataTransfer)
    }
    const listeners = { dragenter: enter, dragleave: leave, dragover: move, drop }
    for (const [name, listener] of Object.entries(listeners))
      addEventListener(name as "drop", listener)
    return () => {
      for (const [name, listener] of Object.entries(listeners))
        removeEventListener(name as "drop", listener)
    }
  }, [actions])

  if (!over) return null
  return (
    <div className="pointer-events-none fixed inset-0 z-50 flex items-center justify-center bg-canvas/85 p-4">
      <div className="flex size-full items-center justify-center gap-3 rounded-3xl border-2 border-dashed border-accent text-xl font-medium text-accent">
        <ClipIcon className="size-7" />
        {strings.composer.drop}
      </div>
    </div>
  )
}

function carriesFiles(event: DragEvent): boolean {
  const types = event.dataTransfer?.types ?? []
  return types.includes("Files") || types.includes(ENTITY)
}
