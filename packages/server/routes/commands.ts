import { openPart, writePart } from "compositor-core/parts/table"
import { z } from "zod"
import { Command } from "compositor-core/catalog/command"
import { doctor } from "compositor-core/catalog/doctor"
import { exportTo } from "compositor-core/catalog/export"
import { Finding } from "compositor-core/catalog/finding"
import { MAX_PATH_CHARACTERS, MAX_TEXT_CHARACTERS } from "compositor-core/message/limits"
import { Refusal } from "compositor-core/message/refusal"
import { partsOfInput } from "compositor-core/compose/bridge"
import type { Host } from "compositor-engine/host/host"
import type { Pin } from "compositor-engine/skills/trust"
import { workspaceOf } from "../caller.ts"
import type { TypedIn } from "compositor-engine/entities/session-commands"
import { readSource } from "../read-message-body.ts"
import { type Asked, type Route, route } from "../route.ts"
import { SessionId } from "../schemas.ts"
import { existing } from "./sessions.ts"

/** Whose commands: those of a session's workspace, or of a folder. */
export const Where = {
  session: SessionId.optional(),
  workspace: z.string().max(MAX_PATH_CHARACTERS).optional(),
}
const Listed = z.object({ name: z.string(), because: z.string().optional(), command: Command })
const Target = z.enum(["claude", "opencode", "gemini", "codex"])
const Typed = z.strictObject({
  ...Where,
  source: z.string().max(MAX_TEXT_CHARACTERS),
  nodes: z.array(z.unknown()).optional(),
})

const MAX_COMPLETIONS = 200
const DEFAULT_COMPLETIONS = 20
const Completed = z.object({
  from: z.int(),
  to: z.int(),
  items: z.array(z.looseObject({})),
  hint: z.string().optional(),
})

const MAX_TRUSTED_AT_ONCE = 64

/** A file, and what it held when the user was shown it. */
const SeenFile = z.strictObject({
  path: z.string().min(1).max(MAX_PATH_CHARACTERS),
  digest: z.string().max(128).optional(),
})

const InstructionFile = z.object({
  path: z.string(),
  digest: z.string(),
  trusted: z.boolean(),
  /** As a model would be shown it: without its secrets. */
  text: z.string(),
})

async function instructionFiles(host: Host, workspace_root: string | null) {
  const files = await host.equipment.turns.instructions({ workspace_root })
  return files.map(({ path, digest, trusted, text }) => ({ path, digest, trusted, text }))
}

export const commandRoutes: readonly Route[] = [
  route({
    method: "get",
    path: "/v1/commands",
    summary: "Everything that can be typed after a slash, with where it comes from",
    query: z.object(Where),
    answer: z.object({ commands: z.array(Listed), hidden: z.array(z.looseObject({})) }),
    async handle({ host, caller, query }) {
      const catalog = await host.entities.commands(await typedIn({ host, caller }, query))
      return { commands: catalog.list(), hidden: catalog.hidden() }
    },
  }),
  route({
    method: "get",
    path: "/v1/commands/doctor",
    summary: "What shadows what, where dialects mislead, what is not trusted",
    query: z.object(Where),
    answer: z.object({ findings: z.array(Finding) }),
    async handle({ host, caller, query }) {
      const catalog = await host.workspaces.catalog(await rootOf({ host, caller }, query))
      return { findings: doctor(catalog) }
    },
  }),
  route({
    method: "get",
    path: "/v1/commands/export",
    summary: "The commands as files of another tool, with what they lose there",
    query: z.object({ ...Where, to: Target }),
    answer: z.looseObject({}),
    async handle({ host, caller, query }) {
      const catalog = await host.workspaces.catalog(await rootOf({ host, caller }, query))
      return exportTo(
        query.to,
        catalog.list().map(({ command }) => command),
      )
    },
  }),
  route({
    method: "get",
    path: "/v1/trust",
    summary: "The files of instructions that a workspace holds, and whether they are trusted",
    query: z.object(Where),
    answer: z.object({ workspace: z.string().nullable(), files: z.array(InstructionFile) }),
    async handle({ host, caller, query }) {
      const workspace = await rootOf({ host, caller }, query)
      return { workspace, files: await instructionFiles(host, workspace) }
    },
  }),
  route({
    method: "post",
    path: "/v1/trust",
    summary:
      "Let a file of a repository be used as it is now: a command, a skill, or all its instructions",
    body: z.strictObject({
      ...Where,
      path: z.string().min(1).max(MAX_PATH_CHARACTERS).optional(),
      digest: z.string().max(128).optional(),
      files: z.array(SeenFile).max(MAX_TRUSTED_AT_ONCE).optional(),
      trusted: z.boolean().default(true),
    }),
    answer: z.looseObject({}),
    async handle({ host, caller, body }) {
      const root = await rootOf({ host, caller }, body)
      const { trust } = host.workspaces
      const named = body.path === undefined ? [] : [{ path: body.path, digest: body.digest }]
      const given = [...named, ...(body.files ?? [])]
      // Nothing named: all the instructions of the workspace, as they are now.
      const files = given.length > 0 ? given : await instructionFiles(host, root)
      const pins: Pin[] = []
      for (const { path, digest } of files) {
        if (!body.trusted) await trust.untrust(path)
        const pinned = body.trusted ? await trust.trust(path, digest) : undefined
        if (pinned?.type === "refused") throw new Refusal("invalid", pinned.reason)
        if (pinned) pins.push(pinned.pin)
      }
      if (root !== null) await host.workspaces.refresh(root)
      return { trusted: body.trusted, pin: pins[0] ?? null, pins }
    },
  }),
  route({
    method: "post",
    path: "/v1/parse",
    summary: "What is recognised in a source",
    body: Typed,
    answer: z.looseObject({ source: z.string(), nodes: z.array(z.looseObject({})) }),
    async handle({ host, caller, body }) {
      const vocabulary = await host.entities.vocabulary(await typedIn({ host, caller }, body))
      const { input, warnings } = readSource(body, vocabulary)
      return { ...input, parts: partsOfInput(input, vocabulary), warnings }
    },
  }),
  route({
    method: "get",
    path: "/v1/complete",
    summary: "What could be meant at the cursor: commands, arguments, files, skills, symbols …",
    query: z.object({
      ...Where,
      source: z.string().max(MAX_TEXT_CHARACTERS),
      cursor: z.coerce.number().int().min(0).optional(),
      limit: z.coerce.number().int().min(1).max(MAX_COMPLETIONS).default(DEFAULT_COMPLETIONS),
    }),
    answer: Completed,
    handle: ({ host, caller, query }) => completed({ host, caller }, query),
  }),
  route({
    method: "post",
    path: "/v1/complete",
    summary: "The same for a draft that is too long for an address",
    body: z.strictObject({
      ...Where,
      source: z.string().max(MAX_TEXT_CHARACTERS),
      cursor: z.int().min(0).optional(),
      limit: z.int().min(1).max(MAX_COMPLETIONS).default(DEFAULT_COMPLETIONS),
    }),
    answer: Completed,
    handle: ({ host, caller, body }) => completed({ host, caller }, body),
  }),
  route({
    method: "post",
    path: "/v1/expand",
    summary: "What a source comes to: commands expanded, mentions resolved; nothing is kept",
    body: Typed.extend({ approved_shell: z.array(z.string()).optional() }),
    answer: z.looseObject({ parts: z.array(z.looseObject({})) }),
    async handle({ host, caller, body }) {
      const at = await typedIn({ host, caller }, body)
      const vocabulary = await host.entities.vocabulary(at)
      const { input, warnings } = readSource(body, vocabulary)
      const { approved_shell, session: session_id } = body
      const parts = partsOfInput(input, vocabulary).map(openPart)
      const resolved = await host.preview(at.workspace_root, { session_id, parts, approved_shell })
      return {
        parts: resolved.parts.map(({ part }) => writePart(part)),
        actions: resolved.actions.map(({ action }) => action),
        shown: resolved.shown,
        warnings: [...warnings, ...resolved.notices],
      }
    },
  }),
]

interface Completing {
  readonly session?: string | undefined
  readonly workspace?: string | undefined
  readonly source: string
  readonly cursor?: number | undefined
  readonly limit: number
}

async function completed(by: Pick<Asked, "host" | "caller">, asked: Completing) {
  const { source, cursor = source.length, limit } = asked
  const at = await typedIn(by, asked)
  const catalog = await by.host.entities.commands(at)
  const query = { source, cursor: Math.min(cursor, source.length), limit }
  return by.host.workspaces.complete(at.workspace_root, query, catalog)
}

async function typedIn(
  { host, caller }: Pick<Asked, "host" | "caller">,
  where: { session?: string | undefined; workspace?: string | undefined },
): Promise<TypedIn> {
  if (where.session === undefined)
    return {
      session_id: null,
      workspace_root: where.workspace ?? workspaceOf(caller, host.workspace),
    }
  const { id, workspace_root, agent } = await existing(host, where.session)
  return { session_id: id, workspace_root, agent }
}

export async function rootOf(...asked: Parameters<typeof typedIn>): Promise<string | null> {
  return (await typedIn(...asked)).workspace_root
}
