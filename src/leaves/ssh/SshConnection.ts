/** Keeps one SSH connection for several leaves: over all hops, again after a loss, until its scope closes. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import type { Client } from "ssh2"
import { Latch } from "../../base/waits.ts"
import { attemptOptions } from "../../base/attemptOptions.ts"
import { OptionError, refuseUnknownOptions } from "../../base/OptionError.ts"
import { requireBuiltins } from "../../base/requireBuiltins.ts"
import { type ConnectContext, connectHop, forwardTo } from "./connectHop.ts"
import { loadSsh2 } from "./loadSsh2.ts"
import type { Loss } from "./Loss.ts"
import {
  connectionOptionNames,
  resolveConnection,
  serverOf,
  type SshConnectionOptions,
  type SshConnectionSettings,
} from "./SshConnectionOptions.ts"
import { mayPass, SshError } from "./SshError.ts"

/** One connection, until it is lost. */
export interface SshLink extends Pick<Loss, "isLost" | "onLost"> {
  readonly client: Client
  /** Ends the connection, which has been found to be lost. */
  readonly drop: () => void
  readonly scope: Scope.Closeable
}

/** A connection that leaves share. */
export interface SshConnectionService {
  /** `host:port` of the server. */
  readonly server: string
}

/** The parts of a connection that leaves use. */
export interface SshTransport extends SshConnectionService {
  /** The connection, made again after a loss. */
  readonly link: Effect.Effect<SshLink, SshError>
  /** Time for a connection, and for the start of a command on it. */
  readonly connectTimeoutMillis: number
  /** Time between signs of life. */
  readonly keepAliveMillis: number
}

const Base: Context.ServiceClass<SshConnection, "@sluice/shell/SshConnection", SshConnectionService> = Context.Service<
  SshConnection,
  SshConnectionService
>()("@sluice/shell/SshConnection")

/**
 * The service of an SSH connection, which `SshShell.layerOver` and `SftpFileSystem.layerOver` share.
 *
 * @example
 * ```ts
 * import { SftpFileSystem, SshConnection, SshShell } from "@sluice/shell/ssh"
 * import { Layer } from "effect"
 *
 * const connection = SshConnection.layer({ host: "build.example", user: "me", auth: { agent: true } })
 * const remote = Layer.mergeAll(SshShell.layerOver, SftpFileSystem.layerOverWith({ rootPath: "/srv/app" })).pipe(
 *   Layer.provide(connection),
 * )
 * console.log(Layer.isLayer(remote)) // true
 * ```
 */
export class SshConnection extends Base {
  /** Makes a connection, which is open when the Effect succeeds. Fails with a `SshError`, or an `OptionError`. */
  static readonly make = (
    options: SshConnectionOptions,
  ): Effect.Effect<SshConnectionService, SshError | OptionError, Scope.Scope> =>
    Effect.map(makeConnection("SshConnection", options), (transport) => {
      const connection: SshConnectionService = { server: transport.server }
      transports.set(connection, transport)
      return connection
    })

  /** {@link make} as a layer. */
  static readonly layer = (options: SshConnectionOptions): Layer.Layer<SshConnection, SshError | OptionError> =>
    Layer.effect(SshConnection, SshConnection.make(options))
}

/** Keeps the types of `ssh2` out of the public types. */
const transports = new WeakMap<SshConnectionService, SshTransport>()

/** The connection of the context, for a leaf. */
export const transportOf: Effect.Effect<SshTransport, OptionError, SshConnection> = Effect.flatMap(
  SshConnection,
  (connection) => {
    const transport = transports.get(connection)
    return transport === undefined
      ? Effect.fail(
        new OptionError("connection", "ssh: make the connection with SshConnection.make or SshConnection.layer"),
      )
      : Effect.succeed(transport)
  },
)

const makeContext = (settings: SshConnectionSettings): Effect.Effect<ConnectContext, SshError | OptionError> =>
  Effect.gen(function* () {
    const runtime = requireBuiltins("ssh", "sockets")
    const [fs, crypto, os, process] = [
      runtime.getBuiltinModule("node:fs"),
      runtime.getBuiltinModule("node:crypto"),
      runtime.getBuiltinModule("node:os"),
      runtime.getBuiltinModule("node:process"),
    ]
    const { connectTimeoutMillis, keepAliveMillis } = settings
    const read = <A>(call: () => A, otherwise: A): A => {
      try {
        return call()
      } catch {
        // Deno without --allow-env.
        return otherwise
      }
    }
    return {
      ssh2: yield* loadSsh2,
      fs,
      crypto,
      home: read(() => os.homedir(), "/"),
      agentSocket: read(() => process.env["SSH_AUTH_SOCK"], undefined),
      connectTimeoutMillis,
      keepAliveMillis,
    }
  })

/** Connects, and passes the link to `keep`. No interruption happens between the two, so every link has an owner. */
const connect = (
  settings: SshConnectionSettings,
  context: ConnectContext,
  keep: (link: SshLink) => void,
): Effect.Effect<SshLink, SshError> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.gen(function* () {
      const services = yield* Effect.context<never>()
      const scope = yield* Scope.make()
      const hops = Effect.gen(function* () {
        const [first, ...rest] = settings.hops
        let [connected, through] = [yield* connectHop(first, context), first]
        for (const hop of rest) {
          const forwarded = yield* forwardTo(connected.client, hop, through, context.connectTimeoutMillis)
          connected = yield* connectHop(hop, context, forwarded)
          through = hop
        }
        return connected
      })
      const { client, loss } = yield* restore(Scope.provide(hops, scope)).pipe(
        Effect.tapCause(() => Scope.close(scope, Exit.void)),
      )
      loss.onLost(() => void Effect.runForkWith(services)(Scope.close(scope, Exit.void)))
      const drop = (): void => {
        client.destroy()
        loss.lose()
      }
      const link = { client, scope, drop, isLost: loss.isLost, onLost: loss.onLost }
      keep(link)
      return link
    })
  )

/** Makes a connection for a leaf; the leaf's name is in the messages of options. */
export const makeConnection = (
  leaf: string,
  options: SshConnectionOptions,
): Effect.Effect<SshTransport, SshError | OptionError, Scope.Scope> =>
  Effect.gen(function* () {
    const settings = yield* attemptOptions(() => {
      refuseUnknownOptions(leaf, options, connectionOptionNames)
      return resolveConnection(leaf, options)
    })
    const context = yield* makeContext(settings)
    const lock = yield* Semaphore.make(1)
    let current: SshLink | undefined
    const closed = new Latch()
    // A caller that is connecting meanwhile gives up at once; if it already has a link, it leaves the link in
    // `current`.
    yield* Effect.addFinalizer(() =>
      Effect.andThen(
        Effect.sync(() => closed.open()),
        lock.withPermit(
          Effect.suspend(() => current === undefined ? Effect.void : Scope.close(current.scope, Exit.void)),
        ),
      )
    )
    const server = serverOf(settings.target)
    const wasClosed = Effect.suspend(() =>
      Effect.fail(new SshError({ reason: { _tag: "Lost", server }, message: `ssh: ${server} was closed` }))
    )
    const link: SshTransport["link"] = lock.withPermit(Effect.suspend(() => {
      if (closed.isOpen()) return wasClosed
      if (current !== undefined && !current.isLost()) return Effect.succeed(current)
      return connect(settings, context, (link) => void (current = link)).pipe(
        Effect.retry({ schedule: settings.reconnect, while: mayPass }),
        Effect.raceFirst(Effect.andThen(closed.await, wasClosed)),
      )
    }))
    yield* link
    const { connectTimeoutMillis, keepAliveMillis } = settings
    return { server, link, connectTimeoutMillis, keepAliveMillis }
  })
