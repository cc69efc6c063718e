import { describe, expect, it } from "vitest"
import { BUILTINS } from "../../src/catalog/builtin.ts"
import { Catalog, vocabulary } from "../../src/catalog/catalog.ts"
import type { Command } from "../../src/catalog/command.ts"
import { partsOfInput } from "../../src/compose/bridge.ts"
import { parse } from "../../src/compose/parse.ts"
import { DEFAULT_CONTEXTS, type Vocabulary } from "../../src/compose/vocabulary.ts"
import { lower } from "../../src/lower/lower.ts"
import type { Part, UnknownPart } from "../../src/message/part.ts"
import { capabilitiesOfApi } from "../../src/model/capabilities.ts"
import { wireOf } from "../../src/provider/registry.ts"
import { fragmentText } from "../../src/provider/wire.ts"
import { resolve } from "../../src/submit/resolve.ts"

const MESSAGES = Number(process.env.LEAK_MESSAGES ?? 10_000)
const SOURCE = { tool: "compositor", scope: "user", owner: "user" } as const

const random = seeded(20_261_115)
const word = () => `w${Math.floor(random() * 1e9).toString(36)}z`
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

const commands = Array.from(
  { length: 500 },
  (): Command => ({
    kind: "template",
    name: word(),
    dialect: "compositor",
    body: pick(["Look closely.", "Do: $ARGUMENTS", "First $1, then $2."]),
    source: SOURCE,
    trust: "trusted",
  }),
)
const skills = Array.from(
  { length: 100 },
  (_, at): Command => ({
    kind: "skill",
    name: `skill-${at}`,
    skill: `skill-${at}`,
    dialect: "skill",
    body: "Be careful.",
    source: SOURCE,
    trust: "trusted",
  }),
)
const catalog = new Catalog([
  { owner: "builtin", commands: BUILTINS },
  { owner: "user", commands: [...commands, ...skills] },
])
const known: Vocabulary = {
  ...vocabulary(catalog),
  mentions: [],
  contexts: DEFAULT_CONTEXTS,
  servers: [],
}
const wire = wireOf("anthropic-messages")
const capabilities = capabilitiesOfApi("anthropic-messages")

interface Message {
  readonly source: string
  /** Words that stand in recognised tokens only. */
  readonly secret: readonly string[]
  /** Texts that must arrive as they are. */
  readonly verbatim: readonly string[]
}

/** Prose, commands, skills, and the same tokens where they mean nothing: in fences, code and URLs. */
function randomMessage(): Message {
  const secret: string[] = []
  const verbatim: string[] = []
  const pieces = Array.from({ length: 1 + Math.floor(random() * 6) }, () => {
    const { name } = pick(commands)
    switch (Math.floor(random() * 6)) {
      case 0:
        secret.push(name)
        return `/${name} one two`
      case 1: {
        const skill = pick(skills).name
        secret.push(`@skill:${skill}`, `/${skill}`)
        return random() < 0.5 ? `@skill:${skill}` : `/${skill}`
      }
      case 2: {
        const other = word()
        verbatim.push(`\`/${other}\``)
        return `plain \`/${other}\` text`
      }
      case 3: {
        const other = word()
        verbatim.push(`https://example.test/${other}`)
        return `see https://example.test/${other} there`
      }
      case 4: {
        const other = word()
        verbatim.push(`/${other} in a fence`)
        return `\n\`\`\`\n/${other} in a fence\n@skill:${other}\n\`\`\`\n`
      }
      default:
        return `words ${word()}`
    }
  })
  return { source: pieces.join(" "), secret, verbatim }
}

async function wireBody(source: string, change: (part: Part | UnknownPart) => Part | UnknownPart) {
  const parts = partsOfInput({ source, nodes: parse(source, known) }, known)
  const resolved = await resolve({ catalog, shell: async () => "" }, { parts })
  const loaded = resolved.parts.map(({ id, part }) => ({ id, part: change(part), file: null }))
  const { blocks } = lower(loaded, capabilities)
  const message = wire?.encode({ role: "user", blocks })
  return message ? fragmentText(message, async function* () {}) : ""
}

/** The words of recognised tokens that a body shows. */
function leaks(body: string, secret: readonly string[]): string[] {
  return secret.filter((word) => body.includes(word))
}

describe("what a model is sent", () => {
  it("[CMP-047] has no word of a recognised token, and all that stood in fences, code and URLs", async () => {
    for (let at = 0; at < MESSAGES; at++) {
      const { source, secret, verbatim } = randomMessage()
      const body = await wireBody(source, (part) => part)
      expect(leaks(body, secret), source).toEqual([])
      const shown = source.includes("/w") && secret.length > 0 ? [] : verbatim
      for (const text of shown) expect(body).toContain(JSON.stringify(text).slice(1, -1))
    }
  }, 120_000)

  it("[CMP-047] is caught when it shows one token", async () => {
    const leaky = (part: Part | UnknownPart) =>
      part.type === "command" ? { ...part, outcome: "pass-through" } : part
    let caught = 0
    for (let at = 0; at < 200; at++) {
      const { source, secret } = randomMessage()
      if (leaks(await wireBody(source, leaky), secret).length > 0) caught += 1
    }
    expect(caught).toBeGreaterThan(10)
  })
})

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
