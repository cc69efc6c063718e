/** What stands for a variable of the environment in everybody's `.mcp.json`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

export type Variables = Readonly<Record<string, string | undefined>>

export interface Filled {
  readonly value: unknown
  /** Variables that have neither a value nor a default. */
  readonly missing: readonly string[]
}

/** An entry with `${NAME}` and `${NAME:-otherwise}` filled in, in one pass: what a value holds is not
 *  looked at again. */
export function withVariables(said: unknown, variables: Variables): Filled {
  const missing = new Set<string>()
  const fill = (text: string) =>
    text.replace(VARIABLE, (slot: string, name: string, otherwise: string | undefined) => {
      const value = variables[name] || (otherwise ?? variables[name])
      if (value === undefined) missing.add(name)
      return value ?? slot
    })
  return { value: mapped(said, fill), missing: [...missing] }
}

function mapped(said: unknown, fill: (text: string) => string): unknown {
  if (typeof said === "string") return fill(said)
  if (Array.isArray(said)) return said.map((one) => mapped(one, fill))
  if (typeof said !== "object" || said === null) return said
  return Object.fromEntries(Object.entries(said).map(([key, one]) => [key, mapped(one, fill)]))
}
