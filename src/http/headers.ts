/** Defines HTTP response headers, and makes JSON responses. */
import { wireVersion, wireVersionHeader } from "../wire/mod.ts"

/** Headers of every response: no sniffing, no caching, the wire version. */
export const responseHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  [wireVersionHeader]: String(wireVersion),
}

/** Header of `GET /commands` with the rights of the token: `read, run, cancel, files:read, files:write, approve`, or some. */
export const rightsHeader = "sluice-rights"

export const streamResponseHeaders: Readonly<Record<string, string>> = {
  ...responseHeaders,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
}

export const jsonResponse = (
  value: unknown,
  { headers, status = 200 }: {
    readonly status?: number
    readonly headers?: Readonly<Record<string, string>> | undefined
  } = {},
): Response =>
  new Response(typeof value === "string" ? value : JSON.stringify(value), {
    status,
    headers: { ...responseHeaders, "content-type": "application/json", ...headers },
  })
