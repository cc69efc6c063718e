import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { computeContentId, FileBlobs } from "../../packages/files/blobs/blobs.ts"
import { readWorkspaceFile } from "../../packages/files/workspace/workspace.ts"
import { KnownModels } from "../../packages/engine/providers/known-models.ts"
import type { ProviderCall } from "../../packages/engine/providers/provider.ts"
import { fragmentText } from "../../packages/engine/providers/write-body.ts"
import {
  type DryRunInput,
  type DryRunDependencies,
  dryRun,
} from "../../packages/engine/reports/dry-run.ts"
import { requestSettingsDependencies } from "../../packages/engine/turns/turn-context.ts"
import { attachment, png, temporaryFolder, text } from "../build.ts"

const SMALL = { provider_id: "ollama", model_id: "gpt-oss:20b" }
const SIGHTED = { provider_id: "anthropic", model_id: "claude-sonnet-5-5" }

/** A provider that counts, and nothing else. */
function counting(countTokens: (call: ProviderCall) => Promise<number | undefined>) {
  return { providers: new Map([["ollama", { id: "ollama", countTokens }]]) }
}

async function run(draft: Partial<DryRunInput>, more: Partial<DryRunDependencies> = {}) {
  const rooms: DryRunDependencies = {
    blobs: new FileBlobs(join(await temporaryFolder(), "blobs")),
    read: readWorkspaceFile,
    ingress: () => ({ verdict: "allow" }),
    models: new KnownModels(),
    providers: new Map(),
    ...requestSettingsDependencies({}),
    ...more,
  }
  return dryRun(rooms, { parts: [text("hi")], workspace_root: null, with_body: false, ...draft })
}

describe("a dry run", () => {
  it("estimates how full the context would be, and asks nobody while there is room", async () => {
    const more = counting(() => Promise.reject(new Error("nobody should have asked")))
    const { context, tokens } = await run({ model: SMALL, history_tokens: 1000 }, more)
    expect(context).toMatchObject({ limit_tokens: 8192, exact: false })
    expect(context.used_tokens).toBeGreaterThan(1000 + tokens)
  })

  it("has the provider count near the limit, with the very request that would go out", async () => {
    const calls: ProviderCall[] = []
    const more = counting(async (call) => {
      calls.push(call)
      return 321
    })
    const draft = { model: SMALL, history_tokens: 7000 }
    expect((await run(draft, more)).context).toEqual({
      limit_tokens: 8192,
      used_tokens: 7321,
      exact: true,
    })
    const [call] = calls
    const sent = call?.messages.map((fragment) => fragmentText(fragment, call.open)) ?? []
    expect((await Promise.all(sent)).map((body) => JSON.parse(body))).toMatchObject([
      { role: "user" },
    ])
  })

  it("keeps its estimate where the provider cannot count", async () => {
    const draft = { model: SMALL, history_tokens: 8000 }
    const estimate = (await run(draft)).context
    expect(estimate.exact).toBe(false)
    expect(
      (
        await run(
          draft,
          counting(async () => undefined),
        )
      ).context,
    ).toEqual(estimate)
  })

  it("[BEY-02] shows what a model has refused before as it would be sent now", async () => {
    const picture = png(3, 3)
    const draft = { model: SIGHTED, parts: [attachment("a.png", picture)] }
    const outcome = async (more: Partial<DryRunDependencies>) =>
      (await run(draft, more)).receipts[0]?.outcome
    expect(await outcome({})).toBe("native")
    const refused = async (api: string, model_id: string) =>
      api === "anthropic-messages" && model_id === SIGHTED.model_id
        ? [computeContentId(picture)]
        : []
    expect(await outcome({ refused })).toBe("descriptor")
  })
})
