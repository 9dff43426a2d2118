/** Sends the requests of the leaves over HTTP: to the addresses of one host, encrypted, without redirects, bounded. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { NodeBuiltins } from "../base/nodeBuiltins.ts"
import { OptionError } from "../base/OptionError.ts"
import { requireBuiltins } from "../base/requireBuiltins.ts"
import { readErrorCode } from "../base/readErrorCode.ts"
import { BodyLimitError, sendPinned } from "../net/sendPinned.ts"
import { isPlaintext } from "../wire/secrets.ts"
import type { StoreProblem } from "./makeSecrets.ts"

export type Current<A> = A | Effect.Effect<A, unknown>

export const currentOf = <A>(given: Current<A>): Effect.Effect<A, StoreProblem> =>
  Effect.isEffect(given)
    ? Effect.mapError(given, (): StoreProblem => ["Denied", "there are no credentials: their Effect failed"])
    : Effect.succeed(given)

export const headerText = (secret: Redacted.Redacted<string>): Effect.Effect<string, StoreProblem> => {
  const text = Redacted.value(secret)
  // The runtime's error would quote the value.
  return /^[\x21-\x7e]+$/.test(text)
    ? Effect.succeed(text)
    : Effect.fail(["Denied", "the credentials have characters other than visible ASCII"])
}

const maxBytes = 1_048_576

/** The process, and the URL of a service. @throws {OptionError} for one that would be sent unencrypted. */
export const requireService = (who: string, option: string, url: string): readonly [NodeBuiltins, URL] => {
  const process = requireBuiltins(who, "sockets")
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new OptionError(option, `${who}: ${option} is a URL: https://host:port`)
  }
  const parsed = new URL(url)
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "") {
    throw new OptionError(option, `${who}: ${option} has no user, password, query or hash`)
  }
  if (isPlaintext(url)) {
    throw new OptionError(option, `${who}: http: to ${parsed.host} is not encrypted: use https:`)
  }
  return [process, parsed]
}

export interface StoreAnswer {
  readonly status: number
  readonly text: string
}

/** Sends one request to a service. Problems contain no message of an error and no text of the service. */
export const askStore = (
  process: NodeBuiltins,
  request: {
    readonly url: URL
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: Uint8Array | undefined
  },
): Effect.Effect<StoreAnswer, StoreProblem> =>
  Effect.gen(function* () {
    const { body, url } = request
    const host = url.hostname.replace(/^\[|\]$/g, "")
    const response = yield* Effect.tryPromise({
      try: async (signal) => {
        const found = await process.getBuiltinModule("node:dns/promises").lookup(host, { all: true })
        const addresses = found.map(({ address }) => address)
        return await sendPinned(process, { ...request, body, addresses, maxBytes }, signal)
      },
      catch: (error): StoreProblem =>
        error instanceof BodyLimitError
          ? ["TooLarge", `${url.host}: ${error.message}`]
          : ["Unreachable", `${url.host} did not answer (${readErrorCode(error) ?? "no connection"})`],
    })
    const { status } = response
    // The credentials are only for this address.
    if (status >= 300 && status < 400) return yield* problem("Unreachable", `${url.host} redirects (${status})`)
    if (status === 429 || status >= 500) return yield* problem("Unreachable", `${url.host} answered ${status}`)
    return { status, text: new TextDecoder().decode(response.body) }
  })

const problem = (...what: StoreProblem): Effect.Effect<never, StoreProblem> => Effect.fail(what)
