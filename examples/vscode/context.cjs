// What the editor shows, as parts of a message. Lines of a saved file are a reference to them; what is
// not saved yet travels as the editor has it.

const MAX_TEXT = 16 * 1024
const MAX_ITEMS = 50

function contextParts(editor, { include, now = Date.now() }) {
  const { window, workspace, languages } = editor
  const made = {
    selection: () => selectionPart(window.activeTextEditor, workspace, now),
    open: () => openPart(window, workspace, now),
    diagnostics: () => diagnosticsPart(window.activeTextEditor, workspace, languages, now),
  }
  return include.flatMap((kind) => made[kind]?.() ?? [])
}

function selectionPart(active, workspace, now) {
  if (!active || active.selection.isEmpty) return []
  const { document, selection } = active
  const text = document.getText(selection).slice(0, MAX_TEXT)
  // A selection that ends before the first letter of a line does not contain that line.
  const last = selection.end.character === 0 && selection.end.line > selection.start.line ? 0 : 1
  const range = { start: selection.start.line + 1, end: selection.end.line + last }
  const path = workspace.asRelativePath(document.uri, false)
  if (!document.isDirty && !document.isUntitled)
    return [{ type: "file-ref", ref: { kind: "path", path, range, selected: text } }]
  return [context("selection", { path, range, text, unsaved: true }, now)]
}

function openPart(window, workspace, now) {
  const tabs = window.tabGroups.all.flatMap(({ tabs }) => tabs)
  const files = tabs.flatMap(({ input }) =>
    input?.uri ? [workspace.asRelativePath(input.uri, false)] : [],
  )
  return files.length > 0 ? [context("open", { files: files.slice(0, MAX_ITEMS) }, now)] : []
}

const SEVERITIES = ["error", "warning", "information", "hint"]

function diagnosticsPart(active, workspace, languages, now) {
  if (!active) return []
  const found = languages.getDiagnostics(active.document.uri).slice(0, MAX_ITEMS)
  if (found.length === 0) return []
  const path = workspace.asRelativePath(active.document.uri, false)
  const diagnostics = found.map(({ message, severity, range }) => ({
    line: range.start.line + 1,
    severity: SEVERITIES[severity] ?? "error",
    message,
  }))
  return [context("diagnostics", { path, diagnostics }, now)]
}

function context(kind, payload, now) {
  return { type: "editor-context", kind, source: "vscode", payload, emitted_at: now }
}

module.exports = { contextParts }
