/** Handles `POST /exec` within the concurrency limits of the token and of the route. */
import * as Result from "effect/Result"
import type { makeRunResponder } from "./makeRunResponder.ts"
import type { AuthenticatedHandler } from "./requestGuard.ts"
import { disableIdleTimeout } from "../server/disableIdleTimeout.ts"
import { problemResponse, refuse } from "./problem.ts"
import { readRequest } from "./readRequest.ts"
import type { ShellServer } from "./ShellServer.ts"

export const execHandler = (
  { bounds, concurrency, retryAfterSeconds, runs }: ShellServer,
  respond: ReturnType<typeof makeRunResponder>,
): AuthenticatedHandler => {
  const busy = refuse(429, "busy", "too many concurrent commands", {
    headers: { "retry-after": String(retryAfterSeconds) },
  })
  return async ({ c, grant, requestId }) => {
    const { raw } = c.req
    const request = await readRequest(c.req, bounds)
    if (Result.isFailure(request)) return problemResponse(request.failure)
    // The replay of a running command takes no permit.
    const isKnown = request.success.hasCommandId && runs.running.has(request.success.exec.commandId)
    const own = isKnown ? () => {} : grant.concurrency.tryAcquire()
    const shared = isKnown ? () => {} : concurrency.tryAcquire()
    if (own === undefined || shared === undefined) {
      own?.()
      shared?.()
      return problemResponse(busy)
    }
    const onEnd = (): void => {
      own()
      shared()
    }
    const restoreIdleTimeout = disableIdleTimeout(raw, c.env)
    try {
      return await respond(request.success, {
        path: c.req.path,
        signal: raw.signal,
        annotations: { requestId, token: grant.name },
        onEnd,
        onSent: restoreIdleTimeout,
      })
    } catch (error) {
      onEnd()
      restoreIdleTimeout()
      throw error
    }
  }
}
