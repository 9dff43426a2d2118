/**
 * Sockets that are gone when their Scope has closed.
 *
 * The client says goodbye and leaves the rest to the server; one that has stopped, or is behind a network that is gone,
 * never answers, and its socket would keep this process from ending.
 *
 * @module
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type * as NodeNet from "node:net"

/** How long a server may take to close what was closed here. It takes a millisecond. */
export const closeTimeout = 500

/** Idle connections are probed after so long: a network that is gone is noticed. */
const keepAliveDelay = 30_000

interface WithBuiltins {
  readonly getBuiltinModule: (id: "node:net") => typeof NodeNet
}

const hasBuiltins = (u: unknown): u is WithBuiltins =>
  typeof u === "object" && u !== null && "getBuiltinModule" in u && typeof u.getBuiltinModule === "function"

/** Where to connect to. */
export interface Address {
  readonly host: string
  readonly port: number
}

const connectTo = ({ host, port }: Address): NodeNet.Socket => {
  const process: unknown = Reflect.get(globalThis, "process")
  if (!hasBuiltins(process)) throw new Error("there is no node:net")
  const net = process.getBuiltinModule("node:net")
  return host.startsWith("/")
    ? net.connect({ path: `${host}/.s.PGSQL.${port}` })
    : net.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveDelay })
}

const gone = (socket: NodeNet.Socket): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = (): void => resume(Effect.void)
    socket.once("close", done)
    return Effect.sync(() => socket.off("close", done))
  })

/** Settings, and what they opened. */
export interface Sockets<C> {
  readonly config: C
  /** Closes what is open without a goodbye. */
  readonly cut: Effect.Effect<void>
}

/** The same settings with sockets that are gone, at the latest half a second late, when the Scope has closed. */
export const withSockets = <C extends PgConnection.Config>(
  config: C,
  address: Address,
): Effect.Effect<Sockets<C>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = new Set<NodeNet.Socket>()
    const cut = Effect.sync(() => open.forEach((socket) => socket.destroy()))
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() =>
        Effect.timeoutOrElse(Effect.forEach(open, gone, { concurrency: "unbounded", discard: true }), {
          duration: closeTimeout,
          orElse: () => cut,
        })
      )
    )
    const stream = (): NodeNet.Socket => {
      const socket = connectTo(address)
      open.add(socket)
      socket.once("close", () => open.delete(socket))
      return socket
    }
    return { config: { ...config, stream }, cut }
  })

/** One connection, gone when the Scope has closed. */
export const connect = (
  config: PgConnection.Config,
  address: Address,
): Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope> =>
  Effect.flatMap(withSockets(config, address), (sockets) => PgConnection.make(sockets.config))
