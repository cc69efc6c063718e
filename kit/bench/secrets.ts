import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { judge } from "../../packages/engine/policy/judge.ts"
import { policyOf } from "../../packages/engine/policy/policy.ts"
import { findSecrets } from "../../packages/engine/policy/secrets/find-secrets.ts"
import { redact } from "../../packages/engine/policy/secrets/redact.ts"
import { FAKE_SECRETS, hex, random } from "../../test/policy/fake-secrets.ts"
import { sized, table } from "./figures.ts"

const ROOT = join(import.meta.dirname, "..", "..")

/** How much of what is hidden is found, how often something else is taken for a secret, and how long
 *  the search holds the event loop. True if all gates hold. */
export async function benchSecrets({ json }: { json: boolean }): Promise<boolean> {
  const found = DISGUISES.map(foundIn)
  const alarms = falseAlarms()
  const loop = await longestHold()
  const rows = [
    ...found.map(({ name, share, least }) => [
      `found: ${name}`,
      `${(share * 100).toFixed(1)} %`,
      `≥ ${least * 100} %`,
    ]),
    [`false alarms in ${alarms.megabytes.toFixed(1)} MB`, String(alarms.count), `≤ ${MAX_ALARMS}`],
    ["event loop held, 3.6 MB of password=", `${loop.toFixed(0)} ms`, `≤ ${MAX_HOLD_MS} ms`],
  ]
  const held = found.every(({ share, least }) => share >= least)
  console.log(
    json ? JSON.stringify({ found, alarms, loop }) : table(["what", "measured", "wanted"], rows),
  )
  return held && alarms.count <= MAX_ALARMS && loop <= MAX_HOLD_MS
}

/** What the search without disguises took for a secret in the same texts. */
export const MAX_ALARMS = 1
const MAX_HOLD_MS = 50

interface Disguise {
  readonly name: string
  /** The text that a reader is shown. */
  readonly hide: (secret: string) => string
  readonly least: number
}

const SHORT_LINE = 22

export const DISGUISES: readonly Disguise[] = [
  { name: "as it is", hide: (secret) => secret, least: 1 },
  { name: "U+200B inside", hide: (secret) => broken(secret, "\u200b"), least: 0.99 },
  { name: "soft hyphen inside", hide: (secret) => broken(secret, "\u00ad"), least: 0.99 },
  { name: "percent-encoded", hide: percentEncoded, least: 0.99 },
  { name: "base64", hide: (secret) => base64(`the key: ${secret}`), least: 0.99 },
  {
    name: "base64 in lines",
    hide: (secret) => lines(base64(`key ${secret} `.repeat(3))),
    least: 0.99,
  },
  {
    name: "hexadecimal",
    hide: (secret) => Buffer.from(`key ${secret}`).toString("hex"),
    least: 0.99,
  },
  { name: "line break inside", hide: (secret) => broken(secret, "\n"), least: 0.9 },
]

/** Kinds that are known by their form alone: what only a name gives away is none when it is hidden. */
const KNOWN_BY_FORM = FAKE_SECRETS.filter(
  ({ secret, text }) => text === undefined && !/\s|\\n/.test(secret),
)

export function foundIn({ name, hide, least }: Disguise) {
  const kept = KNOWN_BY_FORM.filter(({ secret }) => {
    const hidden = hide(secret)
    const { text } = redact(`before ${hidden}\nafter\n`)
    return text.includes(hidden.slice(-12))
  })
  const share = 1 - kept.length / KNOWN_BY_FORM.length
  return { name, share, least, missed: kept.map(({ kind }) => kind) }
}

function broken(secret: string, mark: string): string {
  const at = Math.min(SHORT_LINE, Math.floor(secret.length / 2))
  return `${secret.slice(0, at)}${mark}${secret.slice(at)}`
}

function percentEncoded(secret: string): string {
  return secret.replace(/./g, (letter) => `%${letter.charCodeAt(0).toString(16)}`)
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}

function lines(text: string): string {
  return text.replace(/.{76}/g, "$&\n")
}

/** Texts that hold no secret: our own sources and documents, what others published, pictures in
 *  base64, checksums, ids. */
export function innocentTexts(): { readonly name: string; readonly text: string }[] {
  const patterns = [
    "packages/**/*.{ts,tsx,css}",
    "apps/**/*.{ts,tsx,css}",
    "docs/**/*.{md,json}",
    "*.{md,json}",
    "node_modules/{hono,zod,ws,yaml,commander,pg}/**/*.{js,cjs,mjs,md,d.ts}",
  ]
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
  const read = files.slice(0, sized(5000, 500)).map((name) => ({
    name,
    text: readFileSync(join(ROOT, name), "utf8"),
  }))
  const pictures = globSync("docs/*.png", { cwd: ROOT }).map((name) => ({
    name: `${name} in base64`,
    text: `data:image/png;base64,${readFileSync(join(ROOT, name)).toString("base64")}`,
  }))
  return [...read, ...pictures, { name: "ids and checksums", text: idsAndChecksums() }]
}

function idsAndChecksums(): string {
  const uuid = () => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
  const line = () => `${uuid()} ${hex(40)} ${hex(64)} sha512-${random(86)}== ${random(22)}`
  return Array.from({ length: 5000 }, line).join("\n")
}

function falseAlarms() {
  const texts = innocentTexts()
  const alarms = texts.flatMap(({ name, text }) =>
    findSecrets(text).secrets.map(({ kind }) => `${name}: ${kind}`),
  )
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0)
  return { count: alarms.length, megabytes: characters / 1e6, alarms }
}

async function longestHold(): Promise<number> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await judge(policyOf(), { origin: "paste", text: "password=".repeat(400_000) })
  await new Promise((resolve) => setImmediate(resolve))
  delay.disable()
  return delay.max / 1e6
}
