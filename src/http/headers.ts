/**
 * Declares constant headers of HTTP responses: plain ones, streamed ones that proxies must not buffer, and the name of
 * the one with a token's rights.
 */
import { wireVersion, wireVersionHeader } from "../wire/mod.ts"

/** Headers of every response: no sniffing, no caching, the wire version. */
export const responseHeaders: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cache-control": "no-store",
  [wireVersionHeader]: String(wireVersion),
}

/** Header of `GET /commands` with the rights of the token: `read, run, cancel, files:read, files:write, approve`, or some. */
export const rightsHeader = "sluice-rights"

/** Headers of streamed responses: proxies must not buffer or compress them. */
export const streamResponseHeaders: Readonly<Record<string, string>> = {
  ...responseHeaders,
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
}
