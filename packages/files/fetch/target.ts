import { lookup } from "node:dns/promises"
import { isIP } from "node:net"
import { errorCode } from "compositor-core/message/untyped"
import { forbiddenAddress } from "./addresses.ts"

/** Where a request goes: the address was checked, and the socket is tied to it. */
export interface FetchTarget {
  readonly type: "target"
  readonly url: URL
  readonly addresses: readonly string[]
}

export interface NotFetched {
  readonly type: "refused"
  /** A sentence that names the address. */
  readonly reason: string
}

interface FetchPermissions {
  /** `host:port` that may be reached though they are not public. */
  readonly allow: readonly string[]
  /** Every address of a name. */
  readonly resolve: (host: string) => Promise<readonly string[]>
}

const MAX_URL_CHARACTERS = 8192

/** Read an address once, as browsers do, and find out where it leads. Every answer of the name server
 *  counts: a name with one forbidden address is not fetched. */
export async function findTarget(
  text: string,
  doors: FetchPermissions,
): Promise<FetchTarget | NotFetched> {
  const read = readUrl(text)
  if (read instanceof URL) return locate(read, doors)
  return refuse(`${shown(text)} ${read}`)
}

/** The address in the one form that all its spellings have; or why it is none that is fetched. */
export function readUrl(text: string): URL | string {
  if (text.length > MAX_URL_CHARACTERS) return `has more than ${MAX_URL_CHARACTERS} characters`
  const url = URL.parse(text)
  if (!url) return "is not an address"
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `begins with ${url.protocol}, and only http: and https: are fetched`
  if (url.username !== "" || url.password !== "") return "carries a name or a password"
  if (url.hostname === "") return "names no host"
  if (BAD_PORTS.has(Number(url.port))) return `asks for port ${url.port}, which is not the web's`
  return url
}

async function locate(url: URL, doors: FetchPermissions): Promise<FetchTarget | NotFetched> {
  const host = bareHost(url)
  const addresses = isIP(host) === 0 ? await answersFor(host, doors) : [host]
  if (typeof addresses === "string") return refuse(`${url.host} ${addresses}`)
  if (isAllowed(url, host, doors.allow)) return { type: "target", url, addresses }
  const forbidden = addresses.map(forbiddenAddress).find((reason) => reason !== undefined)
  if (forbidden === undefined) return { type: "target", url, addresses }
  return refuse(host === addresses[0] ? forbidden : `${host} leads elsewhere: ${forbidden}`)
}

/** Without the brackets of an IPv6 address, and without the dot that ends a full name. */
function bareHost(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "")
}

async function answersFor(
  host: string,
  doors: FetchPermissions,
): Promise<readonly string[] | string> {
  try {
    const addresses = await doors.resolve(host)
    return addresses.length > 0 ? addresses : "has no address"
  } catch (error) {
    return `has no address: ${errorCode(error) ?? String(error)}`
  }
}

function isAllowed(url: URL, host: string, allow: readonly string[]): boolean {
  const port = url.port || (url.protocol === "https:" ? "443" : "80")
  return allow.includes(`${host}:${port}`)
}

export async function resolveByName(host: string): Promise<readonly string[]> {
  const answers = await lookup(host, { all: true, verbatim: true })
  return answers.map(({ address }) => address)
}

function refuse(reason: string): NotFetched {
  return { type: "refused", reason }
}

/** An address from outside, short and on one line. */
function shown(text: string): string {
  // oxlint-disable-next-line no-control-regex
  const line = text.replace(/[\x00-\x20\x7f]+/g, " ")
  const hidden = line.replace(/\/\/[^/@]*@/, "//…@")
  return hidden.length > 200 ? `${hidden.slice(0, 200)}…` : hidden
}

// The Fetch Standard's ports of other services, which a text that looks like a request could harm.
const BAD_PORTS: ReadonlySet<number> = new Set([
  1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102,
  103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465,
  512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993,
  995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668,
  6669, 6679, 6697, 10080,
])
