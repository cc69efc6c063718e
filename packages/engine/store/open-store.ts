import { join } from "node:path"
import { requireStoreAddress } from "./store-address.ts"
import { openSqliteStore } from "./sqlite/sqlite-store.ts"
import type { Store } from "./store.ts"

interface StoreLocation {
  readonly data: string
  /** An address like `postgres://user@host/database`; without, a file in the data folder. */
  readonly store?: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly thread?: boolean | undefined
  readonly broken?: ((reason: string) => void) | undefined
}

/** The place where rows are kept, after it answered. What a database needs is loaded only for one. */
export async function openStore(place: StoreLocation): Promise<Store> {
  const { data, environment, thread = false, broken } = place
  const address = place.store || environment.COMPOSITOR_STORE
  if (!address)
    return openSqliteStore({
      file: join(data, "compositor.db"),
      thread,
      ...(broken ? { broken } : {}),
    })
  requireStoreAddress(place.store ? "--store" : "COMPOSITOR_STORE", address)
  const { openPostgresStore } = await import("./postgres/postgres-store.ts")
  return openPostgresStore({ url: address })
}
