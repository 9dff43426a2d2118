/** Sends the requests of `fetch` through the kernel's network policy, follows redirects, and reads bodies up to a limit. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { concatBytes } from "../../../base/bytes.ts"
import type { System } from "../../System.ts"
import { BodyError, decode, readBody } from "../../utilities/http/readResponse.ts"
import { RequestBody } from "../../utilities/http/RequestBody.ts"

/** Bytes of a body, which the engine holds. */
const maxBodyBytes = 33_554_432
const maxRedirects = 20
/** Characters of a request without its body, which are parsed at once. */
const maxHeadCharacters = 262_144

const FetchRequest = Schema.fromJsonString(Schema.Struct({
  url: Schema.String,
  method: Schema.String,
  redirect: Schema.String,
  headers: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
}))
const decodeRequest = Schema.decodeUnknownOption(FetchRequest)

/** The reason of a failed request, for the `cause` of the script's error. */
export class FetchFailure extends Error {}

const readAll = async (
  system: System,
  response: Extract<Awaited<ReturnType<System["request"]>>, { _tag: "Response" }>,
  hold: (bytes: number) => boolean,
) => {
  const parts: Array<Uint8Array> = []
  let length = 0
  const coding = response.headers.find(([name]) => name.toLowerCase() === "content-encoding")?.[1].toLowerCase()
  const pieces = readBody(system, response, undefined)
  try {
    const isCoded = !response.isDecoded && (coding === "gzip" || coding === "deflate")
    for await (const piece of isCoded ? decode(pieces, coding) : pieces) {
      parts.push(piece)
      length += piece.length
      if (length > maxBodyBytes) throw new FetchFailure(`the body has more than ${maxBodyBytes} bytes`)
      if (!hold(piece.length)) {
        throw new FetchFailure("the requests of the script hold too many bytes; send fewer at once")
      }
    }
  } catch (cause) {
    if (cause instanceof BodyError) throw new FetchFailure(cause.message)
    throw cause
  } finally {
    system.close(response.fd)
  }
  return concatBytes(parts)
}

/**
 * Returns the head of a response as JSON, and its body. Throws a `FetchFailure`. `hold` counts bytes of the body, and returns
 * whether there is room for them.
 */
export const hostFetch = async (
  system: System,
  requestText: string,
  body: Uint8Array,
  hold: (bytes: number) => boolean,
): Promise<readonly [head: string, body: Uint8Array]> => {
  if (requestText.length > maxHeadCharacters) {
    throw new FetchFailure(`the URL and the headers have more than ${maxHeadCharacters} characters`)
  }
  const request = Option.getOrUndefined(decodeRequest(requestText))
  if (request === undefined) throw new FetchFailure("the request is invalid")
  let { headers, method, url } = request
  let content = body
  for (let redirects = 0;; redirects++) {
    const response = await system.request({
      url,
      method,
      headers: [["accept", "*/*"], ["user-agent", "node"], ...headers].filter(([name], index) =>
        index > 1 || !headers.some(([given]) => given.toLowerCase() === name)
      ).map(([name = "", value = ""]) => [name, value] as const),
      ...content.length > 0 ? { body: new RequestBody(system, [content]).open() } : {},
    })
    if (response._tag === "Failure") throw new FetchFailure(response.message)
    const location = response.headers.find(([name]) => name.toLowerCase() === "location")?.[1]
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && location !== undefined
    if (isRedirect && request.redirect === "error") {
      system.close(response.fd)
      throw new FetchFailure("unexpected redirect")
    }
    if (!isRedirect || request.redirect === "manual") {
      const bytes = await readAll(system, response, hold)
      const { status, statusText } = response
      return [JSON.stringify({ status, statusText, headers: response.headers, url, redirected: redirects > 0 }), bytes]
    }
    system.close(response.fd)
    if (redirects >= maxRedirects) throw new FetchFailure("redirect count exceeded")
    const next = URL.canParse(location, url) ? new URL(location, url) : undefined
    if (next === undefined) throw new FetchFailure(`the server redirects to ${location}, which is no URL`)
    if (response.status === 303 && method !== "HEAD" || response.status < 303 && method === "POST") {
      method = "GET"
      content = new Uint8Array(0)
      headers = headers.filter(([name]) => !/^content-/i.test(name))
    }
    if (next.origin !== new URL(url).origin) {
      headers = headers.filter(([name]) => !/^(?:authorization|cookie)$/i.test(name))
    }
    url = next.href
  }
}
