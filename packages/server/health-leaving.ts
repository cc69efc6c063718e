import type { Store } from "compositor-engine/store/store"

/** A store through which nothing is claimed any more once we leave: what runs here goes on to its end,
 *  what waits is left to whoever stays, and what comes in is kept and not begun. */
export class Leaving {
  #leaving = false

  get begun(): boolean {
    return this.#leaving
  }

  begin() {
    this.#leaving = true
  }

  through(store: Store): Store {
    const unclaimed = <Input extends { owner: string | null }>(input: Input): Input =>
      this.#leaving ? { ...input, owner: null } : input
    const instead: Partial<Store> = {
      append: (input) => store.append(unclaimed(input)),
      endTurn: (input) => store.endTurn(unclaimed(input)),
      interrupt: (input) => store.interrupt(unclaimed(input)),
      resolveCall: (input) => store.resolveCall(unclaimed(input)),
      performAction: (input) => store.performAction(unclaimed(input)),
      spawnEntity: (input) =>
        store.spawnEntity({ ...input, wake: input.wake && unclaimed(input.wake) }),
      claim: async (input) => (this.#leaving ? null : store.claim(input)),
      resumeTurn: async (input) => (this.#leaving ? null : store.resumeTurn(input)),
    }
    return withInstead(store, instead)
  }
}

/** The same store, but for some of its calls. */
export function withInstead(store: Store, instead: Partial<Store>): Store {
  const calls = new Map<string | symbol, unknown>(Object.entries(instead))
  return new Proxy(store, {
    get(target, name) {
      if (calls.has(name)) return calls.get(name)
      const value = Reflect.get(target, name, target) as unknown
      const call = typeof value === "function" ? value.bind(target) : value
      if (typeof value === "function") calls.set(name, call)
      return call
    },
  })
}
