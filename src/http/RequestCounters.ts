/** Counts requests by method, route and status in Effect's metric registry. */
import type * as Context from "effect/Context"
import * as Metric from "effect/Metric"

const requests = (attributes?: Metric.Metric.Attributes): Metric.Counter<number> =>
  Metric.counter("sluice_http_requests", {
    description: "Requests that were answered, by method, route and status",
    incremental: true,
    attributes,
  })

/** Counter of responses by `method`, `route` and `status`. */
const httpRequests: Metric.Counter<number> = /* @__PURE__ */ requests()

const methods: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])

interface RouteCounter {
  readonly counter: typeof httpRequests
  pending: number
}

/** Counts requests in the registry of the services. Routes and statuses are few, so the map is bounded. */
export class RequestCounters {
  readonly #context: () => Context.Context<never> | undefined
  readonly #counted = new Map<string, RouteCounter>()

  /** `context` returns the context of the services once they are built. */
  constructor(context: () => Context.Context<never> | undefined) {
    this.#context = context
  }

  count(method: string, route: string, status: number): void {
    const known = methods.has(method) ? method : "other"
    const key = `${known} ${route} ${status}`
    let counted = this.#counted.get(key)
    if (counted === undefined) {
      // Each has its attributes built in: `Metric.withAttributes` builds a context and a key at each update.
      counted = { counter: requests({ method: known, route, status: String(status) }), pending: 0 }
      this.#counted.set(key, counted)
    }
    const context = this.#context()
    if (context === undefined) counted.pending++
    else counted.counter.updateUnsafe(1, context)
  }

  /** Adds the requests that were counted before the registry was known. */
  flush(context: Context.Context<never>): void {
    for (const counted of this.#counted.values()) {
      if (counted.pending > 0) counted.counter.updateUnsafe(counted.pending, context)
      counted.pending = 0
    }
  }
}
