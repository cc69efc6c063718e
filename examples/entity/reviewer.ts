import { z } from "zod"
import {
  argumentText,
  firstSlashCommand,
  knownNodes,
  slashCommands,
} from "../../packages/core/compose/slash-commands.ts"
import { composerInput, type EntityContext } from "../../packages/engine/entities/context.ts"
import { defineEntity } from "../../packages/engine/entities/definition.ts"
import { skillsLoader } from "../../packages/engine/entities/skills-loader.ts"

/** What the example knows about; a real one would ask a search engine and a forge. */
export interface Surroundings {
  readonly searchDocs: (
    query: string,
  ) => Promise<{ readonly summary: string; readonly url: string }>
  readonly pullRequest: (
    number: number,
  ) => Promise<{ readonly title: string; readonly diff: string }>
}

const QUICKSTART = `Ask which language the project is in, then show the three commands that build,
test and run it.`

const Review = z.object({
  number: z.number().int(),
  branch: z.string().nullable(),
  state: z.enum(["asked", "done"]),
})

/** An agent that reviews pull requests. Its commands mean what this file says they do: the house keeps
 *  them, shows them to whoever types, and hands them over as they were typed. */
export function reviewer({ searchDocs, pullRequest }: Surroundings) {
  return defineEntity({
    type: "reviewer",
    prompt: "You review changes. Be brief, and quote the lines you mean.",
    resolve: "handler",
    slashCommands: [
      { name: "quickstart", description: "How to begin here" },
      {
        name: "search",
        description: "Look something up in the documentation",
        arguments: [{ name: "query", type: "string", required: true }],
      },
      {
        name: "pr-review",
        description: "Review a pull request",
        arguments: [{ name: "number", type: "number", required: true }],
      },
      { name: "worktree", description: "Review in a tree of its own" },
    ],
    inbox: { review_done: z.object({ number: z.number().int() }) },
    state: {
      reviews: { type: "review", schema: Review.extend({ id: z.string() }), primaryKey: "id" },
    },

    handler: async (ctx) => {
      await skillsLoader(ctx)
      if (ctx.wake.type !== "inbox") return
      const { message } = ctx.wake
      if (message.message_type === "review_done") {
        const id = String(message.payload.number)
        return ctx.db.collections.reviews.update(id, (row) => ({ ...row, state: "done" }))
      }
      const input = composerInput(ctx.wake)
      for (const node of input ? slashCommands(input) : []) {
        const given = input ? argumentText(input, node) : ""
        if (node.name === "quickstart") await quickstart(ctx, input?.source ?? "")
        if (node.name === "search") await search(ctx, given)
        if (node.name === "pr-review") await review(ctx, given)
      }
      await ctx.agent()
    },
  })

  type Reviewer = Pick<EntityContext, "insertContext" | "wake" | "scratchDir"> & {
    readonly db: {
      readonly collections: {
        readonly reviews: {
          upsert(row: z.infer<typeof Review> & { readonly id: string }): Promise<void>
        }
      }
    }
  }

  async function quickstart(ctx: Reviewer, rawInput: string) {
    const metadata = { source: "composer_input", nodeKind: "slash_command", command: "quickstart" }
    await ctx.insertContext({
      type: "skill",
      title: "Quickstart instructions",
      content: QUICKSTART,
      metadata: { ...metadata, rawInput },
    })
  }

  async function search(ctx: Reviewer, query: string) {
    if (query === "") throw new Error("/search needs something to look for")
    const { summary, url } = await searchDocs(query)
    await ctx.insertContext({
      type: "search_result",
      title: `Search result for: ${query}`,
      content: summary,
      metadata: {
        source: "composer_input",
        nodeKind: "slash_command",
        command: "search",
        query,
        url,
      },
    })
  }

  /** `/pr-review` is what is done; `/worktree` and the references around it say how. */
  async function review(ctx: Reviewer, given: string) {
    const input = composerInput(ctx.wake)
    const number = Number(/^\d+/.exec(given)?.[0] ?? Number.NaN)
    if (!input || Number.isNaN(number)) throw new Error(`/pr-review needs a number, not "${given}"`)
    const branch = knownNodes(input).find(({ kind }) => kind === "branch")
    const apart = slashCommands(input).some(({ name }) => name === "worktree")
    const isMain = firstSlashCommand(input)?.name === "pr-review"
    const { title, diff } = await pullRequest(number)
    const name = branch && "name" in branch ? String(branch.name) : null
    await ctx.db.collections.reviews.upsert({
      id: String(number),
      number,
      branch: name,
      state: "asked",
    })
    await ctx.insertContext({
      type: "pull_request",
      title: `#${number} ${title}`,
      content: diff,
      metadata: {
        command: "pr-review",
        primary: isMain,
        ...(name === null ? {} : { branch: name }),
        ...(apart ? { worktree: await ctx.scratchDir() } : {}),
      },
    })
  }
}
