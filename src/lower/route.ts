import type { FileKind } from "../files/sniff.ts"
import type { Capabilities, MediaKind } from "../model/capabilities.ts"

/** Who reads a file that the model cannot take (BIN-001..004). `extract` puts its text in place, for
 *  an agent without tools. */
export type Route =
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

/** `capabilities` are those of the model that is addressed, where that is known: one that calls no
 *  tools is pointed to none. */
export type Router = (file: RoutedFile, capabilities?: Capabilities) => Route

/** What a file is beyond its bytes; somebody who knows the format counted. */
export interface Measures {
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

/** `handle` is what a tool is given to find the file. */
export function routeWords(route: Route, handle: string): RouteWords {
  switch (route.type) {
    case "skill":
      return {
        rule: "BIN-003",
        hint: ` Load the skill ${route.name} to read ${handle}.`,
        trace: ` The model is pointed to the skill ${route.name}.`,
      }
    case "shell":
      return {
        rule: "BIN-004",
        hint: ` Use the shell to convert ${handle}.`,
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
