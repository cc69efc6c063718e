import type { RefusalDetail } from "compositor-core/message/refusal"

/** A schema of any library that speaks Standard Schema (version 1): the little of it that we need. */
export interface StandardSchema<Output = unknown> {
  readonly "~standard": {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => Checked<Output> | Promise<Checked<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

type Checked<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] }

interface Issue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

export type OutputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output : never

type CheckedValue =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "faults"; readonly faults: readonly RefusalDetail[] }

/** Every fault at once, each with its place below `at`. */
export async function checkStandardSchema(
  schema: StandardSchema,
  value: unknown,
  at: string,
): Promise<CheckedValue> {
  const checked = await schema["~standard"].validate(value)
  if (!checked.issues) return { type: "value", value: checked.value }
  const faults = checked.issues.map(({ path = [], message }) => ({
    path: [at, ...path.map(stepOf)].join("/"),
    message,
  }))
  return { type: "faults", faults }
}

function stepOf(step: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof step === "object" ? step.key : step)
}
