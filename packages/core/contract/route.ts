import type { z } from "zod"

/** A method and a path; a step of the path that begins with a colon is a parameter. */
type RouteAddress = `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /v1/${string}`

/** What one route takes and answers. The server checks requests by it, handlers and clients take their
 *  types from it, and the OpenAPI document is printed from it. */
export interface RouteContract<
  Address extends RouteAddress = RouteAddress,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  readonly address: Address
  readonly about: string
  readonly query?: Query
  readonly body?: Body
  /** The JSON of a success; a route without one answers with bytes or a stream of events. */
  readonly answer?: Answer
  /** The status of a success, 200 where it is not said. */
  readonly status?: number
  /** A body larger than this is refused. */
  readonly max_bytes?: number
  /** When the route says no, by status, beyond what every route may say. */
  readonly errors?: Readonly<Record<number, string>>
}

/** Routes by the names of their operations. */
export type RouteTable = Readonly<Record<string, RouteContract>>

export function route<
  const Address extends RouteAddress,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Answer extends z.ZodType = z.ZodNever,
>(
  address: Address,
  spec: Omit<RouteContract<Address, Query, Body, Answer>, "address">,
): RouteContract<Address, Query, Body, Answer> {
  return { address, ...spec }
}

/** The names of a path's parameters: `"id" | "turn"` of `/v1/sessions/:id/turns/:turn`. */
export type ParameterName<Address extends string> = Address extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | ParameterName<`/${More}`>
    : Rest
  : never

/** One string for each parameter, in the order of the path. */
export type ParameterValues<Address extends string> = Address extends `${string}/:${infer Rest}`
  ? Rest extends `${string}/${infer More}`
    ? readonly [string, ...ParameterValues<`/${More}`>]
    : readonly [string]
  : readonly []

/** A value that is only read: whoever makes one may hand over readonly lists too. */
export type DeepReadonly<Value> = Value extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : Value extends object
    ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
    : Value

/** What a schema takes, as a sender may hand it over. */
export type SentRequest<Schema extends z.ZodType> = DeepReadonly<z.input<Schema>>

/** What a route's JSON says, as a client reads it. */
export type AnswerOf<Route> =
  Route extends RouteContract<RouteAddress, z.ZodType, z.ZodType, infer Answer>
    ? z.output<Answer>
    : never
