import { readFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { DETECTORS } from "../../packages/engine/policy/secrets/detectors.ts"
import { findSecrets, WordScanner } from "../../packages/engine/policy/secrets/find-secrets.ts"
import { redact, redactValue } from "../../packages/engine/policy/secrets/redact.ts"
import { armour, FAKE_SECRETS, hex, jsonWebToken, random } from "./fake-secrets.ts"

function kindsIn(text: string): string[] {
  return findSecrets(text).secrets.map(({ kind }) => kind)
}

describe("secrets", () => {
  it("[BEY-04] are known in more than 50 kinds, each of them tested here", () => {
    const known = new Set(DETECTORS.map(({ kind }) => kind))
    expect(known.size).toBeGreaterThan(50)
    expect(new Set(FAKE_SECRETS.map(({ kind }) => kind))).toEqual(known)
  })

  it.each(FAKE_SECRETS)(
    "[BEY-04] of the kind $kind are found and named",
    ({ kind, secret, text = secret }) => {
      for (const around of [text, `before\n${text}\nafter`, `  ${text}`, `say\n${text}`]) {
        const { text: clean, findings } = redact(around)
        expect([around, findings.map((finding) => finding.kind)]).toEqual([
          around,
          expect.arrayContaining([kind]),
        ])
        for (const piece of secret.split("\n")) expect(clean).not.toContain(piece)
        expect(clean).toContain(`[redacted: ${kind}]`)
        expect(clean.split("\n").length).toBe(around.split("\n").length)
      }
    },
  )

  it.each(FAKE_SECRETS.filter(({ text }) => text === undefined))(
    "[BEY-04] of the kind $kind are found in quotes, after an escape and in an address",
    ({ kind, secret }) => {
      for (const around of [
        `"${secret}"`,
        `(${secret})`,
        `"a\\n${secret}"`,
        `?q%3D${secret}`,
        `x=${secret};`,
      ])
        expect([around, kindsIn(around)]).toEqual([around, [kind]])
    },
  )

  it("[BEY-04] are told by kind, count and line, and never themselves", () => {
    const first = `npm_${random(36)}`
    const second = `npm_${random(36)}`
    const text = `one\n${first}\nthree ${second} ${first}\r\nDB_PASSWORD=hunter2x\n`
    expect(redact(text)).toEqual({
      text: "one\n[redacted: npm token]\nthree [redacted: npm token] [redacted: npm token]\r\nDB_PASSWORD=[redacted: password]\n",
      findings: [
        { kind: "npm token", count: 3, lines: [2, 3] },
        { kind: "password", count: 1, lines: [4] },
      ],
      gaveUp: false,
    })
  })

  it("[BEY-04] that go over several lines leave the lines as they were", () => {
    const key = armour("RSA PRIVATE KEY", 3).replaceAll("\n", "\r\n")
    const { text, findings } = redact(`a\r\n${key}\r\nb`)
    expect(text).toBe("a\r\n[redacted: private key]\r\n\r\n\r\n\r\n\r\nb")
    expect(findings).toEqual([{ kind: "private key", count: 1, lines: [2] }])
  })

  it("[BEY-04] are found though a key was cut off at either end", () => {
    const lines = armour("RSA PRIVATE KEY", 8).split("\n")
    expect(redact(`${lines.slice(0, 5).join("\n")}\nnot a key`).text).toMatch(
      /^\[redacted: private key\]\n+not a key$/,
    )
    expect(redact(`not a key\n${lines.slice(4).join("\n")}`).text).toMatch(
      /^not a key\n\[redacted: private key\]\n+$/,
    )
  })

  it("[BEY-04] are removed whole, however long they are", () => {
    const long = random(2_000_000)
    for (const text of [`token: "${long}"`, `API_KEY=${long}`, `sk-ant-${long}`, `ghp_${long}`])
      expect([text.slice(0, 9), redact(text).text.length < 50]).toEqual([text.slice(0, 9), true])
  })

  it("[BEY-04] are gone for good: what was redacted holds none", () => {
    const everything = FAKE_SECRETS.map(({ secret, text = secret }) => text).join("\n\n")
    const once = redact(everything)
    expect(redact(once.text)).toEqual({ text: once.text, findings: [], gaveUp: false })
  })

  it("[BEY-04] are found wherever they stand in any text", () => {
    const anywhere = fc.property(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(...FAKE_SECRETS),
      fc.string({ unit: "grapheme" }),
      (before, { secret, text = secret }, after) => {
        const { text: clean } = redact(`${before}\n${text}\n${after}`)
        expect(clean).not.toContain(secret)
      },
    )
    fc.assert(anywhere, { numRuns: 500 })
  })
})

describe("what only looks like a secret", () => {
  const uuid = `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`
  const image = Buffer.from(random(30_000)).toString("base64")
  const LOOKALIKES = [
    uuid,
    hex(40),
    hex(64),
    `commit ${hex(40)}\nindex ${hex(7)}..${hex(7)} 100644`,
    `![dot](data:image/png;base64,${image})`,
    `"integrity": "sha512-${image.slice(0, 86)}=="`,
    `checksum = "${hex(64)}"`,
    `{"version":3,"mappings":"${"AAAA;".repeat(100)}"}//# sourceMappingURL=data:application/json;base64,${Buffer.from('{"version":3,"sources":[]}').toString("base64")}`,
    "-----BEGIN CERTIFICATE-----\nMIIBkTCB+wIJAKHHIG\n-----END CERTIFICATE-----",
    `-----BEGIN PUBLIC KEY-----\n${random(64)}\n-----END PUBLIC KEY-----`,
    "the header is -----BEGIN RSA PRIVATE KEY----- and then base64",
    "const token = await getToken(session.id2)",
    "token: string\npassword: string;\nsecret: Uint8Array\napiKey?: ApiKeyV2",
    "password = user.password2\nsecret = process.env.SECRET_2",
    'PASSWORD=${DB_PASSWORD}\nSECRET=<your-secret-1>\napi_key: "YOUR_API_KEY_123"\npassword: "********"',
    'secretName: "db-credentials-v2"\ntokenType: "bearer2"\nmax_tokens: 4096000000',
    '"js-tokens": "^4.0.0", "csrf-token": "1.2.3-beta.4"',
    "password_reset_url: /users/password/v2\nlabels.password: Passwort",
    "the password: is it long enough2?",
    "https://example.com:8080/@scope/package and http://localhost:3000/a:b@c",
    "https://user@example.com and git@example.com:a/b.git and mailto:a@b.c",
    "postgres://localhost:5432/app and redis://:${PASSWORD}@cache",
    "sk-circle-fade-dot-animation-delay and task-management-system-board",
    "AKIA is a prefix, ghp_ too, and xoxb-your-token-here is nothing",
    "eyJhbGciOi is how a token begins, and eyJhIjoxfQ.eyJiIjoyfQ.c is none",
    "basic authentication and bearer authentication are described below",
    "a basic understandingofthings",
    "version 10:AAPL rose; SG.com; hf_hub_download_with_retry_and_progress_bar",
  ]

  it.each(LOOKALIKES)("[BEY-04] is left alone: %s", (text) => {
    expect(kindsIn(text)).toEqual([])
  })

  it("[BEY-04] is left alone in a lock file and in our own sources", () => {
    const root = join(import.meta.dirname, "../..")
    for (const path of [
      "package-lock.json",
      "tsconfig.json",
      "packages/engine/policy/secrets/detectors.ts",
    ])
      expect([path, kindsIn(readFileSync(join(root, path), "utf8"))]).toEqual([path, []])
  })
})

describe("the search for secrets", () => {
  it("gives up on a text that is made of their words, and says so", () => {
    expect(findSecrets("sk-".repeat(400_000))).toEqual({ secrets: [], gaveUp: true })
    const many = Array.from({ length: 10_001 }, (_, at) => `npm_${String(at).padStart(36, "a")}`)
    expect(findSecrets(many.join(" ")).gaveUp).toBe(true)
    expect(findSecrets("word ".repeat(400_000)).gaveUp).toBe(false)
  })

  it("takes time in proportion to the text, whatever it is made of", { timeout: 120_000 }, () => {
    const words = [...new Set(DETECTORS.flatMap(({ words }) => words))]
    const units = [...words, "token=", "token='", "://a:", "eyJhbGciOiJIUzI1NiJ9.", "--token "]
    for (const unit of units) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length))
      const began = performance.now()
      findSecrets(text)
      expect([unit, performance.now() - began < 3000]).toEqual([unit, true])
    }
  })

  it("finds every word of a list, in any case where it should", () => {
    const texts = fc.array(fc.constantFrom("ab", "abc", "bca", "Key", "xyz", "-", "é"))
    const words = [
      { text: "ab", folded: false, id: 0 },
      { text: "bca", folded: false, id: 1 },
      { text: "key", folded: true, id: 2 },
      { text: "-x", folded: false, id: 3 },
    ]
    const scanner = new WordScanner(words)
    const property = fc.property(texts, fc.boolean(), (pieces, isUpper) => {
      const joined = pieces.join("")
      const text = isUpper ? joined.toUpperCase() : joined
      const found: string[] = []
      scanner.scan(text, (at, id) => void found.push(`${at}:${id}`))
      const expected = words.flatMap(({ text: word, folded, id }) =>
        placesOf(folded ? text.toLowerCase() : text, word).map((at) => `${at}:${id}`),
      )
      expect(found.sort()).toEqual(expected.sort())
    })
    fc.assert(property, { numRuns: 300 })
  })
})

function placesOf(text: string, word: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) places.push(at)
  return places
}

describe("secrets in data", () => {
  it("[BEY-04] are found in every string, by their form or by their key", () => {
    const token = jsonWebToken()
    const value = {
      kind: "selection",
      nodes: [{ text: `Authorization: ${token}`, depth: 2 }, null, true],
      settings: { password: "hunter2x", "api-key": hex(32), title: "password rules" },
      text: "DB_PASSWORD=hunter2x\nok",
      [`npm_${random(36)}`]: 1,
    }
    expect(redactValue(value)).toEqual({
      value: {
        kind: "selection",
        nodes: [{ text: "Authorization: [redacted: JSON web token]", depth: 2 }, null, true],
        settings: {
          password: "[redacted: password]",
          "api-key": "[redacted: secret]",
          title: "password rules",
        },
        text: "DB_PASSWORD=[redacted: password]\nok",
        "[redacted: npm token]": 1,
      },
      findings: [
        { kind: "JSON web token", count: 1, lines: [] },
        { kind: "password", count: 2, lines: [] },
        { kind: "secret", count: 1, lines: [] },
        { kind: "npm token", count: 1, lines: [] },
      ],
      gaveUp: false,
    })
  })

  it("[BEY-04] leave data without any as it was", () => {
    const property = fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const { value: clean, findings } = redactValue(value)
      if (findings.length === 0) expect(clean).toEqual(value)
    })
    fc.assert(property, { numRuns: 200 })
  })

  it("are not looked for deeper than the limit, and that is said", () => {
    let value: unknown = "deep"
    for (let depth = 0; depth < 100_000; depth++) value = [value]
    expect(redactValue(value).gaveUp).toBe(true)
  })
})
