/** What a folder hides. The rules come from elsewhere; the search only asks. */
export interface FolderView {
  hides(name: string, isFolder: boolean): boolean
  /** Whether a file of this name says what is hidden. */
  isRule(name: string): boolean
  /** The view of this folder once these files of rules were found in it. */
  with(rules: readonly string[]): FolderView
  /** The view of a folder in this one. */
  enter(name: string): FolderView
}

/** A module that says what is hidden. It is named and not passed, because the search runs in a thread
 *  of its own; its export `viewOf(root, settings)` gives the view of the root. */
export interface HidingModule {
  readonly module: string
  readonly settings: unknown
}

export async function openView(root: string, hiding: HidingModule | null): Promise<FolderView> {
  if (hiding === null) return HIDES_NOTHING
  const rules: HidingRules = await import(hiding.module)
  return rules.viewOf(root, hiding.settings)
}

interface HidingRules {
  viewOf(root: string, settings: unknown): FolderView
}

const HIDES_NOTHING: FolderView = {
  hides: () => false,
  isRule: () => false,
  with: () => HIDES_NOTHING,
  enter: () => HIDES_NOTHING,
}
