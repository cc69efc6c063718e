/** A file in which a project says how to work in it. */
export interface InstructionFile {
  readonly path: string
  readonly digest: string
  readonly trusted: boolean
  /** As a model is shown it. */
  readonly text: string
}

export interface InstructionsAnswer {
  readonly workspace: string | null
  readonly files: readonly InstructionFile[]
}

/** One file, several, or, where none is named, all the instructions of the workspace. */
export interface TrustBody {
  readonly path?: string
  readonly digest?: string
  readonly files?: readonly Pick<InstructionFile, "path" | "digest">[]
  readonly trusted?: boolean
}

export interface TrustAnswer {
  readonly trusted: boolean
  readonly pins: readonly { readonly path: string }[]
}
