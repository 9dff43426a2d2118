/** Reads the common parts of file requests: path, correlation id, and the file system of the token. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { Context as HonoContext } from "hono"
import { routePath } from "hono/route"
import { CorrelationId } from "../../files/CorrelationId.ts"
import { FileFault } from "../../files/FileFault.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { correlationIdHeader } from "../../wire/fileTransfer.ts"
import type { FileHost } from "./FileHost.ts"
import type { FileRoutesSettings } from "./FileRoutesOptions.ts"

export interface FileRequestContext {
  readonly c: HonoContext
  /** Path below the root of the file system: decoded once, and not checked, since the leaf decides on it. */
  readonly path: string
  readonly correlationId: string
  readonly owner: string
  /** The file system of the token; its requests are in the journal of the server, if there is one. */
  readonly files: FilesService
  /** The same, for looks that are part of a request. */
  readonly lookup: FilesService
  readonly host: FileHost
  readonly settings: FileRoutesSettings
  /** Holds the request's slot among the concurrent ones until the returned function is called. */
  readonly keepPlace: () => () => void
}

const isId = Schema.is(CorrelationId)

/** The correlation id of a request: its own, or a new one. */
export const correlationIdOf = (c: HonoContext): string => {
  const given = c.req.header(correlationIdHeader)
  return given !== undefined && isId(given) ? given : CorrelationId.make()
}

/** The path of a URL as the router sees it: `URL` would resolve dots which some runtimes leave in. */
const rawPath = (url: string): string => /^[^:/?#]+:\/\/[^/?#]*([^?#]*)/.exec(url)?.[1] ?? ""

/** The names of a URL's path before and after the place where the routes are mounted. */
const splitUrl = (
  c: HonoContext,
  route: string,
): readonly [mount: ReadonlyArray<string>, rest: ReadonlyArray<string>] => {
  const names = rawPath(c.req.url).split("/")
  const count = routePath(c).split("/").length - route.split("/").length
  return [names.slice(0, count + 1), names.slice(count + 2)]
}

/** The URL path of another route of the same app, wherever that is mounted. */
export const siblingPath = (c: HonoContext, route: string, path: string): string =>
  `${splitUrl(c, route)[0].join("/")}/${path}`

/**
 * The path of a file in the URL: what follows `/files/`, decoded once. A `%2F` is a slash, and `..`, NUL and the like
 * stay for the leaf to refuse. Fails with `InvalidPath` if it is not UTF-8.
 */
export const filePathOf = (c: HonoContext, correlationId: string): Result.Result<string, FileFault> => {
  const text = splitUrl(c, "/files/*")[1].join("/")
  return Result.try({
    try: () => decodeURIComponent(text),
    catch: () =>
      new FileFault({
        correlationId,
        faultKind: "InvalidPath",
        path: text,
        message: `${c.req.method} ${text}: the path cannot be used: it is not UTF-8 with percent-encoding`,
      }),
  })
}
