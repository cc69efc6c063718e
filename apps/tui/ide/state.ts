import type { EditorContextPart } from "compositor-core/parts/editor-context"
import type { PartData } from "compositor-core/parts/define-part"
import { z } from "zod"
import { partOfContext } from "compositor-core/compose/editor-context"

/** What an editor says of itself. Lines count from 1 and both ends belong to the selection. */
export interface IdeState {
  readonly editor: string
  readonly selection?: IdeSelection
  readonly open: readonly string[]
  readonly diagnostics: readonly unknown[]
  /** Whether it told all that it was asked. */
  readonly complete: boolean
}

export interface IdeSelection {
  /** Absolute. */
  readonly path: string
  readonly start: number
  readonly end: number
  readonly text: string
}

const MAX_TEXT_CHARACTERS = 16 * 1024
const MAX_OPEN_FILES = 50
const MAX_DIAGNOSTICS = 100

/** The state as contexts that `@selection`, `@open` and the like stand for. */
export function contextsOf(
  state: IdeState,
  workspace: string,
  at = Date.now(),
): EditorContextPart[] {
  const part = (kind: string, payload: Record<string, unknown>): EditorContextPart => ({
    type: "editor-context",
    kind,
    source: state.editor,
    payload,
    emitted_at: at,
  })
  const { selection, open, diagnostics } = state
  const files = open.slice(0, MAX_OPEN_FILES).map((path) => within(workspace, path))
  return [
    ...(selection && selection.text !== ""
      ? [part("selection", selected(selection, workspace))]
      : []),
    ...(files.length > 0 ? [part("open", { files })] : []),
    ...(diagnostics.length > 0
      ? [part("diagnostics", { diagnostics: diagnostics.slice(0, MAX_DIAGNOSTICS) })]
      : []),
  ]
}

/** What goes along without being asked for: the selection, as lines of its file where that lies in the
 *  workspace; no reference reaches another. */
export function automaticParts(contexts: readonly EditorContextPart[]): PartData[] {
  const selections = contexts.filter(({ kind }) => kind === "selection")
  return selections.map((part) =>
    String(part.payload.path).startsWith("/") ? part : partOfContext(part),
  )
}

function selected({ path, start, end, text }: IdeSelection, workspace: string) {
  const shown = text.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()
  return { path: within(workspace, path), range: { start, end }, text: shown }
}

/** A path of the workspace is told as one. */
function within(workspace: string, path: string): string {
  const base = `${workspace.replace(/\/+$/, "")}/`
  return path.startsWith(base) ? path.slice(base.length) : path
}

const Position = z.object({ line: z.int().min(0), character: z.int().min(0) })

/** `selection_changed`: lines count from 0. */
export const SelectionChanged = z.object({
  text: z
    .string()
    .max(1024 * 1024)
    .default(""),
  filePath: z.string().min(1).max(4096),
  selection: z.object({ start: Position, end: Position }),
})

export function selectionOf({
  text,
  filePath,
  selection,
}: z.infer<typeof SelectionChanged>): IdeSelection {
  const { start, end } = selection
  // A selection that ends before the first letter of a line does not contain that line.
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line
  return { path: filePath, start: start.line + 1, end: last + 1, text }
}

/** `ide/contextUpdate`: the editor tells all of it each time. */
export const ContextUpdate = z.object({
  workspaceState: z.object({
    openFiles: z
      .array(
        z.object({
          path: z.string().min(1).max(4096),
          isActive: z.boolean().optional(),
          selectedText: z
            .string()
            .max(1024 * 1024)
            .optional(),
          cursor: z.object({ line: z.int().min(1), character: z.int().min(1) }).optional(),
        }),
      )
      .max(1000)
      .default([]),
  }),
})

/** Of the selection, this editor tells the text and where the cursor is, which is at one of its ends. */
export function updatedState(editor: string, update: z.infer<typeof ContextUpdate>): IdeState {
  const { openFiles } = update.workspaceState
  const active = openFiles.find(({ isActive }) => isActive)
  const text = active?.selectedText ?? ""
  const end = active?.cursor?.line ?? 1
  const start = Math.max(1, end - (text.split("\n").length - 1))
  return {
    editor,
    ...(active && text !== "" ? { selection: { path: active.path, start, end, text } } : {}),
    open: openFiles.map(({ path }) => path),
    diagnostics: [],
    complete: true,
  }
}
