/** Makes a scripted service of one function, which answers by rules, for tests. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { MockScriptError } from "./MockScriptError.ts"
import type { Message, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/** When a rule answers, and how often. */
export interface ScriptOptions {
  /** Time that the answer takes, by the program's clock. Default: none. */
  readonly delay?: DurationInput | undefined
  /** Requests that the rule matches. Default: all. */
  readonly times?: number | undefined
  /** Whether `verify` fails if no request matched, or fewer than `times`. Default: `false`. */
  readonly expected?: boolean | undefined
}

/** A rule: the requests that it answers, and its answers. */
export interface ScriptRule<Request, Event, Fault> extends ScriptOptions {
  /** Names the requests that it matches, for messages: `GET https://example.org/`. */
  readonly name: string
  /** Whether it answers a request. */
  readonly matches: (request: Request) => boolean
  /** Answers it. */
  readonly answer: (request: Request) => Effect.Effect<Event, Fault>
}

/** A service that answers by rules. */
export interface ScriptedService<Request, Event, Fault> extends RequestService<Request, Event, Fault> {
  /** The requests so far, in order. */
  readonly requests: Effect.Effect<ReadonlyArray<Request>>
  /** Fails with every expected rule that matched no request, or too few. */
  readonly verify: Effect.Effect<void, MockScriptError>
}

/**
 * Makes a service that answers each request by the first rule that matches it, and fails if none matches.
 *
 * @example
 * ```ts
 * import { type RequestService, scriptRequests } from "@sluice/shell/branch"
 * import { HttpBranch, HttpFetch, HttpResponse } from "@sluice/shell/fetch"
 * import { Effect, Stream } from "effect"
 *
 * const script = scriptRequests(HttpBranch, [{
 *   name: "any request",
 *   matches: () => true,
 *   answer: ({ correlationId, url }) =>
 *     Effect.succeed(HttpResponse.make({ correlationId, url, status: 204, headers: {}, body: new Uint8Array(0) })),
 * }])
 * const request = HttpFetch.make({ url: "https://example.org/" })
 * const [response] = await Effect.runPromise(Stream.runCollect(script.request(request)))
 * console.log(response?.status) // 204
 * ```
 */
export const scriptRequests = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  rules: ReadonlyArray<ScriptRule<Request, Event, Fault>>,
): ScriptedService<Request, Event, Fault> => {
  const counted = rules.map((rule) => ({ rule, count: 0 }))
  const requests: Array<Request> = []
  return {
    request: (request) =>
      Stream.unwrap(Effect.suspend(() => {
        requests.push(request)
        const found = counted.find(({ count, rule }) => count < (rule.times ?? Infinity) && rule.matches(request))
        if (found === undefined) {
          const names = rules.map(({ name }) => name).join(", ")
          const what = `the script has no answer; it has ${names === "" ? "no rules" : names}`
          return Effect.succeed(Stream.fail(branch.makeFault(request, { kind: "Broken", what })))
        }
        found.count++
        const answer = Stream.fromEffect(found.rule.answer(request))
        const { delay } = found.rule
        return delay === undefined
          ? Effect.succeed(answer)
          : Effect.as(Effect.sleep(durationOf("delay", delay)), answer)
      })),
    requests: Effect.sync(() => [...requests]),
    verify: Effect.suspend(() => {
      const missing = counted.filter(({ count, rule }) => rule.expected === true && count < (rule.times ?? 1))
      if (missing.length === 0) return Effect.void
      const message = missing.map(({ count, rule }) =>
        `${rule.name} was expected ${rule.times ?? 1} times, and was requested ${count} times`
      ).join("; ")
      return Effect.fail(new MockScriptError({ message }))
    }),
  }
}
