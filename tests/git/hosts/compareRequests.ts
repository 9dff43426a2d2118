/** Reads a request as a server does, so that two clients that encode it differently compare as one. */
import type { HostServer, SentRequest } from "./hostServer.ts"

/** What matters of a request. */
export interface Shape {
  readonly method: string
  /** Segment by segment: a slash in a name is not one between names. */
  readonly path: ReadonlyArray<string>
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly token: string | undefined
  readonly contentType: string | undefined
  readonly isDiff: boolean
  readonly body: unknown
}

const shapeOf = ({ body, headers, method, path }: SentRequest): Shape => {
  const [pathname = "", search = ""] = path.split("?")
  return {
    method,
    path: pathname.split("/").map(decodeURIComponent),
    query: [...new URLSearchParams(search)].toSorted(([a], [b]) => a < b ? -1 : 1),
    token: headers["authorization"]?.replace(/^token /, "Bearer "),
    contentType: headers["content-type"]?.split(";")[0],
    isDiff: /\bdiff\b/.test(headers["accept"] ?? ""),
    body,
  }
}

/** The requests that a program sends, with `names` in place of texts that differ between two runs. */
export const requestsOf = async (
  server: HostServer,
  program: () => Promise<unknown>,
  names: Readonly<Record<string, string>> = {},
): Promise<ReadonlyArray<Shape>> => {
  server.requests.length = 0
  await program()
  const text = JSON.stringify(server.requests.map(shapeOf))
  return JSON.parse(Object.entries(names).reduce((all, [name, other]) => all.replaceAll(name, other), text))
}
