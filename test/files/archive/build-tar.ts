import type { Bytes } from "./build.ts"
import { toBytes } from "./build.ts"

export interface TarPart {
  readonly name: Bytes
  readonly data?: Bytes
  /** `0` file, `1` hard link, `2` link, `3` and `4` devices, `5` folder, `6` FIFO, `S` sparse. */
  readonly type?: string
  readonly link?: string
  readonly size?: number
  /** The twelve bytes of the size field as they are. */
  readonly sizeField?: Uint8Array
  readonly prefix?: string
  readonly pax?: Readonly<Record<string, string>>
  readonly globalPax?: Readonly<Record<string, string>>
  readonly longName?: string
  readonly checksum?: number
  readonly magic?: string
}

const BLOCK = 512

export function tar(parts: readonly TarPart[]): Buffer {
  return Buffer.concat([...parts.flatMap(tarPart), Buffer.alloc(2 * BLOCK)])
}

export function tarPart(part: TarPart): Buffer[] {
  const { pax, globalPax, longName, ...plain } = part
  const before = [
    ...(globalPax ? tarPart({ name: "global", type: "g", data: paxRecords(globalPax) }) : []),
    ...(pax ? tarPart({ name: "pax", type: "x", data: paxRecords(pax) }) : []),
    ...(longName ? tarPart({ name: "././@LongLink", type: "L", data: `${longName}\0` }) : []),
  ]
  const data = toBytes(plain.data ?? "")
  const padding = Buffer.alloc((BLOCK - (data.length % BLOCK)) % BLOCK)
  return [...before, tarHeader(plain, data.length), data, padding]
}

function tarHeader(part: TarPart, length: number): Buffer {
  const header = Buffer.alloc(BLOCK)
  toBytes(part.name).copy(header, 0, 0, 100)
  header.write("0000644\0", 100)
  header.write("0000000\0", 108)
  header.write("0000000\0", 116)
  if (part.sizeField) header.set(part.sizeField, 124)
  else header.write(`${(part.size ?? length).toString(8).padStart(11, "0")}\0`, 124)
  header.write("00000000000\0", 136)
  header.write(part.type ?? "0", 156)
  header.write(part.link ?? "", 157)
  header.write(part.magic ?? "ustar\x0000", 257, "latin1")
  header.write(part.prefix ?? "", 345)
  header.write("        ", 148)
  const sum = part.checksum ?? header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return header
}

export function paxRecords(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([key, value]) => {
      const rest = ` ${key}=${value}\n`
      let length = Buffer.byteLength(rest) + 1
      while (String(length).length + Buffer.byteLength(rest) !== length) length++
      return `${length}${rest}`
    })
    .join("")
}
