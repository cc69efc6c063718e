import { BlockList, isIP, isIPv6 } from "node:net"

/** Why nothing is fetched from an address; undefined when it is one of the public internet. */
export function forbiddenAddress(address: string): string | undefined {
  const family = isIP(address)
  if (family === 0) return `${address} is no address`
  if (family === 4) return forbiddenV4(address)
  const inner = embeddedV4(address)
  if (inner !== undefined) return forbiddenV4(inner)
  return isPublicV6(address) ? undefined : `${address} is not on the public internet`
}

function forbiddenV4(address: string): string | undefined {
  return FORBIDDEN_V4.check(address) ? `${address} is not on the public internet` : undefined
}

// Of the registries of special addresses, everything that is not globally reachable; and the one
// address of a cloud's own services that looks public.
const FORBIDDEN_V4 = blockList("ipv4", [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "168.63.129.16/32",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
])

const GLOBAL_V6 = blockList("ipv6", ["2000::/3"])
/** Within it: protocols and tunnels (Teredo, 6to4), and what is only for documents. */
const SPECIAL_V6 = blockList("ipv6", ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"])

function isPublicV6(address: string): boolean {
  const plain = withoutZone(address)
  return GLOBAL_V6.check(plain, "ipv6") && !SPECIAL_V6.check(plain, "ipv6")
}

function blockList(family: "ipv4" | "ipv6", ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [network = "", bits] = range.split("/")
    list.addSubnet(network, Number(bits), family)
  }
  return list
}

/** The IPv4 address that an IPv6 address stands for: mapped, or translated by a gateway (NAT64). */
function embeddedV4(address: string): string | undefined {
  const groups = groupsOf(withoutZone(address))
  const head = groups.slice(0, 6).join(":")
  if (head !== MAPPED && head !== NAT64) return undefined
  const [high = 0, low = 0] = groups.slice(6)
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

const MAPPED = [0, 0, 0, 0, 0, 0xffff].join(":")
const NAT64 = [0x64, 0xff9b, 0, 0, 0, 0].join(":")

/** An address of a link names the link behind a percent sign. */
function withoutZone(address: string): string {
  return address.split("%", 1)[0] ?? address
}

/** The eight numbers of an IPv6 address. */
function groupsOf(address: string): number[] {
  if (!isIPv6(address)) return []
  const [before = "", after] = address.split("::")
  const head = numbersOf(before)
  if (after === undefined) return head
  const tail = numbersOf(after)
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function numbersOf(text: string): number[] {
  if (text === "") return []
  return text.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}
