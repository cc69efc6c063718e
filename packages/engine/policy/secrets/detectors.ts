import { detectAssignment, exactly } from "./assignment.ts"
import { type Detector, detectToken, tokenAround } from "./detector.ts"
import { isCredentials, isDiscordToken, isRandom, JSON_WEB_TOKEN } from "./forms.ts"
import { detectArmoured, SERVICE_ACCOUNT_KEY } from "./private-key.ts"
import { urlPassword } from "./url-password.ts"

const HEX_DIGITS = "0123456789abcdef".split("")
const DIGITS = "0123456789".split("")
/** A bot's id in base64 begins with one of these: digits leave few letters to choose from. */
const DISCORD_WORDS = ["M", "N", "O"].flatMap((first) =>
  ["D", "T", "j", "z"].flatMap((second) =>
    "AEIMQUYcgk".split("").map((third) => first + second + third),
  ),
)

/** The kinds of secret we know. Where two claim the same characters the earlier one names them, so
 *  what is known by its form comes before what is only known by its name. */
export const DETECTORS: readonly Detector[] = [
  SERVICE_ACCOUNT_KEY,
  ...detectArmoured("SSH private key", "OPENSSH PRIVATE KEY"),
  ...detectArmoured("PGP private key", "PGP PRIVATE KEY BLOCK"),
  ...detectArmoured("private key", "(?:[A-Z0-9]+ ){0,3}PRIVATE KEY"),
  detectToken("age private key", ["AGE-SECRET-KEY-1"], /AGE-SECRET-KEY-1[A-Z0-9]{58}/),

  detectToken("AWS access key", ["AKIA", "ASIA", "ABIA", "ACCA"], /A[A-Z]{3}[A-Z0-9]{16}/),
  detectToken(
    "AWS secret key",
    ["AKIA", "ASIA"],
    /A[A-Z]{3}[A-Z0-9]{16}[\s,;:|"']{1,8}([A-Za-z0-9/+]{40})(?![/+=])/,
  ),
  exactly(
    "AWS secret key",
    ["secret_access_key", "secret-access-key", "secretaccesskey", "aws_secret_key", "aws_secret"],
    /^[A-Za-z0-9/+]{40}$/,
  ),
  detectToken("Google API key", ["AIza"], /AIza[A-Za-z0-9_-]{35}/),
  detectToken("Google OAuth secret", ["GOCSPX-"], /GOCSPX-[A-Za-z0-9_-]{28}/),
  detectToken("Google OAuth token", ["ya29."], /ya29\.[A-Za-z0-9_-]{20,256}/),
  detectToken(
    "Azure storage key",
    ["AccountKey=", "SharedAccessKey="],
    /(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,100}={0,2})/,
  ),
  detectToken("Azure shared access signature", ["sig="], /sig=([A-Za-z0-9%+/]{40,100}(?:=|%3D))/),
  tokenAround(
    "Azure client secret",
    DIGITS.map((digit) => `${digit}Q~`),
    { leads: [3], pattern: /[\w~.]{3}\dQ~[\w~.-]{31,34}/ },
  ),
  detectToken("DigitalOcean token", ["dop_v1_", "doo_v1_", "dor_v1_"], /do[opr]_v1_[a-f0-9]{64}/),
  detectToken("Databricks token", ["dapi"], /dapi[a-f0-9]{32}(?:-\d)?/),
  detectToken("HashiCorp Vault token", ["hvs.", "hvb.", "hvr."], /hv[sbr]\.[A-Za-z0-9_-]{24,256}/),
  tokenAround("Terraform token", [".atlasv1."], {
    leads: [14],
    pattern: /\w{14}\.atlasv1\.[\w=-]{60,70}/,
  }),
  detectToken(
    "Doppler token",
    ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa."],
    /dp\.[a-z]{2}\.[\w.-]{40,80}/,
  ),
  detectToken("Supabase token", ["sbp_"], /sbp_[a-f0-9]{40}/),
  detectToken("PlanetScale secret", ["pscale_"], /pscale_[a-z]+_[\w.=-]{32,64}/),

  detectToken(
    "GitHub token",
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    /gh[a-z]_[A-Za-z0-9]{36,256}/,
  ),
  detectToken("GitHub token", ["github_pat_"], /github_pat_\w{22,256}/),
  detectToken(
    "GitLab token",
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "gloas-"],
    /gl[a-z]{2,4}-[\w.-]{20,256}/,
  ),
  detectToken("GitLab token", ["GR1348941"], /GR1348941[\w-]{20,64}/),
  detectToken("Atlassian token", ["ATATT3xFfGF0"], /ATATT3xFfGF0[\w=-]{60,256}/),
  detectToken("npm token", ["npm_"], /npm_[A-Za-z0-9]{36}/),
  detectToken("PyPI token", ["pypi-"], /pypi-[\w-]{50,256}/),
  detectToken("RubyGems key", ["rubygems_"], /rubygems_[a-f0-9]{48}/),
  detectToken("Docker token", ["dckr_pat_", "dckr_oat_"], /dckr_[a-z]{3}_[\w-]{20,64}/),
  detectToken("Sentry token", ["sntrys_", "sntryu_"], /sntry[su]_[\w+/=]{40,256}/),
  detectToken("Grafana token", ["glsa_"], /glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}/),
  detectToken("New Relic key", ["NRAK-"], /NRAK-[A-Z0-9]{27}/),
  detectToken("Postman key", ["PMAK-"], /PMAK-[a-f0-9]{24}-[a-f0-9]{34}/),
  detectToken("Netlify token", ["nfp_"], /nfp_[A-Za-z0-9]{36}/),
  detectToken("Linear key", ["lin_api_"], /lin_api_[A-Za-z0-9]{40}/),
  detectToken("Notion token", ["ntn_"], /ntn_[A-Za-z0-9]{40,64}/),
  detectToken("Figma token", ["figd_", "figo_"], /fig[do]_[\w-]{40,64}/),

  detectToken("Anthropic key", ["sk-ant-"], /sk-ant-[\w-]{20,256}/),
  detectToken(
    "OpenAI key",
    ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
    /sk-[A-Za-z]+-[\w-]{20,256}/,
  ),
  detectToken("OpenAI key", ["sk-"], /sk-[A-Za-z0-9]{48}(?!-)/, isRandom),
  detectToken("API key", ["sk-"], /sk-[\w-]{20,256}/, isRandom),
  detectToken(
    "Hugging Face token",
    ["hf_", "api_org_"],
    /(?:hf|api_org)_[A-Za-z0-9]{34,64}/,
    isRandom,
  ),
  detectToken("Groq key", ["gsk_"], /gsk_[A-Za-z0-9]{40,64}/),
  detectToken("xAI key", ["xai-"], /xai-[A-Za-z0-9]{64,128}/),
  detectToken("Perplexity key", ["pplx-"], /pplx-[A-Za-z0-9]{40,64}/),
  detectToken("Replicate token", ["r8_"], /r8_[A-Za-z0-9]{37}/),

  detectToken(
    "Slack token",
    ["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xoxe.", "xapp-"],
    /x(?:ox[a-z]|app)[-.](?=[A-Za-z.-]{0,32}\d)[A-Za-z0-9.-]{10,256}/,
  ),
  detectToken(
    "Slack webhook",
    ["hooks.slack.com/"],
    /hooks\.slack\.com\/((?:services|workflows|triggers)\/[\w/+-]{20,256})/,
  ),
  detectToken(
    "Discord token",
    DISCORD_WORDS,
    /[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}/,
    isDiscordToken,
  ),
  detectToken(
    "Discord webhook",
    ["discord.com/api/webhooks/", "discordapp.com/api/webhooks/"],
    /discord(?:app)?\.com\/api\/webhooks\/(\d{16,20}\/[\w-]{60,80})/,
  ),
  tokenAround("Telegram bot token", [":AA"], {
    leads: [10, 9, 8],
    pattern: /\d{8,10}:AA[\w-]{33}/,
  }),
  detectToken(
    "Twilio key",
    HEX_DIGITS.map((digit) => `SK${digit}`),
    /SK[0-9a-f]{32}/,
  ),
  detectToken("SendGrid key", ["SG."], /SG\.[\w-]{16,32}\.[\w-]{32,64}/),
  detectToken("Mailgun key", ["key-"], /key-[0-9a-f]{32}/),
  tokenAround("Mailchimp key", ["-us"], { leads: [32], pattern: /[0-9a-f]{32}-us\d{1,2}/ }),
  detectToken(
    "Stripe key",
    ["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
    /[sr]k_[a-z]{4}_[A-Za-z0-9]{16,256}/,
  ),
  detectToken("webhook signing secret", ["whsec_"], /whsec_[\w+/=-]{24,128}/),
  detectToken("Square token", ["sq0atp-", "sq0csp-"], /sq0[a-z]{3}-[\w-]{22,43}/),
  detectToken(
    "Shopify token",
    ["shpat_", "shpca_", "shppa_", "shpss_"],
    /shp[a-z]{2}_[a-fA-F0-9]{32}/,
  ),

  JSON_WEB_TOKEN,
  urlPassword("database password", [
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "mongodb+srv",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "clickhouse",
    "cockroachdb",
    "neo4j",
    "neo4j+s",
  ]),
  urlPassword("URL password", []),
  {
    ...detectToken("bearer token", ["bearer "], /bearer {1,4}([\w.~+/=-]{16,256})/i, isRandom),
    folded: true,
  },
  {
    ...detectToken(
      "basic credentials",
      ["basic "],
      /basic {1,4}([A-Za-z0-9+/]{8,256}={0,2})/i,
      isCredentials,
    ),
    folded: true,
  },
  detectAssignment("password", ["password", "passwd", "passphrase", "pwd="], "person"),
  detectAssignment(
    "secret",
    [
      "secret",
      "token",
      "api_key",
      "api-key",
      "apikey",
      "access_key",
      "accesskey",
      "auth_key",
      "authkey",
      "private_key",
      "privatekey",
      "signing_key",
      "encryption_key",
      "credential",
      "_auth",
    ],
    "machine",
  ),
]
