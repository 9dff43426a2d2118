/** Connects to one SSH server, over a socket of its own or a channel of a server before it, and explains a failure. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { Algorithms, CipherAlgorithm, Client } from "ssh2"
import type { Readable } from "node:stream"
import { defined } from "../../base/defined.ts"
import { maxTimerMillis } from "../../base/maxTimerMillis.ts"
import { callbackLater } from "../../base/waits.ts"
import { errorMessage } from "../../base/errorMessage.ts"
import { readErrorCode } from "../../base/readErrorCode.ts"
import { type AuthAttempts, makeAuthAttempts } from "./makeAuthAttempts.ts"
import { answeredWithin } from "./answeredWithin.ts"
import { type HostKeyModules, readHostKeys } from "./readHostKeys.ts"
import type { Ssh2Module } from "./loadSsh2.ts"
import { Loss } from "./Loss.ts"
import { type HopSettings, serverOf } from "./SshConnectionOptions.ts"
import { SshError, type SshErrorReason } from "./SshError.ts"

/** Surroundings of a connection. */
export interface ConnectContext extends HostKeyModules {
  readonly ssh2: Ssh2Module
  readonly agentSocket: string | undefined
  readonly connectTimeoutMillis: number
  readonly keepAliveMillis: number
}

/** Number of unanswered keep-alive requests after which the connection is lost. */
const maxUnanswered = 3

const failure = (reason: SshErrorReason, message: string): SshError =>
  new SshError({ reason, message: `ssh: ${message}` })

/** The reason why a connection failed; `level` is ssh2's name of the part that failed. */
const describe = (hop: HopSettings, error: unknown, context: ConnectContext): SshError => {
  const { host } = hop
  const server = serverOf(hop)
  const level = typeof error === "object" && error !== null && "level" in error ? error.level : undefined
  const [code, what] = [readErrorCode(error), errorMessage(error)]
  if (code === "ENOTFOUND" || code === "EAI_AGAIN" || code === "EAI_NODATA" || /failed to lookup address/.test(what)) {
    return failure(
      { _tag: "NameNotResolved", server },
      `the host ${host} has no address (${code ?? what}); check its name, or give an address`,
    )
  }
  if (code === "ECONNREFUSED") {
    return failure({ _tag: "Refused", server }, `nothing listens at ${server} (ECONNREFUSED); check host and port`)
  }
  if (level === "client-timeout" || code === "ETIMEDOUT") {
    return failure(
      { _tag: "TimedOut", server },
      `${server} did not answer within ${context.connectTimeoutMillis} ms (ETIMEDOUT); check that it is up, or raise connectTimeout`,
    )
  }
  if (level === "client-socket") {
    return failure(
      { _tag: "Unreachable", server, ...defined({ code }) },
      `${server} cannot be reached (${code ?? what})`,
    )
  }
  if (/before handshake|it closed the connection/.test(what)) {
    return failure(
      { _tag: "ProtocolFailed", server },
      `${server} closed the connection before it spoke SSH; check port, and whether the server limits connections (MaxStartups)`,
    )
  }
  return failure({ _tag: "ProtocolFailed", server }, `${server} does not speak SSH as expected: ${what}`)
}

const chacha: CipherAlgorithm = "chacha20-poly1305@openssh.com"

/**
 * The ciphers, where the defaults of ssh2 do not serve.
 *
 * - Through another server: not ChaCha20. ssh2 keeps its nonce in one buffer of the module, which a connection within a
 *   connection
 *   overwrites in the middle of a packet.
 * - On Deno, whose AES runs at a seventh of the speed of Node's, ChaCha20 first: a transfer takes half the time.
 */
const ciphersOf = ({ crypto }: ConnectContext, isThrough: boolean): Algorithms["cipher"] =>
  isThrough
    ? { append: [], prepend: [], remove: [chacha] }
    : "Deno" in globalThis && crypto.getCiphers().includes("chacha20")
    ? [chacha, "aes128-gcm@openssh.com", "aes256-gcm@openssh.com", "aes128-ctr", "aes192-ctr", "aes256-ctr"]
    : undefined

/** Explains why a user was refused: the methods that were tried, those that could not be tried, and what to do. */
const describeRefused = (hop: HopSettings, { offered, sent, tried }: AuthAttempts, isOver: boolean): SshError => {
  const [server, { user }] = [serverOf(hop), hop]
  const what = sent.length === 0
    ? `the user ${user} was not authenticated at ${server}: no method of auth could be used`
    : `${server} refused the user ${user}`
  const advice = isOver
    ? "; it permits no more attempts (MaxAuthTries): put the right method first"
    : sent.some((name) => name === "privateKey" || name === "agent")
    ? `; is the public key in ~/.ssh/authorized_keys of ${user} there?`
    : ""
  return failure(
    { _tag: "AuthRefused", server, user, tried, offered },
    `${what}; tried: ${tried.join(", ") || "nothing"}; it accepts: ${offered.join(", ") || "nothing"}${advice}`,
  )
}

export interface ConnectedHop {
  readonly client: Client
  /** Whether the connection has been lost since. */
  readonly loss: Loss
}

/** Connects to a server, through `sock` if it is given. Closing the scope closes the connection. */
export const connectHop = (
  hop: HopSettings,
  context: ConnectContext,
  sock?: Readable,
): Effect.Effect<ConnectedHop, SshError, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.interruptible(callbackLater<ConnectedHop, SshError>((resume) => {
      const client = new context.ssh2.Client()
      const loss = new Loss()
      const attempts = makeAuthAttempts(hop, context.ssh2, context.agentSocket)
      const hostKeys = readHostKeys(hop, context)
      const cipher = ciphersOf(context, sock !== undefined)
      let refused: SshError | undefined
      let firstError: unknown
      let settled = false
      const settle = (result: Effect.Effect<ConnectedHop, SshError>): void => {
        if (settled) return
        settled = true
        resume(result)
      }
      const fail = (error: SshError): void => {
        settle(Effect.fail(error))
        client.destroy()
      }
      client.on("ready", () => {
        client.setNoDelay(true)
        settle(Effect.succeed({ client, loss }))
      })
      client.on("error", (error) => {
        firstError ??= error
        // An unreachable agent is one failed method; ssh2 continues with the next.
        if (error.level === "agent") return attempts.agentFailed(error)
        if (settled) return
        if (refused !== undefined) return fail(refused)
        // RFC 4253, 11.1: a server that permits no more tries disconnects.
        const isOver = /too many authentication failures/i.test(error.message)
        if (error.level === "client-authentication" || isOver) return fail(describeRefused(hop, attempts, isOver))
        fail(describe(hop, error, context))
      })
      client.on("close", loss.lose)
      client.on("close", () =>
        fail(refused ?? describe(hop, firstError ?? new Error("it closed the connection"), context)))
      try {
        client.connect({
          ...(sock === undefined ? { host: hop.host, port: hop.port } : { sock }),
          username: hop.user,
          authHandler: attempts.handler,
          readyTimeout: Math.min(context.connectTimeoutMillis, maxTimerMillis),
          keepaliveInterval: Math.min(context.keepAliveMillis, maxTimerMillis),
          keepaliveCountMax: maxUnanswered,
          algorithms: {
            serverHostKey: [...hostKeys.algorithms],
            ...defined({ cipher }),
          },
          hostVerifier: (key: Uint8Array) => {
            refused = hostKeys.refuse(key)
            return refused === undefined
          },
        })
      } catch (error) {
        fail(describe(hop, error, context))
      }
      return Effect.sync(() => {
        settled = true
        client.destroy()
      })
    })),
    ({ client }) =>
      Effect.sync(() => void client.destroy()),
  )

/** Opens a channel through a server to the next one. */
export const forwardTo = (
  client: Client,
  hop: HopSettings,
  through: HopSettings,
  millis: number,
): Effect.Effect<Readable, SshError> => {
  const server = serverOf(hop)
  const forwarded = callbackLater<Readable, SshError>((resume) => {
    const fail = (error: unknown): void =>
      resume(Effect.fail(failure(
        { _tag: "Unreachable", server },
        `${serverOf(through)} cannot reach ${server}, or does not permit it: ${errorMessage(error)}`,
      )))
    try {
      client.forwardOut("127.0.0.1", 0, hop.host, hop.port, (error, channel) => {
        if (error === undefined) return resume(Effect.succeed(channel))
        fail(error)
      })
    } catch (error) {
      // ssh2 throws where the connection has ended meanwhile.
      fail(error)
    }
  })
  return Effect.flatMap(answeredWithin(forwarded, millis), (channel) =>
    channel === undefined
      ? Effect.fail(failure(
        { _tag: "TimedOut", server },
        `${
          serverOf(through)
        } did not reach ${server} within ${millis} ms (ETIMEDOUT); check that it is up, or raise connectTimeout`,
      ))
      : Effect.succeed(channel))
}
