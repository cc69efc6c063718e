import { vocabulary as commandWords } from "compositor-core/catalog/catalog"
import type { Skill } from "compositor-core/catalog/skill"
import type { StoredMessage } from "compositor-core/message/row"
import type { HandledTurn, TurnHandler } from "../turns/turn-handler.ts"
import type { Claim, StoredEntity } from "../store/store.ts"
import { loadedSkills } from "../submit/loaded-skills.ts"
import { preview } from "../submit/submit.ts"
import { addressOf, derivedId, type EntityAddress, printEntityAddress } from "./address.ts"
import { collections } from "./collections.ts"
import { commandHelpers } from "./command-helpers.ts"
import { partsOfSend } from "./compose-send.ts"
import {
  type AgentOptions,
  composerInput,
  type EntityContext,
  type NewSchedule,
  type OutgoingMessage,
} from "./context.ts"
import { EffectLog } from "./effect-log.ts"
import { type AnyDefinition, agentFromDefinition } from "./definition.ts"
import type { Entities } from "./entities.ts"
import type { Inbox, SentToInbox } from "./inbox.ts"
import { insertedContext } from "./inserted-context.ts"
import type { EntityDependencies } from "./rooms.ts"
import type { Schedules } from "./schedules.ts"
import { skillsLoader } from "./skills-loader.ts"
import { commandsIn, type TypedIn } from "./session-commands.ts"
import { COMPOSER_INPUT, type HandlerWake, inboxIn, PLAIN_MESSAGE, wakeOf } from "./wake.ts"

interface HandlerDependencies {
  readonly rooms: EntityDependencies
  readonly entities: Entities
  readonly inbox: Inbox
  readonly schedules: Schedules
}

/** Who handles a claimed message. A type with a handler always does; any session that was spawned as
 *  an entity has at least the built-in one. Every other session is the model's (decision 14). */
export async function handlerOf(
  house: HandlerDependencies,
  claim: Pick<Claim, "turn">,
): Promise<TurnHandler | undefined> {
  const { session_id, agent } = claim.turn
  const definition = house.entities.definitionOf(agent)
  const entity = await house.rooms.store.entityOf(session_id)
  if (!definition || (!definition.handler && !entity)) return undefined
  const handler = definition.handler ?? assistantHandler
  return async (turn) => handler(await contextOf(house, { turn, definition, entity }))
}

/** The built-in assistant: skills, and then the model. There is nothing to answer in having begun. */
async function assistantHandler(ctx: EntityContext) {
  await skillsLoader(ctx)
  if (ctx.wake.type !== "spawn") await ctx.agent()
}

interface Handling {
  readonly turn: HandledTurn
  readonly definition: AnyDefinition
  readonly entity: StoredEntity | null
}

async function contextOf(house: HandlerDependencies, handling: Handling): Promise<EntityContext> {
  const { rooms, schedules } = house
  const { store } = rooms
  const { turn, definition, entity } = handling
  const { claim, signal } = turn
  const { session_id, message_id } = claim.turn
  const { workspace_root } = claim
  const deeds = await EffectLog.begin(store, claim)
  const wake = await wakeOfMessage(house, session_id, message_id)
  if (!entity) await house.entities.introduce(session_id, definition)
  const commands = await commandHelpers(store, deeds)
  const submitRooms = rooms.submitRooms()
  const policy = submitRooms.policy(workspace_root)
  const rows = collections(store, deeds, definition.state ?? {})
  const own = addressIn(definition, entity, session_id)
  const principal = (await rooms.ownerOf(session_id)) ?? null
  const context = {
    entity: { ...own, session_id, args: entity?.args ?? null },
    wake,
    workspace_root,
    signal,
    slashCommands: commands,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its collections are named by the definition
    db: { collections: { ...rows, slashCommands: commands } } as unknown as EntityContext["db"],
    memory: () => rooms.memory({ session_id, workspace_root }),
    skills: () => offeredSkills(submitRooms, workspace_root, definition),
    loadedSkills: () => loadedSkills(store, session_id),
    skillNames: () => skillNames(rooms, definition, { session_id, workspace_root }),
    ...insertedContext({ store, policy, changed: () => turn.changed() }, deeds),
    agent: (options: AgentOptions = {}) => agent(house, { turn, deeds, options, definition }),
    resolve: () => resolve(house, handling, wake),
    scratchDir: () => rooms.scratch(session_id, agentFromDefinition(definition).scratch),
    schedule: (name: string, about: NewSchedule) =>
      deeds.once("schedule", async () => void (await schedules.put(session_id, name, about))),
    unschedule: (name: string) =>
      deeds.once("unschedule", () => schedules.remove(session_id, name)),
    ...relations(house, deeds, { own, principal, workspace_root }),
  } satisfies EntityContext & { loadedSkills: unknown; skillNames: unknown }
  return context
}

/** A session whose agent is an entity type has its own id for a name until it is given one. */
function addressIn(
  { type }: AnyDefinition,
  entity: StoredEntity | null,
  session_id: string,
): EntityAddress {
  return { type, id: entity?.name ?? session_id }
}

async function wakeOfMessage(
  { rooms, schedules }: HandlerDependencies,
  session_id: string,
  message_id: string,
): Promise<HandlerWake> {
  const message = await rooms.store.message(session_id, message_id)
  if (!message) throw new Error(`there is no message ${message_id} to wake for`)
  return wakeOf(message, await schedules.of(message))
}

async function offeredSkills(
  rooms: ReturnType<EntityDependencies["submitRooms"]>,
  workspace_root: string | null,
  { skills: offered = "all" }: AnyDefinition,
): Promise<ReadonlyMap<string, Skill>> {
  const skills = await rooms.skills(workspace_root)
  if (offered === "all") return skills
  return new Map([...skills].filter(([name]) => offered.includes(name)))
}

/** What skills are typed as in the entity's session; where its handler gives commands their meaning,
 *  nothing else has their names. */
async function skillNames(
  rooms: EntityDependencies,
  definition: AnyDefinition,
  place: Pick<TypedIn, "session_id" | "workspace_root">,
): Promise<ReadonlyMap<string, string>> {
  if (definition.resolve === "handler") return new Map()
  const commands = await commandsIn(rooms, definition, { ...place, agent: definition.type })
  return new Map(
    commands
      .list()
      .flatMap(({ name, command }) => (command.kind === "skill" ? [[command.skill, name]] : [])),
  )
}

interface Asking {
  readonly turn: HandledTurn
  readonly deeds: EffectLog
  readonly options: AgentOptions
  readonly definition: AnyDefinition
}

/** One conversation is one deed: a handler that runs again is given its answer, or goes on with it. */
async function agent(house: HandlerDependencies, { turn, deeds, options, definition }: Asking) {
  return deeds.once("agent", async () => {
    const { store } = house.rooms
    const { session_id } = deeds
    const { message_id, finish } = await turn.converse({
      settled: deeds.lastAnswer(),
      joins: options.steered ? undefined : (message) => !isForHandler(message, definition),
      steered: async (ids) => {
        for (const id of ids) {
          const wake = await wakeOfMessage(house, session_id, id)
          if (wake.type === "inbox") await options.steered?.(wake)
        }
      },
    })
    const message = await store.message(session_id, message_id)
    const words = message?.parts.filter(({ type }) => type === "text") ?? []
    const text = words.map(({ data }) => String(data.text)).join("")
    return { message_id, finish, text }
  })
}

/** Words are for the model that is at work. A command of the entity and a message of another type mean
 *  nothing to it: a handler that does not listen for them is woken by them (EA-021). */
function isForHandler({ id, metadata, parts }: StoredMessage, { resolve }: AnyDefinition): boolean {
  const { message_type } = inboxIn(id, metadata)
  if (message_type !== COMPOSER_INPUT && message_type !== PLAIN_MESSAGE) return true
  const outcomes = resolve === "handler" ? ["handler", "pass-through"] : ["handler"]
  return parts.some(
    ({ type, data }) => type === "command" && outcomes.includes(String(data.outcome)),
  )
}

/** The catalog is the workspace's: what the entity itself calls a command stays one. */
async function resolve(
  { rooms }: HandlerDependencies,
  { turn, definition }: Handling,
  wake: HandlerWake,
) {
  const { workspace_root } = turn.claim
  const { session_id } = turn.claim.turn
  const input = composerInput(wake)
  if (!input) throw new Error("only an input has commands to resolve")
  const catalog = await rooms.catalog(workspace_root)
  const { commands } = commandWords(catalog)
  const servers = rooms.servers(workspace_root)
  const vocabulary = { commands, mentions: [], contexts: [], servers }
  const parts = partsOfSend({ type: "input", input }, vocabulary, [])
  if (definition.resolve === "submit") throw new Error("what was sent was resolved on its way in")
  const workspace = { ...rooms.submitRooms(), catalog: async () => catalog }
  return preview(workspace, workspace_root, { session_id, parts })
}

interface Standing {
  readonly own: EntityAddress
  /** Whose it is: it meets nobody else's. */
  readonly principal: string | null
  readonly workspace_root: string | null
}

/** What an entity has to do with others. Each is its own commit; the ids that it makes follow from
 *  the wake, so that doing it again finds what was done. */
function relations(
  { rooms, entities, inbox }: HandlerDependencies,
  deeds: EffectLog,
  { own, principal, workspace_root }: Standing,
): Pick<EntityContext, "send" | "spawn" | "observe" | "unobserve"> {
  const { store } = rooms
  const sender = `agent:${printEntityAddress(own)}`
  const among = (to: string | EntityAddress) => ({ ...addressOf(to), principal })
  const usual = principal === null ? {} : { workspace_root }
  const send = async (
    to: EntityAddress,
    message: OutgoingMessage,
    about: string,
  ): Promise<SentToInbox> => {
    const message_id = derivedId("msg", deeds.wake, about)
    const known = await store.message((await entities.stored(to)).session_id, message_id)
    if (known) return { key: message_id, txid: "", warnings: [], replayed: true }
    return inbox.send(to, message, { principal: sender, message_id })
  }
  return {
    send: (to, message) =>
      deeds.once("send", ({ ordinal }) => send(among(to), message, `send:${ordinal}`)),
    spawn: (to, { initialMessage, ...options } = {}) =>
      deeds.once("spawn", async ({ ordinal }) => {
        const address = among(to)
        const about = { ...usual, ...options, spawned_by: `${deeds.wake}:${ordinal}` }
        const parent = printEntityAddress(own)
        const { entity } = await entities.spawn(address, { ...about, parent })
        if (initialMessage) await send(address, initialMessage, `spawn:${ordinal}`)
        return entity
      }),
    async observe(to, { collections: named = [] } = {}) {
      const entity = await entities.get(among(to))
      const effect = deeds.next("observe")
      const pair = { observer: deeds.session_id, observed: entity.session_id }
      await store.observe({ ...pair, collections: named, effect })
      return { entity, rows: (collection) => store.entityRows(entity.session_id, collection) }
    },
    async unobserve(to) {
      const { session_id: observed } = await entities.stored(among(to))
      const effect = deeds.next("unobserve")
      await store.unobserve({ observer: deeds.session_id, observed, effect })
    },
  }
}
