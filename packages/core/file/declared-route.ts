import { type Condition, type LoadedFile, nativeKind } from "./loaded-file.ts"
import { HELPED_BY_SHRINKING } from "./media.ts"
import { type Capabilities, resolveNative } from "../model/capabilities.ts"
import { showBytes, showName } from "./name.ts"
import { TEXT_LIMITS } from "./policy.ts"
import type { FileRoute, RoutedFile, Router } from "./route.ts"
import type { LoweredPart } from "./verdict.ts"

const ROUTES = ["native", "inline", "skill", "tool", "shell", "extract", "none"] as const

/** How a file was to reach the model when it was sent, and what was considered for that, one sentence
 *  each (decision 10). It stands in the part as `route` and never changes there. */
export interface DeclaredRoute {
  readonly type: (typeof ROUTES)[number]
  /** Of the skill, or the tool. */
  readonly name?: string | undefined
  /** The model that it was decided for. */
  readonly model: string
  readonly trace: readonly string[]
}

/** A route as a part carries it; false for what another version wrote in its place. */
export function isDeclaredRoute(value: unknown): value is DeclaredRoute {
  if (typeof value !== "object" || value === null) return false
  const { type, name, model, trace }: Partial<Record<keyof DeclaredRoute, unknown>> = value
  return (
    ROUTES.some((route) => route === type) &&
    (name === undefined || typeof name === "string") &&
    typeof model === "string" &&
    Array.isArray(trace) &&
    trace.every((sentence) => typeof sentence === "string")
  )
}

export interface SentFile extends RoutedFile {
  readonly kind: Exclude<RoutedFile["kind"], "office">
  readonly size: number
  readonly condition?: Condition | undefined
}

interface Addressed {
  readonly model: string
  readonly capabilities: Capabilities
  readonly routes: Router
}

/** Decide once how a file reaches the model that it is sent to: itself, as text, by a skill, by the
 *  shell, or not at all (BIN-001). Nothing is read for it. */
export function declareRoute(file: SentFile, to: Addressed): DeclaredRoute {
  const { model, capabilities } = to
  if (file.kind === "text" && file.size <= TEXT_LIMITS.auto.file_bytes)
    return { type: "inline", model, trace: ["it is text, and short enough to be shown"] }
  const refusal = whyNotItself(file, capabilities)
  if (refusal === undefined)
    return { type: "native", model, trace: [`the model takes ${file.mime}`] }
  const route = to.routes(file, capabilities)
  return { ...route, model, trace: [refusal, ...considered(route)] }
}

function whyNotItself(file: SentFile, capabilities: Capabilities): string | undefined {
  const { mime, size, condition } = file
  if (file.kind === "text")
    return `it is larger than the ${showBytes(TEXT_LIMITS.auto.file_bytes)} that are shown`
  if (condition === "encrypted") return "it is locked with a password"
  const kind = nativeKind(file.kind, mime)
  if (kind === undefined) return `no model takes ${mime}`
  const answer = resolveNative(capabilities, { kind, mime, size })
  if (answer.native) return undefined
  const fitted = kind === "image" && HELPED_BY_SHRINKING.has(answer.reason)
  return fitted ? undefined : answer.sentence
}

function considered(route: FileRoute): string[] {
  switch (route.type) {
    case "skill":
      return [`the skill ${route.name} reads this format`]
    case "tool":
      return [`the tool ${route.name} reads it`]
    case "shell":
      return ["no skill reads this format", "the shell can convert it"]
    case "extract":
      return ["the model calls no tools", "its text can be taken out"]
    case "none":
      return ["no skill reads this format", "nothing here converts it"]
  }
}

/** What became of a file, with what it was to become where that is not the same: a changed outcome is
 *  told, and nothing is switched in silence. */
export function withDeclared(
  route: unknown,
  file: LoadedFile | null,
  lowered: LoweredPart,
): LoweredPart {
  const declared = isDeclaredRoute(route) ? route : undefined
  const taken = takenRoute(file, lowered)
  if (!declared || !taken) return lowered
  if (declared.type === taken.type && declared.name === taken.name) return lowered
  const told = `When it was sent to ${showName(declared.model)}, it was to go ${wordsFor(declared)}.`
  return { ...lowered, reason: `${lowered.reason} ${told}` }
}

type Taken = Pick<DeclaredRoute, "type" | "name">

function takenRoute(file: LoadedFile | null, { outcome }: LoweredPart): Taken | undefined {
  switch (outcome) {
    case "native":
      return { type: "native" }
    case "inlined":
      return { type: "inline" }
    case "extracted":
      return { type: "extract" }
    case "descriptor":
      return file && "route" in file ? file.route : undefined
    case "range":
    case "tool":
    case "resolved-out":
    case "denied":
    case "failed":
      return undefined
  }
}

function wordsFor({ type, name = "" }: Taken): string {
  switch (type) {
    case "native":
      return "as it is"
    case "inline":
      return "as text"
    case "skill":
      return `by the skill ${showName(name)}`
    case "tool":
      return `by the tool ${showName(name)}`
    case "shell":
      return "by the shell"
    case "extract":
      return "as the text taken out of it"
    case "none":
      return "by its description only"
  }
}
