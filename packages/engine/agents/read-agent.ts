import { z } from "zod"
import { readMarkdown } from "compositor-core/catalog/read/front-matter"
import type { ContextPolicy, GestureRule } from "compositor-core/compose/editor-context"
import { ModelChoice, parseModelChoice } from "compositor-core/message/message"
import { Action, type PermissionRule } from "../policy/permissions.ts"
import { type Agent, ASSISTANT } from "./agent.ts"
import type { Requirement } from "../tools/tool.ts"

interface ReadAgent {
  readonly description: string | undefined
  /** Absent where the file cannot be used, and the faults say why. */
  readonly agent?: Agent
  readonly faults: readonly string[]
}

const REQUIREMENTS = [
  "fs.read",
  "fs.write",
  "shell.run",
  "net.fetch",
  "mcp.call",
  "memory",
  "human",
] as const satisfies readonly Requirement[]

const Names = z.array(z.string().min(1).max(128)).max(500)
/** What YAML wrote is text: `10` is a number where one is meant. */
const Count = z.coerce.number().int().min(1)
const Pattern = z.string().min(1).max(1024)

/** `shell.run: deny`, or `fs.write: { "src/**": allow, "**": ask }`. */
const Permissions = z.partialRecord(
  z.enum([...REQUIREMENTS, "*"]),
  z.union([Action, z.record(Pattern, Action)]),
)

const Manifest = z.strictObject({
  description: z.string().max(1000).optional(),
  model: z.string().min(1).max(256).transform(parseModelChoice).pipe(ModelChoice).optional(),
  tools: Names.optional(),
  grants: z.array(z.enum(REQUIREMENTS)).optional(),
  permissions: Permissions.optional(),
  skills: Names.optional(),
  context: z
    .strictObject({
      kinds: z.record(z.string().max(64), z.enum(["automatic", "explicit", "mention"])).optional(),
      repeat: z.enum(["always", "once", "delta"]).optional(),
      max_parts: Count.max(100).optional(),
      max_characters: Count.max(1024 * 1024).optional(),
    })
    .optional(),
  gestures: z
    .array(
      z.strictObject({
        mime: z.string().max(255).optional(),
        in_workspace: z.stringbool().optional(),
        becomes: z.enum(["reference", "attachment"]),
      }),
    )
    .max(50)
    .optional(),
  scratch: z
    .strictObject({
      bytes: Count.max(10 * 1024 ** 3).optional(),
      files: Count.max(1_000_000).optional(),
    })
    .optional(),
})
type Manifest = z.output<typeof Manifest>

const KEYS = Object.keys(Manifest.shape)
/** Keys that may hold one text with commas instead of a list. */
const LISTS: ReadonlySet<string> = new Set(["tools", "grants", "skills"])

/** An agent's manifest as a file has it: its head says what it may, its body is its prompt. */
export function readAgent(
  text: string,
  { type, path }: { readonly type: string; readonly path: string },
): ReadAgent {
  const { head, body } = readMarkdown(text, path)
  const description = head.line("description")
  const said = Object.fromEntries(
    KEYS.filter((key) => head.has(key)).map((key) => [
      key,
      LISTS.has(key) ? (head.list(key) ?? []) : head.value(key),
    ]),
  )
  const faults = [
    ...head.findings.filter(({ level }) => level === "error").map(({ message }) => message),
    ...(body === "" ? ["there is no prompt below its head"] : []),
  ]
  const read = Manifest.safeParse(said)
  const wrong = read.success ? [] : read.error.issues.map(issueOf)
  if (!read.success || faults.length > 0) return { description, faults: [...faults, ...wrong] }
  return { description, faults: [], agent: agentOf(type, body, read.data) }
}

function issueOf({ path, message }: { path: readonly PropertyKey[]; message: string }): string {
  return `${path.join(".")}: ${message}`
}

function agentOf(type: string, prompt: string, manifest: Manifest): Agent {
  const { model, tools, grants, permissions, skills, context, gestures = [], scratch } = manifest
  return {
    type,
    prompt,
    ...(model ? { model } : {}),
    tools: orAll(tools),
    grants: grants ?? ASSISTANT.grants,
    permissions: permissions ? rulesOf(permissions) : ASSISTANT.permissions,
    skills: orAll(skills),
    context: contextOf(context),
    gestures: gestures.map(gestureOf),
    scratch: {
      bytes: scratch?.bytes ?? ASSISTANT.scratch.bytes,
      files: scratch?.files ?? ASSISTANT.scratch.files,
    },
  }
}

function orAll(names: readonly string[] | undefined): "all" | readonly string[] {
  return names === undefined || names.includes("all") || names.includes("*") ? "all" : names
}

// What it does not speak of is as it is for the built-in assistant.
function rulesOf(permissions: NonNullable<Manifest["permissions"]>): PermissionRule[] {
  const own = Object.entries(permissions).flatMap(([permission, said]) =>
    Object.entries(typeof said === "string" ? { "**": said } : (said ?? {})).map(
      ([pattern, action]): PermissionRule => ({ permission, pattern, action, source: "manifest" }),
    ),
  )
  const spoken = new Set(own.map(({ permission }) => permission))
  const rest = ASSISTANT.permissions.filter(({ permission }) => !spoken.has(permission))
  return [...own, ...(spoken.has("*") ? [] : rest)]
}

function contextOf(said: Manifest["context"]): ContextPolicy {
  const { kinds, repeat, max_parts, max_characters } = ASSISTANT.context
  return {
    kinds: said?.kinds ?? kinds,
    repeat: said?.repeat ?? repeat,
    max_parts: said?.max_parts ?? max_parts,
    max_characters: said?.max_characters ?? max_characters,
  }
}

function gestureOf(said: NonNullable<Manifest["gestures"]>[number]): GestureRule {
  const { mime, becomes, in_workspace } = said
  return {
    becomes,
    ...(mime === undefined ? {} : { mime }),
    ...(in_workspace === undefined ? {} : { in_workspace }),
  }
}
