/**
 * What is counted of requests.
 *
 * @module
 */
import * as Context from "effect/Context"
import * as Metric from "effect/Metric"

/** Requests that were answered, by `method`, `route` and `status`. */
export const httpRequests: Metric.Counter<number> = /* @__PURE__ */ Metric.counter("sluice_http_requests", {
  description: "Requests that were answered, by method, route and status",
  incremental: true,
})

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
const counters = new Map<string, typeof httpRequests>()

/** Counts a request. Routes and statuses are few, and so are the counters. */
export const countRequest = (method: string, route: string, status: number): void => {
  const known = methods.has(method) ? method : "other"
  const key = `${known} ${route} ${status}`
  let counter = counters.get(key)
  if (counter === undefined) {
    counter = Metric.withAttributes(httpRequests, { method: known, route, status: String(status) })
    counters.set(key, counter)
  }
  counter.updateUnsafe(1, Context.empty())
}
