/** Sends a request by `fetch`, for hosts without sockets and for policies that send requests themselves. */
import { ByteBuffer } from "../../base/ByteBuffer.ts"
import type { ExchangeBody, ExchangeResponse } from "../../net/HttpExchange.ts"
import { NetworkError } from "./NetworkError.ts"

interface FetchedRequest {
  readonly url: URL
  readonly method: string
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: ExchangeBody | undefined
  /** Maximum bytes of the body, which is held in memory because not every `fetch` can send a stream. */
  readonly maxBodyBytes: number
}

const collect = async ({ pull }: ExchangeBody, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> => {
  const buffer = new ByteBuffer(maxBytes)
  for (let piece = await pull(); piece !== undefined; piece = await pull()) {
    if (!buffer.push(piece)) throw new NetworkError("TooLong", `the body is longer than ${maxBytes} bytes`)
  }
  return buffer.bytes
}

export const fetchExchange = async (
  send: (request: Request) => Promise<Response>,
  { body, headers, maxBodyBytes, method, url }: FetchedRequest,
  signal: AbortSignal,
): Promise<ExchangeResponse> => {
  const bytes = body === undefined ? undefined : await collect(body, maxBodyBytes)
  let request: Request
  try {
    const fields = headers.map(([name, value]): [string, string] => [name, value])
    request = new Request(url, { method, headers: fields, redirect: "manual", signal, ...bytes && { body: bytes } })
  } catch {
    // The reason may quote a header that the host adds.
    throw new NetworkError("InvalidRequest", `this host's fetch cannot send a ${method} request with these headers`)
  }
  const response = await send(request)
  // Browsers reveal nothing about a redirect that is not followed.
  if (response.type === "opaqueredirect") {
    throw new NetworkError("NotAllowed", `${url.origin} answers with a redirect, which this host does not show`)
  }
  const reader = response.body?.getReader()
  const close = (): void => {
    // A stream that has failed rejects with its failure.
    reader?.cancel().catch(() => {})
  }
  return {
    version: "HTTP/1.1",
    status: response.status,
    statusText: response.statusText,
    headers: [...response.headers],
    read: async () => (await reader?.read())?.value,
    close,
  }
}
