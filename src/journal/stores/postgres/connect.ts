/**
 * Opens a connection, or a pool of connections for reads, to a PostgreSQL server, limits the time for an answer, and
 * closes the sockets even where the server does not answer.
 *
 * The client's own close sends a message and leaves the rest to the server. A server that has stopped, or is behind a
 * broken network, never answers it, and its socket would keep this process alive.
 *
 * @module
 */
import * as PgConnection from "@effect/sql-pg/PgConnection"
import * as PgPool from "@effect/sql-pg/PgPool"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import type { SqlError } from "effect/sql/SqlError"
import { callbackLater } from "../../../base/waits.ts"
import type * as NodeNet from "node:net"
import { nodeBuiltins } from "../../../base/nodeBuiltins.ts"
import { answerTimedOut } from "./errors.ts"
import type { Address } from "./location.ts"
import type { PostgresSettings } from "./options.ts"

/** Time for a server to close what was closed here. It takes about a millisecond. */
const closeTimeoutMillis = 500

/** TCP probes idle connections after this time, so that a broken network is noticed. */
const keepAliveMillis = 30_000

/** A statement and its parameters. */
export interface Query {
  readonly sql: string
  readonly params: ReadonlyArray<unknown>
  /** Whether the server keeps it prepared. Default: `true`. */
  readonly prepare?: boolean
}

/** Runs one statement. */
export type RunQuery = (query: Query) => Effect.Effect<PgConnection.Result, SqlError>

/** Fails like a lost connection if there is no answer in time, even where the query cannot be interrupted. */
export const withAnswerTimeout = <A>(effect: Effect.Effect<A, SqlError>, millis: number): Effect.Effect<A, SqlError> =>
  Effect.timeoutOrElse(effect, { duration: millis, orElse: () => Effect.fail(answerTimedOut(millis)) })

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
interface TrackedSockets<C> {
  readonly config: C
  /** Closes the open sockets without telling the server. */
  readonly destroy: Effect.Effect<void>
}

/** Adds a socket factory to a client configuration; its sockets are gone half a second after the Scope has closed. */
const trackSockets = <C extends PgConnection.Config>(
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

/** The connections for reads. */
export interface ReadPool {
  readonly run: RunQuery
  /** Closes the connections, those of unanswered queries too. */
  readonly close: Effect.Effect<void>
}

/**
 * Lets an interrupted caller go on at once: the client first tells the server to cancel, which takes seconds if the server
 * does not answer. That continues in the background, at most until the connections are closed.
 */
const interruptInBackground = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.flatMap(
    Effect.forkDetach(effect, { startImmediately: true }),
    (fiber) => Effect.onInterrupt(Fiber.join(fiber), () => Effect.sync(() => fiber.interruptUnsafe())),
  )

/** Makes the pool; its connections are opened when they are needed. */
export const makeReadPool = (settings: PostgresSettings): Effect.Effect<ReadPool, SqlError> =>
  Effect.gen(function* () {
    const { address, answerTimeoutMillis, config, maxReadConnections } = settings
    const scope = yield* Scope.make()
    const sockets = yield* Scope.provide(trackSockets(config, address), scope)
    const pool = yield* Scope.provide(
      PgPool.make({ ...sockets.config, maxConnections: maxReadConnections, minConnections: 0 }),
      scope,
    )
    return {
      run: ({ params, sql }) => {
        const query = interruptInBackground(pool.use((connection) => connection.query(sql, params)))
        return withAnswerTimeout(query, answerTimeoutMillis)
      },
      close: Effect.gen(function* () {
        const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
        yield* Effect.timeoutOrElse(Fiber.await(closing), {
          duration: closeTimeoutMillis,
          orElse: () => sockets.destroy,
        })
        yield* Fiber.await(closing)
      }),
    }
  })
