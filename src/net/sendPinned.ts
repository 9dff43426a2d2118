/** Sends one HTTP request to given addresses, because a second lookup of the name could give others, and reads its response. */
import { ByteBuffer } from "../base/ByteBuffer.ts"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"
import { openExchange } from "./HttpExchange.ts"
import { syntaxProblem } from "./syntaxProblem.ts"

export interface ReceivedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array<ArrayBuffer>
}

export class BodyLimitError extends Error {
  override readonly name = "BodyLimitError"
}

interface PinnedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
  readonly addresses: ReadonlyArray<string>
  readonly maxBytes: number
}

const maxHeadBytes = 65_536

/** Headers of one connection, and cookies: these are credentials, which no journal has. */
const dropped = new Set(["connection", "keep-alive", "transfer-encoding", "set-cookie", "set-cookie2"])

/** Fields by their names in lower case; values of one name are joined, or the last one counts. */
const byName = (fields: Iterable<readonly [string, string]>, joins: boolean): Readonly<Record<string, string>> => {
  const found = new Map<string, string>()
  for (const [name, value] of fields) {
    const key = name.toLowerCase()
    const before = joins ? found.get(key) : undefined
    found.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  return Object.fromEntries(found)
}

const wholeBody = (body: Uint8Array) => {
  const pieces = [body]
  return { length: body.length, pull: () => Promise.resolve(pieces.pop()) }
}

/** Sends a request, and reads the response. The connection is closed when the promise settles. */
export const sendPinned = async (
  process: NodeBuiltins,
  { addresses, body, headers, maxBytes, method, url }: PinnedRequest,
  signal: AbortSignal,
): Promise<ReceivedResponse> => {
  const given = { "accept-encoding": "identity", "user-agent": "sluice", ...byName(Object.entries(headers), false) }
  const problem = syntaxProblem(method, given)
  if (problem !== undefined) throw new Error(problem)
  const fields = Object.entries({ ...given, connection: "close" })
  const sent = body === undefined ? undefined : wholeBody(body)
  const response = await openExchange(
    process,
    { url, method, headers: fields, body: sent, addresses, maxHeadBytes },
    signal,
  )
  try {
    // A server may send each byte as a chunk of its own.
    const buffer = new ByteBuffer(maxBytes)
    for (let piece = await response.read(); piece !== undefined; piece = await response.read()) {
      if (!buffer.push(piece)) throw new BodyLimitError(`the response is longer than ${maxBytes} bytes`)
    }
    const kept = response.headers.filter(([name]) => !dropped.has(name.toLowerCase()))
    return { status: response.status, headers: byName(kept, true), body: buffer.bytes }
  } finally {
    response.close()
  }
}
