/** Sends the requests of isomorphic-git through the kernel's network policy, with limits. */
import { concatBytes } from "../../../../base/bytes.ts"
import type { System } from "../../../System.ts"
import { RequestBody } from "../../../utilities/http/RequestBody.ts"
import { BodyError, readBody } from "../../../utilities/http/readResponse.ts"
import { fatal } from "../GitError.ts"

/** Maximum bytes of a response, because a pack is held in memory. */
const maxResponseBytes = 268_435_456
const maxRedirects = 5

export interface GitHttpRequest {
  readonly url: string
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined
}

export interface GitHttpResponse {
  readonly url: string
  readonly method: string
  readonly statusCode: number
  readonly statusMessage: string
  readonly headers: Record<string, string>
  readonly body: AsyncIterableIterator<Uint8Array>
}

const collect = async (body: GitHttpRequest["body"]): Promise<Uint8Array> => {
  const parts: Array<Uint8Array> = []
  if (body !== undefined) { for await (const part of body) parts.push(part) }
  return concatBytes(parts)
}

export interface GitHttp {
  readonly request: (request: GitHttpRequest) => Promise<GitHttpResponse>
}

/** The `http` that isomorphic-git asks for. `wants` says whether a response is needed: its first redirect is followed. */
export const gitHttp = (system: System): GitHttp => ({
  request: async ({ body, headers = {}, method = "GET", url }) => {
    const bytes = await collect(body)
    let target = url
    for (let redirects = 0;; redirects++) {
      const response = await system.request({
        url: target,
        method,
        headers: Object.entries({ "user-agent": "git/2.39.5 (sluice)", accept: "*/*", ...headers }),
        ...method === "POST" ? { body: new RequestBody(system, [bytes]).open() } : {},
      })
      if (response._tag === "Failure") {
        return fatal(
          `unable to access '${
            url.replace(/\/(?:info\/refs\?.*|git-(?:upload|receive)-pack)$/, "/")
          }': ${response.message}`,
        )
      }
      const found = new Map(response.headers.map(([name, value]) => [name.toLowerCase(), value]))
      const location = found.get("location")
      if (
        method === "GET" && [301, 302, 303, 307, 308].includes(response.status) && location !== undefined &&
        redirects < maxRedirects
      ) {
        system.close(response.fd)
        const next = new URL(location, target).href
        // A redirect keeps the headers only for the same server.
        if (
          new URL(next).origin !== new URL(target).origin &&
          Object.keys(headers).some((name) => ["authorization", "cookie"].includes(name.toLowerCase()))
        ) {
          return fatal(`unable to access '${url}': redirected to another server`)
        }
        target = next
        continue
      }
      const chunks = async function* (): AsyncGenerator<Uint8Array, void> {
        let length = 0
        try {
          for await (const piece of readBody(system, response, undefined)) {
            length += piece.length
            if (length > maxResponseBytes) {
              fatal(
                `the server sent more than ${maxResponseBytes} bytes, which git would hold in memory; clone with --depth 1`,
              )
            }
            yield piece
          }
        } catch (cause) {
          if (cause instanceof BodyError) fatal(`unable to access '${url}': ${cause.message}`)
          throw cause
        } finally {
          system.close(response.fd)
        }
      }
      return {
        url: target,
        method,
        statusCode: response.status,
        statusMessage: response.statusText,
        headers: Object.fromEntries(found),
        body: chunks(),
      }
    }
  },
})
