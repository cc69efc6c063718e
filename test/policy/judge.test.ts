import { describe, expect, it } from "vitest"
import { IngressOrigin, PolicyConfig } from "../../packages/engine/policy/config.ts"
import {
  type Arrival,
  judgeNow as judge,
  judgeValue,
  MAX_JUDGED_CHARACTERS,
} from "../../packages/engine/policy/judge.ts"
import { policyOf } from "../../packages/engine/policy/policy.ts"
import { FAKE_SECRETS, random } from "./fake-secrets.ts"

const POLICY = policyOf()
const ORIGINS = IngressOrigin.options

function verdictOn(arrival: Arrival, config: PolicyConfig = {}) {
  const verdict = judge(policyOf(config), arrival)
  return verdict.verdict === "deny" ? `deny: ${verdict.rule}` : verdict.verdict
}

describe("judge", () => {
  it.each(ORIGINS)("[BEY-04] lets a plain text in by way of %s", (origin) => {
    const arrival = {
      origin,
      path: "src/a.ts",
      name: "a.ts",
      text: "let a = 1\n",
      mime: "text/plain",
    }
    expect(judge(POLICY, arrival)).toEqual({ verdict: "allow" })
    expect(judge(POLICY, { origin })).toEqual({ verdict: "allow" })
  })

  it.each(ORIGINS)(
    "[BEY-04] removes secrets of every kind from what comes by way of %s",
    (origin) => {
      for (const { kind, secret, text = secret } of FAKE_SECRETS) {
        const verdict = judge(POLICY, { origin, text: `say\n${text}\n` })
        if (verdict.verdict !== "redact") throw new Error(`${kind} was let in`)
        expect(verdict.text).not.toContain(secret)
        expect(verdict.findings.map((finding) => finding.kind)).toContain(kind)
        expect(JSON.stringify(verdict)).not.toContain(JSON.stringify(secret).slice(1, -1))
      }
    },
  )

  it("[BEY-04] says in a sentence what was removed and where", () => {
    const token = `npm_${random(36)}`
    expect(judge(POLICY, { origin: "ref", path: "a/b.sh", text: `x\n${token}\n${token}` })).toEqual(
      {
        verdict: "redact",
        rule: "secret",
        reason: "removed from a/b.sh: 2 × npm token (lines 2, 3)",
        text: "x\n[redacted: npm token]\n[redacted: npm token]",
        findings: [{ kind: "npm token", count: 2, lines: [2, 3] }],
      },
    )
    const pasted = judge(POLICY, { origin: "paste", text: token })
    expect(pasted).toMatchObject({ reason: "removed from the text: npm token (line 1)" })
  })

  it("[BEY-04] keeps out files that exist to hold a secret, by path or by name", () => {
    const kept = [
      ".env",
      ".env.local",
      "packages/web/.env.production",
      ".ENV",
      "certs/server.pem",
      "id_rsa",
      "keys/id_ed25519",
      "/home/jane/.ssh/config",
      "/home/jane/.aws/credentials",
      ".netrc",
      "vault.kdbx",
      "store.p12",
      "/root/.kube/config",
      "/root/.docker/config.json",
      "infra/prod.tfstate",
      "C:\\Users\\jane\\.env",
      ".env.",
      ".env::$DATA",
      "a/../.env",
    ]
    for (const path of kept) {
      expect([path, verdictOn({ origin: "ref", path })]).toEqual([path, "deny: deny"])
      expect([path, verdictOn({ origin: "attachment", name: path })]).toEqual([path, "deny: deny"])
    }
    const letIn = [
      ".env.example",
      "id_rsa.pub",
      "environment.ts",
      "src/env.ts",
      "kube/config",
      "a.key",
    ]
    for (const path of letIn)
      expect([path, verdictOn({ origin: "ref", path })]).toEqual([path, "allow"])
  })

  it("[BEY-04] names the rule that kept something out", () =>
    expect(judge(POLICY, { origin: "ref", path: "web/.env.local" })).toEqual({
      verdict: "deny",
      rule: "deny",
      reason: "web/.env.local is kept out by the deny rule .env*",
    }))

  it("[BEY-04] keeps out a settings file only if a secret is in it", () => {
    const text = `//packages.example/:_authToken=${random(24)}\n`
    expect(verdictOn({ origin: "ref", path: ".npmrc", text })).toBe("deny: secret")
    expect(verdictOn({ origin: "ref", path: ".npmrc", text: "save-exact=true\n" })).toBe("allow")
    expect(verdictOn({ origin: "ref", path: "notes.txt", text })).toBe("redact")
  })

  it("[BEY-04] lets the user add deny rules and take defaults away", () => {
    const deny = ["*.secret", "private/", "!.env.test"]
    expect(verdictOn({ origin: "ref", path: "a.secret" }, { deny })).toBe("deny: deny")
    expect(verdictOn({ origin: "ref", path: "x/private/a" }, { deny })).toBe("deny: deny")
    expect(verdictOn({ origin: "ref", path: ".env.test" }, { deny })).toBe("allow")
    expect(verdictOn({ origin: "ref", path: ".env" }, { deny })).toBe("deny: deny")
  })

  it("[BEY-04] can be told to keep out what holds secrets, or not to look for them", () => {
    const arrival: Arrival = { origin: "paste", text: `npm_${random(36)}` }
    expect(verdictOn(arrival, { secrets: "deny" })).toBe("deny: secret")
    expect(verdictOn(arrival, { secrets: "allow" })).toBe("allow")
  })

  it("[BEY-04] closes a way in that the settings deny", () => {
    const config: PolicyConfig = { denied_origins: ["mcp"] }
    expect(verdictOn({ origin: "mcp", text: "a" }, config)).toBe("deny: origin")
    expect(verdictOn({ origin: "paste", text: "a" }, config)).toBe("allow")
    const offline: PolicyConfig = { denied_origins: ["web"] }
    expect(verdictOn({ origin: "web", text: "a" }, offline)).toBe("deny: origin")
    expect(verdictOn({ origin: "command-output", text: "a" }, offline)).toBe("allow")
  })

  it("[BEY-04] holds every way in to its size", () => {
    expect(verdictOn({ origin: "memory", text: "a".repeat(1024 * 1024 + 1) })).toBe("deny: size")
    expect(verdictOn({ origin: "ref", size: 2 ** 31 })).toBe("deny: size")
    expect(verdictOn({ origin: "paste", text: "abc" }, { max_bytes: { paste: 2 } })).toBe(
      "deny: size",
    )
    expect(judge(POLICY, { origin: "paste", text: "a".repeat(MAX_JUDGED_CHARACTERS + 1) })).toEqual(
      {
        verdict: "deny",
        rule: "size",
        reason:
          "the text has 8388609 characters, more than the 8388608 that are looked through for secrets",
      },
    )
  })

  it("[BEY-04] keeps out bytes that are a key store, whatever their name", () =>
    expect(
      verdictOn({ origin: "attachment", name: "photo.png", mime: "application/x-pkcs12; a=b" }),
    ).toBe("deny: mime"))

  it("[BEY-04] keeps out what cannot be looked through", () =>
    expect(verdictOn({ origin: "mcp", text: "sk-".repeat(400_000) })).toBe("deny: secret"))

  it("refuses settings it does not know", () => {
    expect(() => policyOf({ denny: [] } as unknown as PolicyConfig)).toThrow(/denny/)
    expect(() => policyOf({ ignore_files: ["../a"] })).toThrow(/not a path/)
  })
})

describe("judgeValue", () => {
  it("[BEY-04] removes the secrets of an editor's context and leaves its shape", async () => {
    const payload = {
      file: "a.ts",
      selection: { text: `const key = "npm_${random(36)}"`, lines: [1, 2] },
    }
    expect(await judgeValue(POLICY, { origin: "editor-context" }, payload)).toEqual({
      verdict: "redact",
      rule: "secret",
      reason: "removed from the editor's context: npm token",
      value: {
        file: "a.ts",
        selection: { text: 'const key = "[redacted: npm token]"', lines: [1, 2] },
      },
      findings: [{ kind: "npm token", count: 1, lines: [] }],
    })
  })

  it("[BEY-04] holds an editor's context to the other rules too", async () => {
    const context = (arrival: Partial<Arrival>) =>
      judgeValue(POLICY, { origin: "editor-context", ...arrival }, { text: "fine" })
    expect(await context({})).toEqual({ verdict: "allow" })
    expect(await context({ path: ".env" })).toMatchObject({ verdict: "deny", rule: "deny" })
    expect(await context({ size: 2 ** 30 })).toMatchObject({ verdict: "deny", rule: "size" })
  })
})
