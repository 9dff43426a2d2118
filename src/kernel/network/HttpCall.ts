/** Declares the system call for HTTP requests: the request, its response and its failure. */

/** The body of a request. */
export interface HttpRequestBody {
  /** Total bytes of all pieces; without it the body is sent in chunks. */
  readonly length?: number | undefined
  /** Returns the next piece, `undefined` at the end. */
  readonly pull: () => Promise<Uint8Array | undefined>
}

/** A request. */
export interface HttpRequest {
  /** An absolute URL of the scheme `http` or `https`, without a user. */
  readonly url: string
  readonly method: string
  /** Headers without `Host` and those that frame the body. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body?: HttpRequestBody | undefined
  /** Maximum milliseconds to connect to the server. Default: as `timeoutMillis`. */
  readonly connectTimeoutMillis?: number | undefined
  /** Maximum milliseconds until the head of the response arrives. Default and maximum: the timeout of the policy. */
  readonly timeoutMillis?: number | undefined
}

/** The head of a response. */
export interface HttpResponse {
  readonly _tag: "Response"
  /** `HTTP/1.1`, `HTTP/1.0`. */
  readonly version: string
  readonly status: number
  readonly statusText: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  /** Descriptor of the body; close it to end the request. */
  readonly fd: number
  /** Address of the server, where the host has sockets. */
  readonly address?: string | undefined
  /** Milliseconds until it was connected, where the host has sockets. */
  readonly connectMillis?: number | undefined
  /** Whether the host has removed the content coding. */
  readonly isDecoded: boolean
  /** The failure behind `-EIO` while the body was read. */
  readonly failure: () => HttpFailure | undefined
}

/**
 * The reason why there is no response, or only a part of it.
 *
 * - `InvalidRequest`: the URL, the method or a header cannot be sent.
 * - `NotAllowed`: the network policy refuses it.
 * - `Busy`: too many requests are open.
 * - `NotFound`: the name has no address.
 * - `Connect`, `ConnectTimeout`, `Tls`, `Certificate`: no connection could be made.
 * - `Timeout`: the head of the response did not arrive in time.
 * - `NoResponse`, `Malformed`, `HeadersTooLong`: the head of the response is missing, invalid or too long.
 * - `Reset`, `Truncated`: the connection broke, or was closed before the end of the body.
 * - `TooLong`: a body is longer than the policy allows.
 * - `Descriptors`: the process has no descriptor left.
 */
export type HttpFailureReason =
  | "InvalidRequest"
  | "NotAllowed"
  | "Busy"
  | "NotFound"
  | "Connect"
  | "ConnectTimeout"
  | "Tls"
  | "Certificate"
  | "Timeout"
  | "NoResponse"
  | "Malformed"
  | "HeadersTooLong"
  | "Reset"
  | "Truncated"
  | "TooLong"
  | "Descriptors"

/** A failed request. */
export interface HttpFailure {
  readonly _tag: "Failure"
  readonly reason: HttpFailureReason
  readonly message: string
}
