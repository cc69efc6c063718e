import type { RoutesByAddress } from "compositor-core/contract/contract"
import type { AnswerOf, ParameterValues, SentRequest } from "compositor-core/contract/route"

export type UploadBody = Blob | ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>

/** What a route takes in its query, and in its body. */
export type QueryOf<Address extends keyof RoutesByAddress> = SentRequest<
  NonNullable<RoutesByAddress[Address]["query"]>
>
export type BodyOf<Address extends keyof RoutesByAddress> = SentRequest<
  NonNullable<RoutesByAddress[Address]["body"]>
>

/** Ask a route by its address, with one value for each parameter of the path; the types of what it takes
 *  and answers are the contract's. */
export type Ask = <Address extends keyof RoutesByAddress>(
  address: Address,
  ...request: ParameterValues<Address> extends readonly []
    ? readonly [parameters?: readonly [], request?: RequestOf<Address>]
    : readonly [parameters: ParameterValues<Address>, request?: RequestOf<Address>]
) => Promise<AnswerOf<RoutesByAddress[Address]>>

interface RequestOf<Address extends keyof RoutesByAddress> {
  readonly query?: QueryOf<Address> | undefined
  readonly body?: BodyOf<Address> | undefined
  readonly bytes?: UploadBody
  readonly signal?: AbortSignal | undefined
}

/** Ask for a response that is not JSON. */
export type AskRaw = (
  address: string,
  parameters: readonly string[],
  request?: CallRequest,
) => Promise<Response>

export interface CallRequest {
  readonly query?: object | undefined
  readonly body?: unknown
  readonly bytes?: UploadBody
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}
