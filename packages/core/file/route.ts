import type { FileKind } from "./loaded-file.ts"
import type { Capabilities, MediaKind } from "../model/capabilities.ts"

/** Who reads a file that the model cannot take (BIN-001..004). `extract` puts its text in place, for
 *  an agent without tools. */
export type FileRoute =
  | { readonly type: "skill"; readonly name: string }
  | { readonly type: "shell" }
  | { readonly type: "tool"; readonly name: string }
  | { readonly type: "extract" }
  | { readonly type: "none" }

export interface RoutedFile {
  readonly name: string
  readonly mime: string
  readonly kind: FileKind | MediaKind
  readonly size: number | null
}

/** What an agent has to read files with. */
export interface Reach {
  /** Of the tools that read, those that it has. */
  readonly tools: readonly string[]
  readonly skills: "all" | readonly string[]
}

/** `capabilities` are those of the model that is addressed, where that is known: one that calls no
 *  tools is pointed to none. Nobody is pointed to what is out of its reach. */
export type Router = (file: RoutedFile, capabilities?: Capabilities, reach?: Reach) => FileRoute

/** What a file is beyond its bytes; somebody who knows the format counted. */
export interface FileMeasures {
  /** Files in an archive. */
  readonly entries?: number | undefined
  /** Pages of a document. */
  readonly pages?: number | undefined
}

/** The kinds of files that are counted. */
export const MEASURED: ReadonlySet<string> = new Set(["archive", "pdf"])

/** How a route is told: to the model, and to a person. */
export interface RouteWords {
  /** The requirement that decided, where the route did. */
  readonly rule: string | undefined
  readonly hint: string
  readonly trace: string
}

/** How a file is found. */
export interface Handle {
  /** What a tool is given. */
  readonly tool: string
  /** Where a shell finds it, if not by the same words. */
  readonly shell?: string | undefined
}

export function routeWords(route: FileRoute, { tool: handle, shell }: Handle): RouteWords {
  switch (route.type) {
    case "skill":
      return {
        rule: "BIN-003",
        hint: ` Load the skill ${route.name} to read ${handle}.${shell ? ` A shell finds it at ${shell}.` : ""}`,
        trace: ` The model is pointed to the skill ${route.name}.`,
      }
    case "shell":
      return {
        rule: "BIN-004",
        hint: ` Use the shell to convert ${shell ?? handle}.`,
        trace: " The model is pointed to the shell: no skill reads this format.",
      }
    case "tool":
      return {
        rule: undefined,
        hint: ` Use ${route.name} on ${handle} for its contents.`,
        trace: ` The model is pointed to the tool ${route.name}.`,
      }
    case "extract":
      return { rule: undefined, hint: "", trace: " No text could be taken out of it." }
    case "none":
      return { rule: undefined, hint: "", trace: " Nothing here reads it." }
  }
}
