/** Wraps route handlers with header limits, authentication, CORS headers, request counts, and a 500 response for defects. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Context as HonoContext } from "hono"
import { Hono } from "hono/tiny"
import { logWith } from "../base/stderrLogs.ts"
import { wallClockMillis } from "../base/wallClockMillis.ts"
import type { TokenRight } from "../auth/TokenAccess.ts"
import { TokenGrant } from "../auth/TokenGrant.ts"
import { type Authenticator, Unauthorized } from "../auth/Authenticator.ts"
import type { Cors } from "../server/makeCors.ts"
import type { RequestCounters } from "./RequestCounters.ts"
import { responseHeaders } from "./headers.ts"
import { type HttpRefusal, problemResponse, refuse } from "./problem.ts"
import { refuseVersion } from "./readRequest.ts"

/** The grant of a request that needs `right`, or the refusal: 401, 429 or 403. */
const authorize = (
  authenticator: Authenticator,
  authorization: string | undefined,
  right: TokenRight,
): TokenGrant | HttpRefusal => {
  const grant = authenticator.authenticate(authorization)
  if (grant instanceof Unauthorized) {
    return refuse(401, "unauthorized", grant.detail, { headers: { "www-authenticate": grant.challenge } })
  }
  const seconds = grant.retryAfterSeconds(wallClockMillis())
  if (seconds > 0) {
    return refuse(429, "too-many-requests", "too many requests for this token", {
      headers: { "retry-after": String(seconds) },
    })
  }
  return grant.rights.has(right) ? grant : refuse(403, "forbidden", `the token lacks the right ${right}`)
}

export interface AuthenticatedRequest {
  readonly c: HonoContext
  readonly grant: TokenGrant
  readonly requestId: string
}

export interface RequestGuardOptions {
  readonly authenticator: Authenticator
  readonly maxHeaderBytes: number
  readonly cors: Cors
  readonly counts: Pick<RequestCounters, "count">
  /** The services whose loggers get the defects, once they are known. */
  readonly services: () => Context.Context<never> | undefined
}

/** Handles the requests of a path, by which they are counted. */
export type RouteHandler = (path: string) => (c: HonoContext) => Promise<Response>

/** The handlers by path and method. If two paths match, the first one answers. */
export type RouteTable = Readonly<Record<string, Readonly<Record<string, RouteHandler>>>>

export interface RequestGuard {
  /** Requires a token with the right. */
  readonly authenticated: (right: TokenRight, answer: AuthenticatedHandler) => RouteHandler
  readonly unauthenticated: (answer: (c: HonoContext) => Response | Promise<Response>) => RouteHandler
  /** The routes of a table; they answer preflight requests too, and methods that a path does not have with 405. */
  readonly routes: (table: RouteTable) => Hono
}

export type AuthenticatedHandler = (request: AuthenticatedRequest) => Promise<Response>

const requestIdOf = (given: string | undefined): string =>
  given !== undefined && /^[A-Za-z0-9._-]{1,100}$/.test(given) ? given : crypto.randomUUID()

/** Whether the headers exceed the limit; runtimes have limits of their own, higher or lower. */
const isTooLarge = (headers: Headers, most: number): boolean => {
  let bytes = 0
  headers.forEach((value, name) => bytes += name.length + value.length + 4)
  return bytes > most
}

const internalError = (
  services: Context.Context<never> | undefined,
  requestId: string,
  error: unknown,
): Response => {
  logWith(services, Effect.annotateLogs(Effect.logError("a request broke", error), { requestId }))
  return problemResponse(refuse(500, "internal", "internal error"))
}

/** The name of a path in counts. */
const routeOf = (path: string): string => path.replace(/\/\*$/, "")

/** HEAD: cancels the source of the body. */
const withoutBody = async (response: Response): Promise<Response> => {
  await response.body?.cancel()
  return new Response(null, response)
}

export const makeRequestGuard = (
  { authenticator, cors, counts, maxHeaderBytes, services }: RequestGuardOptions,
): RequestGuard => {
  const through = async (
    c: HonoContext,
    route: string,
    answer: (requestId: string) => Response | Promise<Response>,
  ): Promise<Response> => {
    const requestId = requestIdOf(c.req.header("x-request-id"))
    let answered: Response
    try {
      answered = isTooLarge(c.req.raw.headers, maxHeaderBytes)
        ? problemResponse(refuse(431, "headers-too-large", `at most ${maxHeaderBytes} bytes of headers are read`))
        : await answer(requestId)
    } catch (error) {
      answered = internalError(services(), requestId, error)
    }
    const response = c.req.method === "HEAD" ? await withoutBody(answered) : answered
    response.headers.set("x-request-id", requestId)
    for (const [name, value] of cors.headers(c.req.header("origin"))) response.headers.append(name, value)
    counts.count(c.req.method, route, response.status)
    return response
  }
  const refuseMethod = (c: HonoContext, methods: string): Response => {
    const preflight = c.req.method === "OPTIONS" ? cors.preflight(c.req.header("origin"), methods) : undefined
    return preflight === undefined
      ? problemResponse(refuse(405, "method-not-allowed", `use ${methods}`, { headers: { allow: methods } }))
      : new Response(null, { status: 204, headers: { ...responseHeaders, ...preflight } })
  }
  return {
    routes: (table) => {
      const routes = new Hono()
      for (const [path, handlers] of Object.entries(table)) {
        for (const [method, handler] of Object.entries(handlers)) routes.on(method, path, handler(routeOf(path)))
      }
      for (const [path, handlers] of Object.entries(table)) {
        const methods = Object.keys(handlers).map((method) => method === "GET" ? "GET, HEAD" : method).join(", ")
        routes.all(path, (c) => through(c, routeOf(path), () => refuseMethod(c, methods)))
      }
      return routes
    },
    unauthenticated: (answer) => (route) => (c) => through(c, route, () => answer(c)),
    authenticated: (right, answer) => (route) => (c) =>
      through(c, route, (requestId) => {
        const grant = authorize(authenticator, c.req.header("authorization"), right)
        if (!(grant instanceof TokenGrant)) return problemResponse(grant)
        const wrong = refuseVersion(c.req)
        return wrong === undefined ? answer({ c, grant, requestId }) : problemResponse(wrong)
      }),
  }
}
