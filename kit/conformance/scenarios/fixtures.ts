import {
  type LoweringCase,
  type LoweringFixture,
  matches,
  messagesIn,
  readFixtures,
} from "../fixtures.ts"
import type { Json, Kit } from "../kit.ts"
import type { Scenario } from "../scenario.ts"

/** Every published message on every wire API, through the dry run. */
export const fixtureScenarios: readonly Scenario[] = [
  {
    title: "the published fixtures of lowering",
    rules: ["CMP-112"],
    needs: ["folder"],
    async live(kit, see) {
      const { models } = (await kit.ask("GET", "/v1/models")).body
      for (const fixture of await readFixtures()) {
        for (const [path, base64] of Object.entries(fixture.files))
          await kit.file(path, Buffer.from(base64, "base64"))
        for (const one of fixture.cases) {
          const to = addressee(fixture, one, models)
          const came = to && (await lowered(kit, fixture, { one, to, models }))
          if (!came) continue
          const holds = matches(came, one.messages)
          const what = `${fixture.api}, ${one.sight}: ${one.name}`
          if (holds) see.holds("CMP-112", what, true, came)
          else see.equal("CMP-112", what, came, one.messages)
        }
      }
    },
  },
]

/** An API sees all that it can carry; without eyes it is a model that is known to take text alone,
 *  where the server knows one. */
function addressee({ api }: LoweringFixture, { sight }: LoweringCase, models: Json[]) {
  if (sight === "vision") return { model: undefined, api }
  const blind = models.find(
    (model) => model.api === api && model.input.length === 1 && model.input[0] === "text",
  )
  return blind && { model: `${blind.provider_id}/${blind.model_id}` }
}

/** Undefined where the case says nothing about the model that was chosen. */
async function lowered(
  kit: Kit,
  { api, at }: LoweringFixture,
  { one, to, models }: { one: LoweringCase; to: object; models: Json[] },
): Promise<object[] | undefined> {
  const { body, model } = await kit.lower(one.parts, to)
  const known = models.find((each) => each.api === api && each.model_id === model)
  if (one.takes !== undefined && known && !known.input.includes(one.takes)) return undefined
  return messagesIn(body, at)
}
