// Secrets of every kind we know, made up. They are put together here, so that nothing in this
// repository looks like one to those who search it.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const DIGITS = "0123456789"
const HEX = "0123456789abcdef"

let state = 1

/** The same characters in every run, but never the same twice in a run. */
export function random(length: number, alphabet = LETTERS + DIGITS): string {
  let text = ""
  while (text.length < length) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    text += alphabet[Math.floor((state / 2 ** 32) * alphabet.length)]
  }
  return text
}

export function hex(length: number): string {
  return random(length, HEX)
}

function upper(length: number): string {
  return random(length, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
}

export function base64url(value: string): string {
  return Buffer.from(value).toString("base64url")
}

export function jsonWebToken(): string {
  const header = base64url(JSON.stringify({ alg: "HS256", typ: "JWT" }))
  const payload = base64url(JSON.stringify({ sub: hex(12), name: "Jane" }))
  return `${header}.${payload}.${random(43)}`
}

/** A key over several lines, as tools write it. */
export function armour(label: string, lines = 6): string {
  const body = Array.from({ length: lines }, () => random(64))
  return [`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`].join("\n")
}

export interface FakeSecret {
  readonly kind: string
  /** What must not come through. */
  readonly secret: string
  /** The secret as it stands in a text; itself if nothing else is said. */
  readonly text?: string
}

function token(kind: string, secret: string): FakeSecret {
  return { kind, secret }
}

function within(kind: string, secret: string, text: (secret: string) => string): FakeSecret {
  return { kind, secret, text: text(secret) }
}

export const FAKE_SECRETS: readonly FakeSecret[] = [
  token("AWS access key", `AKIA${upper(16)}`),
  token("AWS access key", `ASIA${upper(16)}`),
  within("AWS secret key", random(40), (secret) => `aws_secret_access_key = ${secret}`),
  within(
    "AWS secret key",
    `${random(30)}/+${random(8)}`,
    (secret) => `"SecretAccessKey": "${secret}"`,
  ),
  within("AWS secret key", random(40), (secret) => `name,AKIA${upper(16)},${secret}`),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) =>
    token("GitHub token", prefix + random(36)),
  ),
  token("GitHub token", `github_pat_${random(22)}_${random(59)}`),
  ...["glpat-", "gldt-", "glrt-", "glptt-"].map((prefix) =>
    token("GitLab token", prefix + random(20)),
  ),
  token("Slack token", `xoxb-${random(12, DIGITS)}-${random(13, DIGITS)}-${random(24)}`),
  token("Slack token", `xapp-1-A${random(10)}-${random(13, DIGITS)}-${hex(64)}`),
  within(
    "Slack webhook",
    `services/T${upper(8)}/B${upper(8)}/${random(24)}`,
    (secret) => `curl https://hooks.slack.com/${secret}`,
  ),
  token("Stripe key", `sk_live_${random(24)}`),
  token("Stripe key", `rk_test_${random(24)}`),
  token("webhook signing secret", `whsec_${random(32)}`),
  token("Google API key", `AIza${random(35)}`),
  token("Google OAuth secret", `GOCSPX-${random(28)}`),
  token("Google OAuth token", `ya29.${random(60)}`),
  within("Google service account key", armour("PRIVATE KEY"), (secret) =>
    JSON.stringify({ type: "service_account", private_key: `${secret}\n`, client_id: "1" }),
  ),
  token("Anthropic key", `sk-ant-api03-${random(93)}-${random(6)}AA`),
  token("OpenAI key", `sk-proj-${random(48)}`),
  token("OpenAI key", `sk-svcacct-${random(48)}`),
  token("OpenAI key", `sk-${random(48)}`),
  token("API key", `sk-or-v1-${hex(64)}`),
  token("API key", `sk-${hex(32)}`),
  token("Hugging Face token", `hf_${random(34)}`),
  token("Groq key", `gsk_${random(52)}`),
  token("xAI key", `xai-${random(80)}`),
  token("Perplexity key", `pplx-${random(48)}`),
  token("Replicate token", `r8_${random(37)}`),
  token("npm token", `npm_${random(36)}`),
  token("PyPI token", `pypi-AgEIcHlwaS5vcmc${random(80)}`),
  token("RubyGems key", `rubygems_${hex(48)}`),
  token("Docker token", `dckr_pat_${random(27)}`),
  token("SendGrid key", `SG.${random(22)}.${random(43)}`),
  token("Twilio key", `SK${hex(32)}`),
  token("Mailgun key", `key-${hex(32)}`),
  token("Mailchimp key", `${hex(32)}-us12`),
  within(
    "Azure storage key",
    `${random(86)}==`,
    (secret) => `AccountName=x;AccountKey=${secret};E=1`,
  ),
  within(
    "Azure shared access signature",
    `${random(43)}%3D`,
    (secret) => `?sv=2024&sig=${secret}&se=1`,
  ),
  token("Azure client secret", `${random(3)}8Q~${random(34)}`),
  token("DigitalOcean token", `dop_v1_${hex(64)}`),
  token("Databricks token", `dapi${hex(32)}`),
  token("HashiCorp Vault token", `hvs.${random(24)}`),
  token("Terraform token", `${random(14)}.atlasv1.${random(64)}`),
  token("Doppler token", `dp.pt.${random(43)}`),
  token("Supabase token", `sbp_${hex(40)}`),
  token("Shopify token", `shpat_${hex(32)}`),
  token("Square token", `sq0atp-${random(22)}`),
  token("Sentry token", `sntrys_${random(60)}`),
  token("Grafana token", `glsa_${random(32)}_${hex(8)}`),
  token("New Relic key", `NRAK-${upper(27)}`),
  token("Postman key", `PMAK-${hex(24)}-${hex(34)}`),
  token("Netlify token", `nfp_${random(36)}`),
  token("Linear key", `lin_api_${random(40)}`),
  token("Notion token", `ntn_${random(46)}`),
  token("Figma token", `figd_${random(40)}`),
  token("Atlassian token", `ATATT3xFfGF0${random(180)}`),
  token("PlanetScale secret", `pscale_pw_${random(43)}`),
  token("Telegram bot token", `${random(10, "123456789")}:AA${random(33)}`),
  token("Discord token", `${base64url("123456789012345678")}.${random(6)}.${random(38)}`),
  within(
    "Discord webhook",
    `${random(18, "123456789")}/${random(68)}`,
    (secret) => `https://discord.com/api/webhooks/${secret}`,
  ),
  token("age private key", `AGE-SECRET-KEY-1${upper(58)}`),
  token("JSON web token", jsonWebToken()),
  token("private key", armour("RSA PRIVATE KEY", 20)),
  token("private key", armour("EC PRIVATE KEY", 3)),
  token("private key", armour("ENCRYPTED PRIVATE KEY")),
  token("private key", armour("PRIVATE KEY").replaceAll("\n", "\\n")),
  token("SSH private key", armour("OPENSSH PRIVATE KEY")),
  token("PGP private key", armour("PGP PRIVATE KEY BLOCK")),
  within(
    "database password",
    random(12),
    (secret) => `postgres://app:${secret}@db.internal:5432/app`,
  ),
  within("database password", "p@ss/w0rd", (secret) => `mysql://root:${secret}@localhost/x`),
  within(
    "database password",
    random(16),
    (secret) => `mongodb+srv://u:${secret}@c0.example.net/?w=1`,
  ),
  within(
    "URL password",
    random(20),
    (secret) => `git clone https://bot:${secret}@git.example.com/a/b`,
  ),
  within("bearer token", random(40), (secret) => `curl -H "Authorization: Bearer ${secret}"`),
  within(
    "basic credentials",
    Buffer.from(`user:${random(12)}`).toString("base64"),
    (secret) => `Authorization: Basic ${secret}`,
  ),
  within("password", "hunter2x", (secret) => `DB_PASSWORD=${secret}`),
  within("password", "Tr0ub4dor&3", (secret) => `password: "${secret}"`),
  within("password", "s3cr3t!", (secret) => `{"password": "${secret}"}`),
  within("password", "S0mmer;24,x", (secret) => `export PGPASSWORD=${secret}`),
  within("password", "Winter2031!", (secret) => `Server=db;User=sa;Password=${secret};Encrypt=yes`),
  within("password", "qwe123rty", (secret) => `mysqldump --password ${secret} app`),
  within("password", "l3tm3in-now", (secret) => `<password>${secret}</password>`),
  within("secret", random(32), (secret) => `client_secret = "${secret}"`),
  within("secret", hex(40), (secret) => `API_KEY=${secret}`),
  within("secret", random(24), (secret) => `//packages.example/:_authToken=${secret}`),
  within("secret", random(24), (secret) => `headers["X-Api-Key"] = "${secret}"`),
  within("secret", upper(32), (secret) => `TOTP_SECRET=${secret}`),
  within("secret", random(600), (secret) => `token: "${secret}"`),
]
