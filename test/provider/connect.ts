import type { ProviderEnvironment, RemoteWire } from "../../packages/core/wires/define-wire.ts"
import type { Provider } from "../../packages/engine/providers/provider.ts"
import { remoteProvider } from "../../packages/engine/providers/remote-provider.ts"

/** Whoever an environment sets up for a wire. */
export function connect(wire: RemoteWire, environment: ProviderEnvironment): Provider {
  const connection = wire.setup(environment).at(-1)
  if (!connection) throw new Error(`${wire.api} is not set up by ${JSON.stringify(environment)}`)
  return remoteProvider(wire, connection)
}
