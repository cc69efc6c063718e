import { recordOf } from "compositor-core/message/untyped"
import { ByteBuffer, decodeBinarySchema, type Definition, type Field } from "kiwi-schema"
import { refuse } from "../refusal.ts"

export interface DesignNode {
  readonly id: string
  readonly parent: string
  /** Orders it among its siblings. */
  readonly position: string
  readonly type: string
  readonly name: string
  readonly text: string
  readonly size: string
  readonly visible: boolean
}

const MAX_NODES = 500_000
const MAX_DEPTH = 64
const MAX_KEPT_ITEMS = 64

/** The nodes of a design. The file brings its own schema: it is interpreted here and never compiled,
 *  because compiling would run the file's words as code. */
export async function readDesign(schema: Uint8Array, message: Uint8Array): Promise<DesignNode[]> {
  const definitions = new Map(decodeBinarySchema(schema).definitions.map((one) => [one.name, one]))
  const root = definitions.get("Message")
  if (!root) return refuse("Its schema does not say what a message is.")
  const nodes: DesignNode[] = []
  const reading: Reading = { definitions, buffer: new ByteBuffer(message), length: message.length }
  eachField(reading, root, (field) => {
    if (field.name !== "nodeChanges" || !field.isArray) return void fieldValue(reading, field, 1)
    const type = definitions.get(field.type ?? "")
    if (!type) return refuse("Its schema does not say what a node is.")
    for (let count = arrayLength(reading); count > 0; count--) {
      if (nodes.length >= MAX_NODES) refuse(`It has more than ${MAX_NODES} nodes.`)
      nodes.push(nodeOf(recordOf(definitionValue(reading, type, 1))))
    }
  })
  return nodes
}

type Fields = Readonly<Record<string, unknown>>

function nodeOf(fields: Fields): DesignNode {
  const parent = recordOf(fields.parentIndex)
  const size = recordOf(fields.size)
  const [x, y] = [Number(size.x), Number(size.y)]
  return {
    id: guid(fields.guid),
    parent: guid(parent.guid),
    position: words(parent.position),
    type: words(fields.type) || "node",
    name: words(fields.name),
    text: words(recordOf(fields.textData).characters),
    size: x > 0 && y > 0 ? `${Math.round(x)} × ${Math.round(y)}` : "",
    visible: fields.visible !== false,
  }
}

function guid(value: unknown): string {
  const { sessionID, localID } = recordOf(value)
  return sessionID === undefined ? "" : `${Number(sessionID)}:${Number(localID)}`
}

function words(value: unknown): string {
  return typeof value === "string" ? value : ""
}

interface Reading {
  readonly definitions: ReadonlyMap<string, Definition>
  readonly buffer: ByteBuffer
  readonly length: number
}

function definitionValue(reading: Reading, definition: Definition, depth: number): unknown {
  if (depth > MAX_DEPTH) return refuse(`It is nested deeper than ${MAX_DEPTH} levels.`)
  if (definition.kind === "ENUM") {
    const value = reading.buffer.readVarUint()
    return definition.fields.find((field) => field.value === value)?.name ?? value
  }
  const fields: Record<string, unknown> = Object.create(null)
  eachField(reading, definition, (field) => {
    fields[field.name] = fieldValue(reading, field, depth + 1)
  })
  return fields
}

/** A struct has all its fields in order; a message names those that it has, and ends with zero. */
function eachField(reading: Reading, definition: Definition, take: (field: Field) => void): void {
  if (definition.kind === "STRUCT") return definition.fields.forEach(take)
  const fields = new Map(definition.fields.map((field) => [field.value, field]))
  for (;;) {
    const number = reading.buffer.readVarUint()
    if (number === 0) return
    const field = fields.get(number)
    if (!field)
      return refuse(`Its schema knows no field ${number} of ${definition.name.slice(0, 80)}.`)
    take(field)
  }
}

function fieldValue(reading: Reading, field: Field, depth: number): unknown {
  if (!field.isArray) return plainValue(reading, field.type ?? "", depth)
  if (field.type === "byte") return void reading.buffer.readByteArray()
  const items: unknown[] = []
  for (let count = arrayLength(reading); count > 0; count--) {
    const item = plainValue(reading, field.type ?? "", depth)
    if (items.length < MAX_KEPT_ITEMS) items.push(item)
  }
  return items
}

function arrayLength({ buffer, length }: Reading): number {
  const count = buffer.readVarUint()
  return count > length ? refuse(`It counts ${count} items in ${length} bytes.`) : count
}

function plainValue(reading: Reading, type: string, depth: number): unknown {
  const { buffer, definitions } = reading
  switch (type) {
    case "bool":
      return buffer.readByte() !== 0
    case "byte":
      return buffer.readByte()
    case "int":
      return buffer.readVarInt()
    case "uint":
      return buffer.readVarUint()
    case "float":
      return buffer.readVarFloat()
    case "string":
      return buffer.readString()
    case "int64":
      return buffer.readVarInt64()
    case "uint64":
      return buffer.readVarUint64()
  }
  const definition = definitions.get(type)
  return definition
    ? definitionValue(reading, definition, depth)
    : refuse(`Its schema knows no ${type}.`)
}
