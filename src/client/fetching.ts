/**
 * Requests to an execution server, and what their answers say.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type * as Scope from "effect/Scope"
import { type DurationInput, millisOf } from "../base/duration.ts"
import type { CommandId } from "../command/CommandId.ts"
import { ShellFault } from "../command/ShellFault.ts"
import { wireVersion, wireVersionHeader } from "../wire/codec.ts"
import { HttpError } from "./HttpError.ts"
import { Problem } from "../wire/protocol.ts"
import { type BrokenOff, textOf } from "./reading.ts"

/** Where a server is, and how it is spoken to. */
export interface ShellHttpClientOptions {
  /**
   * Where the routes are mounted, such as `"https://build.example/shell"`. Nothing is ever sent to another address: an
   * answer that leads to one is an error.
   */
  readonly url: string
  /** What the server wants as `Authorization: Bearer <token>`. Default: none. */
  readonly token?: string | Redacted.Redacted<string> | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Default: the `fetch` of the runtime. Give one of your own for a certificate authority of your own, a proxy, or HTTP/2
   * where the runtime does not speak it by itself.
   */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined
  /** Sends the secrets of commands to another machine also where they are not encrypted (`http:`). Default: `false`. */
  readonly plainSecrets?: boolean | undefined
  /**
   * Most bytes of one event, and of one answer that is read as a whole. Default: 256 MiB, which holds a `ShellOutput` with
   * both outputs at their default budget.
   */
  readonly maxAnswerBytes?: number | undefined
  /**
   * How long a server may be silent that has something to say every 15 s. Then, or up to half as much later, its connection
   * counts as lost. Default: 60 s.
   */
  readonly silence?: DurationInput | undefined
}

/** One request. */
export interface Asked {
  readonly method: "GET" | "POST" | "DELETE"
  /** Below the URL of the routes, such as `"commands/c1"`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined
  /** The command that it is about. */
  readonly about?: CommandId | undefined
  readonly accept?: string | undefined
  readonly type?: string | undefined
  readonly body?: string | Uint8Array<ArrayBuffer> | undefined
  /** Milliseconds within which the answer must begin; `Infinity` for ever. Default: as long as a server may be silent. */
  readonly withinMillis?: number | undefined
}

/** What can be sent, and what can be said of it. */
export interface Fetching {
  /** Sends a request; the answer is there until the Scope ends, and is an error unless it is 2xx. */
  readonly ask: (asked: Asked) => Effect.Effect<Response, HttpError | ShellFault, Scope.Scope>
  /** What the whole body of an answer holds, by its Schema. */
  readonly decode: <A>(
    schema: Schema.Codec<A>,
    asked: Asked,
  ) => (response: Response) => Effect.Effect<A, HttpError>
  /** The error of an answer that is not one of this protocol. */
  readonly malformed: (asked: Asked, what: string) => HttpError
  /** The error of an answer that did not begin for so many milliseconds. */
  readonly noAnswer: (asked: Asked, millis: number) => HttpError
  /** The error of an answer that ended before its end. */
  readonly brokeOff: (asked: Asked, why: BrokenOff | string) => HttpError
  readonly silenceMillis: number
  readonly maxAnswerBytes: number
}

const decodeProblem = Schema.decodeUnknownResult(Problem)
const decodeFault = Schema.decodeUnknownResult(ShellFault)

/** Longest part of an answer that an error quotes. */
const quoted = 300

const parse = (text: string): Result.Result<unknown, string> =>
  Result.try({ try: (): unknown => JSON.parse(text), catch: () => "no JSON" })

/** What an error of `fetch` says: most runtimes have the reason in its cause. */
const reasonOf = (error: unknown): string => {
  const of = (one: unknown): string => one instanceof Error ? one.message : String(one)
  const cause: unknown = error instanceof Error ? error.cause : undefined
  const code: unknown = [cause, error].map((one) => one instanceof Error && "code" in one ? one.code : undefined)
    .find((one) => typeof one === "string")
  const said = cause === undefined || of(error).includes(of(cause)) ? of(error) : `${of(error)}: ${of(cause)}`
  return `${said.slice(0, quoted)}${code === undefined || said.includes(String(code)) ? "" : ` (${code})`}`
}

const isRedirect = ({ status, type }: Response): boolean =>
  type === "opaqueredirect" || (status >= 300 && status < 400 && status !== 304)

/** Where an answer leads, without what may be secret in it. */
const leadsTo = ({ headers }: Response, from: URL): string => {
  try {
    const { origin, pathname } = new URL(headers.get("location") ?? "", from)
    return `${origin}${pathname}`.slice(0, quoted)
  } catch {
    return "another address"
  }
}

/** Retry-After in milliseconds, if it is a number of seconds. */
const retryAfterOf = ({ headers }: Response): number | undefined => {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

interface Target {
  readonly base: URL
  readonly headers: Headers
}

/** Where requests go, and what they all carry; or what is wrong with it. It quotes neither a token nor a password. */
const targetOf = ({ headers, token, url }: ShellHttpClientOptions): Result.Result<Target, string> => {
  let base: URL
  try {
    base = new URL(url.endsWith("/") ? url : `${url}/`)
  } catch {
    return Result.fail("the url is none: give one such as https://build.example/shell")
  }
  if (base.protocol !== "http:" && base.protocol !== "https:") {
    return Result.fail("the url must begin with https: or http:")
  }
  if (base.username !== "" || base.password !== "") return Result.fail("the url has a password: give a token instead")
  try {
    const all = new Headers(headers)
    all.set(wireVersionHeader, String(wireVersion))
    if (token !== undefined) {
      all.set("authorization", `Bearer ${typeof token === "string" ? token : Redacted.value(token)}`)
    }
    return Result.succeed({ base, headers: all })
  } catch {
    return Result.fail("the token or a header cannot be sent: it must be printable ASCII")
  }
}

/** Makes what sends requests to a server. */
export const fetching = (options: ShellHttpClientOptions): Fetching => {
  const { fetch = (request) => globalThis.fetch(request), maxAnswerBytes = 256 * 1024 * 1024 } = options
  const silenceMillis = millisOf("silence", options.silence ?? "60 seconds")
  const silence = Duration.format(Duration.millis(silenceMillis))
  const target = targetOf(options)

  const named = ({ about, method, path }: Asked): string => {
    const where = Result.isSuccess(target) ? `${target.success.base.origin}${target.success.base.pathname}` : ""
    return `${method} ${where}${path}${about === undefined ? "" : ` (command ${about})`}`
  }
  const errorOf = (reason: HttpError["reason"], asked: Asked, what: string): HttpError =>
    new HttpError({ reason, message: `http: ${named(asked)}: ${what}` })

  const malformed = (asked: Asked, what: string): HttpError =>
    errorOf("Malformed", asked, `${what.slice(0, quoted)}; is that the URL of an execution server?`)

  const brokeOff = (asked: Asked, why: BrokenOff | string): HttpError => {
    const what = typeof why === "string" ? why : why._tag === "Silent" ? `nothing for ${silence}` : reasonOf(why.error)
    return errorOf("Unreachable", asked, `the answer broke off: ${what}`)
  }

  const noAnswer = (asked: Asked, millis: number): HttpError =>
    errorOf("Unreachable", asked, `there was no answer for ${Duration.format(Duration.millis(millis))}`)

  /** The error that an answer is, or the fault that it carries. */
  const refusal = (asked: Asked, response: Response): Effect.Effect<HttpError | ShellFault> =>
    Effect.map(
      Effect.catch(textOf(response, maxAnswerBytes, silenceMillis), () => Effect.succeed("short" as const)),
      (whole) => {
        const body = typeof whole === "string" ? undefined : Result.getOrUndefined(parse(whole.text))
        const problem = Result.getOrUndefined(decodeProblem(body))
        const fault = problem?.fault === undefined ? undefined : Result.getOrUndefined(decodeFault(problem.fault))
        if (fault !== undefined && (asked.about === undefined || fault.commandId === asked.about)) return fault
        const { status } = response
        const retryAfterMillis = retryAfterOf(response)
        const said = problem?.detail.slice(0, quoted) ?? (problem === undefined && body === undefined && status >= 500
          ? "not in the words of an execution server: is something before it that cannot reach it?"
          : "not in the words of an execution server")
        return new HttpError({
          reason: "Refused",
          message: `http: ${named(asked)}: answered ${status}: ${said}`,
          status,
          ...(problem === undefined ? undefined : { problem }),
          ...(retryAfterMillis === undefined ? undefined : { retryAfterMillis }),
        })
      },
    )

  const redirect = (asked: Asked, response: Response, base: URL): HttpError =>
    new HttpError({
      reason: "Refused",
      message: `http: ${named(asked)}: answered ${response.status}, which leads to ${
        leadsTo(response, base)
      }: nothing is sent there; if that is the server, give it as the url`,
      status: response.status,
    })

  const requestOf = (
    { base, headers }: Target,
    { accept, body, method, path, query = {}, type }: Asked,
    signal: AbortSignal,
  ): Request => {
    const to = new URL(path, base)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) to.searchParams.set(name, String(value))
    }
    const all = new Headers(headers)
    if (accept !== undefined) all.set("accept", accept)
    if (type !== undefined) all.set("content-type", type)
    // What is sent has a token, a command and its secrets: it goes where the caller said and nowhere else.
    return new Request(to, {
      method,
      headers: all,
      signal,
      redirect: "manual",
      ...(body === undefined ? undefined : { body }),
    })
  }

  const ask: Fetching["ask"] = (asked) =>
    Effect.gen(function* () {
      if (Result.isFailure(target)) return yield* Effect.fail(errorOf("NotSent", asked, target.failure))
      const { success } = target
      // It ends the connection of an answer that nobody reads to its end.
      const controller = yield* Effect.acquireRelease(
        Effect.sync(() => new AbortController()),
        (one) => Effect.sync(() => one.abort()),
      )
      const { withinMillis = silenceMillis } = asked
      const within = withinMillis === Infinity ? Infinity : Math.min(withinMillis, silenceMillis)
      const sent = Effect.tryPromise({
        try: () => fetch(requestOf(success, asked, controller.signal)),
        catch: (error) => errorOf("Unreachable", asked, `there was no answer: ${reasonOf(error)}`),
      })
      const response = yield* within === Infinity ? sent : Effect.timeoutOrElse(sent, {
        duration: within,
        orElse: () => Effect.fail(noAnswer(asked, within)),
      })
      if (isRedirect(response)) return yield* Effect.fail(redirect(asked, response, success.base))
      if (!response.ok) return yield* Effect.fail(yield* refusal(asked, response))
      const version = response.headers.get(wireVersionHeader)
      return version === null || version === String(wireVersion) ? response : yield* Effect.fail(
        malformed(asked, `the server speaks ${wireVersionHeader} ${version}, and this client ${wireVersion}`),
      )
    })

  const decode: Fetching["decode"] = (schema, asked) => {
    const decoded = Schema.decodeUnknownResult(schema)
    return (response) =>
      Effect.flatMap(
        Effect.mapError(textOf(response, maxAnswerBytes, silenceMillis), (why) => brokeOff(asked, why)),
        (whole) => {
          if (whole === "long") {
            return Effect.fail(malformed(asked, `the answer is longer than ${maxAnswerBytes} bytes`))
          }
          const value = Result.mapError(parse(whole.text), () => malformed(asked, "the answer is not JSON"))
          return Effect.fromResult(Result.flatMap(value, (body) =>
            Result.mapError(decoded(body), (error) =>
              malformed(asked, `the answer is another: ${error.message}`))))
        },
      )
  }

  return { ask, decode, malformed, noAnswer, brokeOff, silenceMillis, maxAnswerBytes }
}
