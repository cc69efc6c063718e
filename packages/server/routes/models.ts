import { models } from "compositor-core/contract/models"
import type { ModelChoice } from "compositor-core/message/message"
import type { KnownModels } from "compositor-engine/providers/known-models"
import type { DryRuns } from "compositor-engine/reports/dry-runs"
import { visibleTo } from "../caller.ts"
import { serveRoutes, type ServedRoute } from "../route.ts"

interface ModelEngine {
  readonly known: Pick<KnownModels, "models" | "capabilities" | "refreshed" | "renew">
  readonly providers: { has(provider_id: string): boolean }
  readonly default_model: ModelChoice
  readonly what_if: Pick<DryRuns, "switchReport" | "diffLowering">
}

export function modelRoutes(engine: ModelEngine): ServedRoute[] {
  return serveRoutes(models, {
    async listModels() {
      const { default_model, known, providers } = engine
      const shown = known.models.map((model) => ({
        ...model,
        revision: known.capabilities(model).revision,
        available: providers.has(model.provider_id),
      }))
      return { models: shown, default: default_model, refreshed: known.refreshed }
    },
    async refreshModels() {
      const { catalog, probed } = await engine.known.renew()
      const reason = catalog.type === "failed" ? catalog.reason : null
      return {
        catalog: { type: catalog.type, reason },
        probed: probed.map((answer) => ({
          provider_id: answer.provider_id,
          models: "models" in answer ? answer.models.length : 0,
          error: "error" in answer ? answer.error : null,
        })),
        refreshed: engine.known.refreshed,
      }
    },
    async reportModelSwitch({ param, query }) {
      return engine.what_if.switchReport(param("id"), query.model)
    },
    async diffLowering({ caller, query }) {
      const { since, session: session_id } = query
      return engine.what_if.diffLowering({ since, session_id, ...visibleTo(caller) })
    },
  })
}
