/**
 * Opens connections to a PostgreSQL server whose sockets are closed even if the server does not answer.
 *
 * The client's own close sends a message and leaves the rest to the server. A server that has stopped, or is behind a
 * broken network, never answers it, and its socket would keep this process alive.
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import type * as NodeNet from "node:net"
import { nodeBuiltins } from "../base/nodeBuiltins.ts"
import type { Address } from "./postgresLocation.ts"
import { callbackLater } from "../base/waits.ts"

/** Time for a server to close a connection that was closed here, which takes about a millisecond. */
export const closeTimeoutMillis = 500

/** TCP probes idle connections after this time, so that a broken network is noticed. */
const keepAliveMillis = 30_000

const openSocket = ({ host, port }: Address): NodeNet.Socket => {
  const net = nodeBuiltins()?.getBuiltinModule("node:net")
  if (net === undefined) throw new Error("this runtime has no node:net")
  return host.startsWith("/")
    ? net.connect({ path: `${host}/.s.PGSQL.${port}` })
    : net.connect({ host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMillis })
}

const awaitClose = (socket: NodeNet.Socket): Effect.Effect<void> =>
  callbackLater((resume) => {
    const done = (): void => resume(Effect.void)
    socket.once("close", done)
    return Effect.sync(() => socket.off("close", done))
  })

/** A client configuration, and the sockets that it opened. */
export interface TrackedSockets<C> {
  readonly config: C
  /** Closes the open sockets without telling the server. */
  readonly destroy: Effect.Effect<void>
}

/** Adds a socket factory to a client configuration; its sockets are gone half a second after the Scope has closed. */
export const trackSockets = <C extends PgConnection.Config>(
  config: C,
  address: Address,
): Effect.Effect<TrackedSockets<C>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const open = new Set<NodeNet.Socket>()
    const destroy = Effect.sync(() => open.forEach((socket) => socket.destroy()))
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() =>
        Effect.timeoutOrElse(Effect.forEach(open, awaitClose, { concurrency: "unbounded", discard: true }), {
          duration: closeTimeoutMillis,
          orElse: () => destroy,
        })
      )
    )
    const stream = (): NodeNet.Socket => {
      const socket = openSocket(address)
      open.add(socket)
      socket.once("close", () => open.delete(socket))
      return socket
    }
    return { config: { ...config, stream }, destroy }
  })

/** Opens a connection; it is closed with the Scope. */
export const connect = (
  config: PgConnection.Config,
  address: Address,
): Effect.Effect<PgConnection.PgConnection, SqlError, Scope.Scope> =>
  Effect.flatMap(trackSockets(config, address), (sockets) => PgConnection.make(sockets.config))
