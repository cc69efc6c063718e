import { connect, createServer, type Socket } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { asking } from "../../kit/torture/postgres.ts"
import { missing } from "../machine.ts"
import { many, newRoom, onPostgres, openNode, postgres, twoNodes } from "../postgres.ts"
import { begin, enqueue, textMessage, waitingIn } from "./build.ts"

type Fate = "pass" | "swallow" | "pass and cut"

/** A database behind a wire on which, once armed, the next commit has this fate. */
async function nextCommit(fate: Fate) {
  let armed = false
  let cuts = 0
  const through = await wire(await newRoom(), (bytes) => {
    if (!armed || !bytes.includes("COMMIT")) return "pass"
    armed = false
    cuts++
    return fate
  })
  return { through, arm: () => (armed = true), cuts: () => cuts }
}

/** A wire on which a test cuts: `cut` sees what a client sends and says what happens to it. */
async function wire(url: string, cut: (bytes: Buffer) => Fate) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on("error", () => undefined)
      socket.on("close", () => {
        near.destroy()
        far.destroy()
      })
    }
    let open = true
    far.on("data", (bytes) => open && near.write(bytes))
    near.on("data", (bytes) => {
      const fate = cut(bytes)
      if (fate !== "swallow") far.write(bytes)
      if (fate === "pass") return
      open = false
      setTimeout(() => near.destroy(), 100)
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
  })
  const address = proxy.address()
  const through = new URL(url)
  through.port = String(typeof address === "object" && address ? address.port : 0)
  return through.href
}

describe.skipIf(missing("postgresql"))("a node that loses its database", () => {
  onPostgres({ own: true })

  it("goes on hearing when its connections were cut, and answers every call", async () => {
    const { url, one, other } = await twoNodes()
    const { id } = await begin(one)
    let heard = 0
    other.watch(() => heard++)
    await asking(
      url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'compositor' AND pid <> pg_backend_pid()`,
    )
    await enqueue(one, id, "after the cut")
    await expect.poll(() => heard).toBeGreaterThan(0)
    expect(await waitingIn(other, id)).toEqual(["after the cut"])
    // And is told again by the others, not only by looking.
    await expect
      .poll(async () => {
        const told = Promise.withResolvers<boolean>()
        const unwatch = other.watch((streams) => streams?.has(id) && told.resolve(true))
        await enqueue(one, id, "again")
        const answer = await Promise.race([
          told.promise,
          new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 300)),
        ])
        unwatch()
        return answer
      })
      .toBe(true)
  })

  it("stores each message once while its connections are cut again and again", async () => {
    const { url, one, other } = await twoNodes()
    const sessions = await many(4, () => begin(one))
    const done = new AbortController()
    const cutter = (async () => {
      while (!done.signal.aborted) {
        await asking(
          url,
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE application_name = 'compositor' AND random() < 0.5`,
        )
        await new Promise((resolve) => setTimeout(resolve, 30))
      }
    })()
    const sent: string[] = []
    await many(8, async (at) => {
      for (let count = 0; count < 25; count++) {
        const words = `${at}-${count}`
        await enqueue(at % 2 === 0 ? one : other, sessions[at % 4]?.id ?? "", words)
        sent.push(words)
      }
    })
    done.abort()
    await cutter
    const stored = await many(4, (at) => waitingIn(one, sessions[at]?.id ?? ""))
    expect(stored.flat().toSorted()).toEqual(sent.toSorted())
  })

  it("knows of a commit whose answer was lost that it was made", async () => {
    const cutting = await nextCommit("pass and cut")
    const store = await openNode(cutting.through)
    const { id } = await begin(store)
    cutting.arm()
    const { replayed } = await store.append(textMessage(id, "once"))
    expect(cutting.cuts()).toBe(1)
    expect(replayed).toBe(false)
    expect(await waitingIn(store, id)).toEqual(["once"])
    const events = await store.events(id, 0, 100)
    expect(events.filter(({ type }) => type === "message")).toHaveLength(1)
  })

  it("does again what was lost before it was committed", async () => {
    const cutting = await nextCommit("swallow")
    const store = await openNode(cutting.through)
    const { id } = await begin(store)
    cutting.arm()
    await store.append(textMessage(id, "once"))
    expect(cutting.cuts()).toBe(1)
    expect(await waitingIn(store, id)).toEqual(["once"])
  })

  it("says what is wrong while the database is down, and works again when it is back", async () => {
    const store = await openNode(await newRoom())
    const { id } = await begin(store)
    await enqueue(store, id, "before")
    await postgres().crash()
    const down = store.append(textMessage(id, "lost"))
    await expect(down).rejects.toMatchObject({ code: "storage_failed" })
    await expect(down).rejects.toThrow(/append was not stored: the database cannot be reached/)
    await expect(store.queue(id)).rejects.toMatchObject({ code: "storage_failed" })
    await postgres().start()
    await enqueue(store, id, "after")
    expect(await waitingIn(store, id)).toEqual(["before", "after"])
  })
})
