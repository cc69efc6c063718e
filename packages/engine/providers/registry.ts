import { readFileSync } from "node:fs"
import type { Connection, ProviderEnvironment, RemoteWire } from "compositor-core/wires/define-wire"
import { mirrorWire } from "compositor-core/wires/mirror"
import { findModel } from "compositor-core/wires/models"
import { WIRES } from "compositor-core/wires/wires"
import { mirror } from "./mirror.ts"
import type { Probe } from "./probe.ts"
import type { Provider } from "./provider.ts"
import { remoteProvider } from "./remote-provider.ts"
import { withRetries } from "./retry.ts"
import { type Script, scriptedProvider, scriptFromText } from "./scripted.ts"

/** The providers that can be asked here, by id. Who is asked over a network is set up by what its wire
 *  finds in the environment; `COMPOSITOR_SCRIPT` names the file that tells the scripted model what to
 *  answer, and `COMPOSITOR_PACE_MS` is the mirror's pace. */
export function providers(environment: ProviderEnvironment): Map<string, Provider> {
  const known = [
    mirror({ pace_ms: paceOf(environment) }),
    scriptedProvider(scriptOf(environment)),
    ...setUps(environment).map(({ wire, connection }) =>
      withRetries(remoteProvider(wire, connection)),
    ),
  ]
  return new Map(known.map((provider) => [provider.id, provider]))
}

/** The model that answers when nobody chose one: of the first provider that is set up, and the
 *  mirror when none is. */
export function defaultModel(environment: ProviderEnvironment): {
  readonly provider_id: string
  readonly model_id: string
} {
  const [first] = setUps(environment)
  const provider_id = first?.wire.provider_id ?? mirrorWire.provider_id
  const named = first?.connection.model_id
  const model_id = named ?? findModel({ provider_id, model_id: provider_id })?.model_id
  return { provider_id, model_id: model_id ?? provider_id }
}

/** The servers that can say what their models can do, by what stands in the environment. */
export function probes(environment: ProviderEnvironment): Probe[] {
  return connections(environment).flatMap(({ wire, connection }) => {
    const found = wire.probe(connection)
    return found ? [{ provider_id: wire.provider_id, ...found }] : []
  })
}

interface SetUp {
  readonly wire: RemoteWire
  readonly connection: Connection
}

/** Who can be asked, in the order in which they answer when nobody chose a model. */
function setUps(environment: ProviderEnvironment): SetUp[] {
  const found = connections(environment)
  return PRECEDENCE.flatMap((kind) => found.filter(({ connection }) => connection.kind === kind))
}

const PRECEDENCE: readonly Connection["kind"][] = ["vendor", "server", "machine"]

function connections(environment: ProviderEnvironment): SetUp[] {
  return WIRES.flatMap((wire) =>
    wire.runs === "remote"
      ? wire.setup(environment).map((connection) => ({ wire, connection }))
      : [],
  )
}

function paceOf({ COMPOSITOR_PACE_MS }: ProviderEnvironment): number | undefined {
  const pace = Number.parseInt(COMPOSITOR_PACE_MS ?? "", 10)
  return Number.isNaN(pace) ? undefined : Math.max(0, pace)
}

// Read for each call, so that a test can change its mind while the server runs.
function scriptOf({ COMPOSITOR_SCRIPT }: ProviderEnvironment): Script | undefined {
  if (!COMPOSITOR_SCRIPT) return undefined
  return (call) => scriptFromText(readFileSync(COMPOSITOR_SCRIPT, "utf8"))(call)
}
