/** Decides about the servers to which commands want to connect, and connects to the checked addresses. */
import * as Effect from "effect/Effect"
import type * as NodeNet from "node:net"
import type * as Scope from "effect/Scope"
import { quote } from "../base/quote.ts"
import { callbackLater } from "../base/waits.ts"
import { errorMessage } from "../base/errorMessage.ts"
import { escapeInvisible } from "../base/escapeInvisible.ts"
import { canonicalHost, hostAndPort, isAddress } from "./canonicalHost.ts"
import type { EgressDecision, EgressRefusalReason } from "./EgressDecision.ts"
import { EgressRefusal } from "./EgressRefusal.ts"
import type { CompiledRules } from "./EgressRules.ts"
import { SocketStream } from "../net/SocketStream.ts"

export interface EgressContext {
  readonly net: typeof NodeNet
  readonly rules: CompiledRules
  readonly resolve: (host: string) => Promise<ReadonlyArray<string>>
  readonly connectTimeoutMillis: number
  readonly headTimeoutMillis: number
  readonly idleTimeoutMillis: number
  readonly maxHeadBytes: number
  readonly maxNames: number
  readonly names: Set<string>
  /** Reports a decision; the connection waits for it. */
  readonly report: (decision: EgressDecision) => Effect.Effect<void, EgressRefusal>
}

export interface EgressTarget {
  readonly protocol: EgressDecision["protocol"]
  readonly host: string
  readonly port: number
}

export interface EgressRoute extends EgressTarget {
  readonly server: SocketStream
}

const maxShown = 255

const maxAddresses = 8

export const refuse = (
  { report }: EgressContext,
  { host, port, protocol }: EgressTarget,
  reason: EgressRefusalReason,
  message: string,
  addresses?: ReadonlyArray<string>,
): Effect.Effect<never, EgressRefusal> =>
  Effect.andThen(
    report({
      _tag: "EgressDecision",
      ...{ protocol, host, port, allowed: false, reason, message },
      ...addresses && { addresses },
    }),
    Effect.fail(new EgressRefusal("Refused", message)),
  )

/** The canonical addresses of a name. Invalid addresses and those with a zone are left out. */
const lookUp = (context: EgressContext, host: string): Effect.Effect<ReadonlyArray<string>, EgressRefusal> =>
  Effect.tryPromise({
    try: () => context.resolve(host),
    catch: (error) => new EgressRefusal("NotFound", `${host} was not found (${errorMessage(error)})`),
  }).pipe(
    Effect.flatMap((found) => {
      const addresses = found.slice(0, maxAddresses).map((each) =>
        canonicalHost(each.includes(":") ? `[${each}]` : each)
      )
      const known = addresses.filter((each): each is string => each !== undefined && isAddress(each))
      return known.length > 0 && known.length === addresses.length ? Effect.succeed(known) : Effect.fail(
        new EgressRefusal("NotFound", `${host} has no address that accepts a connection`),
      )
    }),
  )

const open = (context: EgressContext, host: string, port: number): Effect.Effect<SocketStream, Error, Scope.Scope> =>
  Effect.gen(function* () {
    const socket = yield* Effect.acquireRelease(
      Effect.sync(() => context.net.connect({ host, port, allowHalfOpen: true, noDelay: true })),
      (each) => Effect.sync(() => each.destroy()),
    )
    const stream = new SocketStream(socket)
    yield* callbackLater<void, Error>((resume) => {
      socket.once("error", (error) => resume(Effect.fail(error)))
      socket.once("connect", () => resume(Effect.void))
    })
    return stream
  })

/** Connects to the first address that answers. Each has its share of the time. */
const connect = (
  context: EgressContext,
  { host, port }: EgressTarget,
  addresses: ReadonlyArray<string>,
): Effect.Effect<SocketStream, EgressRefusal, Scope.Scope> =>
  addresses.map((address) =>
    open(context, address, port).pipe(
      Effect.timeoutOrElse({
        duration: context.connectTimeoutMillis / addresses.length,
        orElse: () => Effect.fail(new Error("no answer")),
      }),
    )
  ).reduce((first, next) => Effect.catch(first, () => next)).pipe(
    Effect.mapError((error) =>
      new EgressRefusal(
        error.message === "no answer" ? "Timeout" : "Unreachable",
        `${hostAndPort(host, port)} cannot be connected to (${errorMessage(error)})`,
      )
    ),
  )

export const connectTo = (
  context: EgressContext,
  asked: EgressTarget,
): Effect.Effect<EgressRoute, EgressRefusal, Scope.Scope> =>
  Effect.gen(function* () {
    const { port, protocol } = asked
    const host = canonicalHost(asked.host)
    if (host === undefined) {
      const shown = { ...asked, host: escapeInvisible(asked.host.slice(0, maxShown)) }
      return yield* refuse(context, shown, "InvalidHost", `${quote(shown.host)} is not a host`)
    }
    const target: EgressTarget = { protocol, host, port }
    const entry = context.rules.entryOf(host, port)
    if (typeof entry === "string") return yield* refuse(context, target, "NotAllowed", entry)
    if (!isAddress(host) && !context.names.has(host) && context.names.size >= context.maxNames) {
      return yield* refuse(context, target, "TooManyNames", `more than ${context.maxNames} names were requested`)
    }
    context.names.add(host)
    const addresses = isAddress(host) ? [host] : yield* Effect.timeoutOrElse(lookUp(context, host), {
      duration: context.connectTimeoutMillis,
      orElse: () => Effect.fail(new EgressRefusal("Timeout", `${host} was not found in time`)),
    })
    const closed = context.rules.addressRefusal(host, entry, addresses)
    if (closed !== undefined) return yield* refuse(context, target, "PrivateAddress", closed, addresses)
    yield* context.report({ _tag: "EgressDecision", ...target, allowed: true, entry: entry.text, addresses })
    return { ...target, server: yield* connect(context, target, addresses) }
  })
