const BLOCK_BYTES = 512
const CHECKSUM_AT = 148
const CHECKSUM_BYTES = 8
const SPACE = 0x20

/** Whether bytes begin with the header of a tar: its checksum is right. */
export function beginsAsTar(head: Uint8Array): boolean {
  if (head.length < BLOCK_BYTES || head[0] === 0) return false
  const field = Buffer.from(head.subarray(CHECKSUM_AT, CHECKSUM_AT + CHECKSUM_BYTES))
  const said = Number.parseInt(field.toString("latin1").trim(), 8)
  let sum = CHECKSUM_BYTES * SPACE
  for (let at = 0; at < BLOCK_BYTES; at++)
    if (at < CHECKSUM_AT || at >= CHECKSUM_AT + CHECKSUM_BYTES) sum += head[at] ?? 0
  return sum === said
}
