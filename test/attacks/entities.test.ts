import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { ANTHROPIC, newestWords, startModel } from "./outside/model.ts"
import { run, type Server, startServer, until } from "./outside/product.ts"

const PROGRAM = join(import.meta.dirname, "outside", "entity-server.ts")

/** A model that keeps whoever says "wait" waiting until it is let go. */
async function slowModel() {
  const { promise, resolve } = Promise.withResolvers<void>()
  const model = await startModel((body) =>
    newestWords(body).includes("please wait") ? { text: "done", after: promise } : "done",
  )
  return { model, letGo: resolve }
}

interface Heard {
  readonly how: string
  readonly message_type: string
  readonly said: string
}

/** What the handler's code was given, in order. */
async function heardBy(server: Server, type: string): Promise<Heard[]> {
  const { json } = await server.get(`/v1/stream/entities/${type}/one`)
  const rows = json.filter((event: { type: string }) => event.type === "heard")
  return rows.map(({ value }: { value: Heard }) => value)
}

async function spawn(server: Server, type: string): Promise<string> {
  const { json } = await server.call("PUT", `/v1/entities/${type}/one`, {})
  const session = json.entity.session_id
  const [provider_id, model_id] = ANTHROPIC.split("/")
  await server.call("PATCH", `/v1/sessions/${session}`, { model: { provider_id, model_id } })
  await server.settled(session)
  return session
}

function input(source: string, name?: string) {
  const raw = `/${name}`
  const command = { kind: "slash_command", start: 0, end: raw.length, raw, name }
  return { type: "composer_input", payload: { source, nodes: name ? [command] : [] } }
}

describe("an entity from outside", () => {
  it("[EA-021] hands a steered command and a steered rpc to the handler once: as a wake, or to one that listens (documents-001 3)", async () => {
    const { model, letGo } = await slowModel()
    const server = await startServer({ program: PROGRAM, environment: model.environment })
    const sessions = [await spawn(server, "busy"), await spawn(server, "listening")]
    const send = (type: string, body: object) => server.post(`/v1/entities/${type}/one/send`, body)
    for (const type of ["busy", "listening"]) await send(type, input("please wait"))
    await until(() => model.bodies.length === 2, "the model was asked by both")
    for (const type of ["busy", "listening"]) {
      await send(type, { ...input("and some words"), mode: "steer" })
      await send(type, { ...input("/search steered thing", "search"), mode: "steer" })
      await send(type, { type: "rpc", payload: { call: 7 }, mode: "steer" })
    }
    letGo()
    for (const session of sessions) await server.settled(session)
    expect(await heardBy(server, "busy")).toMatchObject([
      { how: "wake", message_type: "composer_input", said: "please wait" },
      { how: "wake", message_type: "composer_input", said: "/search steered thing" },
      { how: "wake", message_type: "rpc", said: '{"call":7}' },
    ])
    expect(await heardBy(server, "listening")).toMatchObject([
      { how: "wake", said: "please wait" },
      { how: "steered", said: "and some words" },
      { how: "steered", said: "/search steered thing" },
      { how: "steered", said: '{"call":7}' },
    ])
    // Words are for the model that is at work: they joined the turn, and made no wake of their own.
    const parts = (await server.messages(sessions[0] ?? "")).filter(({ role }) => role === "user")
    expect(parts.map(({ metadata }) => "steered" in metadata)).toEqual([
      false,
      false,
      true,
      false,
      false,
    ])
  })

  it("[EA-013] does what a row of the command collection says, also where a skill has a built-in's name (documents-001 4)", async () => {
    const server = await startServer({ program: PROGRAM })
    const session = await spawn(server, "plain")
    const send = (body: object) => server.post("/v1/entities/plain/one/send", body)
    await send(input("good morning"))
    await server.settled(session)
    const { commands } = (await server.get("/v1/entities/plain/one/commands")).json
    const learnt = commands.filter(({ owner }: { owner: string }) => owner === "skills")
    const skills = learnt.filter(({ description }: { description: string }) =>
      /\.zip|remember/.test(description),
    )
    expect(skills).toHaveLength(2)
    for (const { name } of skills) {
      expect((await send(input(`/${name}`, name))).status).toBe(200)
      await server.settled(session)
    }
    expect((await server.get(`/v1/sessions/${session}`)).json.session.archived_at).toBeNull()
    const parts = (await server.messages(session)).flatMap((message) => message.parts)
    const brought = parts
      .filter(({ type }) => type === "skill-content")
      .map(({ data }) => data.name)
    expect(new Set(brought)).toEqual(new Set(["archive", "memory"]))
    const doctor = await run(server.folders, ["commands", "doctor"])
    expect(doctor.out).not.toMatch(/archive|memory/)
  })
})
