/** Where blobs are kept in an S3 bucket, and as whom they are asked for. */
export interface S3Address {
  readonly bucket: string
  /** Empty, or without a slash at either end. */
  readonly prefix: string
  /** Of the service; the bucket is in the path or in front of the name. */
  readonly endpoint: URL
  readonly region: string
  readonly in_path: boolean
  /** Readers are sent to the bucket itself with a link that lives so many seconds. */
  readonly presign_seconds: number | null
  readonly cache_bytes: number
  readonly credentials: S3Credentials
}

interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

type Environment = Readonly<Record<string, string | undefined>>

const KNOWN = ["endpoint", "region", "style", "presign", "cache"]
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const MAX_PRESIGN_SECONDS = 60 * 60
const USUAL_CACHE_BYTES = 1024 * 1024 * 1024
const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }

/** Reads `s3://bucket/prefix?endpoint=…&region=…&style=path|host&presign=<seconds>&cache=<bytes>`;
 *  credentials, and what the address leaves out, come from the environment. */
export function readS3Address(text: string, environment: Environment): S3Address {
  const url = URL.parse(text)
  if (url?.protocol !== "s3:" || !BUCKET.test(url.hostname))
    throw new Error(`${text}: blobs are kept in s3://<bucket>/<prefix>`)
  if (url.username !== "" || url.password !== "")
    throw new Error(`s3://${url.hostname}: keys come from the environment, not from the address`)
  const unknown = [...url.searchParams.keys()].find((key) => !KNOWN.includes(key))
  if (unknown !== undefined)
    throw new Error(`${text}: ${unknown} is not known; ${KNOWN.join(", ")} are`)
  const region = regionOf(url, environment)
  const named = url.searchParams.get("endpoint") ?? endpointIn(environment)
  return {
    bucket: url.hostname,
    prefix: decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, ""),
    endpoint: endpointOf(named ?? `https://s3.${region}.amazonaws.com`),
    region,
    in_path: styleOf(url, named !== undefined),
    presign_seconds: presignOf(url),
    cache_bytes: bytesOf(url.searchParams.get("cache")),
    credentials: credentialsOf(url, environment),
  }
}

function regionOf(url: URL, { AWS_REGION, AWS_DEFAULT_REGION }: Environment): string {
  return url.searchParams.get("region") ?? AWS_REGION ?? AWS_DEFAULT_REGION ?? "us-east-1"
}

function endpointIn({ AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL }: Environment): string | undefined {
  return AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL || undefined
}

function endpointOf(text: string): URL {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw new Error(`endpoint ${text}: an endpoint is the http or https address of an S3 service`)
  return url
}

// A name with a dot has no certificate in front of the service's own.
function styleOf(url: URL, named: boolean): boolean {
  const style = url.searchParams.get("style") ?? (named ? "path" : "host")
  if (style !== "path" && style !== "host")
    throw new Error(`style ${style}: the bucket is in the path or in the host`)
  return style === "path" || url.hostname.includes(".")
}

function presignOf(url: URL): number | null {
  const text = url.searchParams.get("presign")
  if (text === null) return null
  const seconds = Number(text)
  if (Number.isInteger(seconds) && seconds > 0 && seconds <= MAX_PRESIGN_SECONDS) return seconds
  throw new Error(`presign ${text}: a link lives 1 to ${MAX_PRESIGN_SECONDS} seconds`)
}

function bytesOf(text: string | null): number {
  if (text === null) return USUAL_CACHE_BYTES
  const [, digits = "", unit = ""] = /^(\d{1,12})([kmg]?)b?$/i.exec(text) ?? []
  const factor = UNITS[unit.toLowerCase()]
  if (digits === "" || factor === undefined)
    throw new Error(`cache ${text}: a size is a number of bytes, or of k, m or g`)
  return Number(digits) * factor
}

function credentialsOf({ hostname }: URL, environment: Environment): S3Credentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new Error(
      `s3://${hostname}: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not in the environment`,
    )
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  }
}
