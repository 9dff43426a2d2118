/**
 * Runs the Effects of promise APIs and servers with their logs on stderr: stdout belongs to the program, and an MCP
 * server over stdio uses it for its protocol. A `LogToStderr` among the caller's services takes precedence.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { LogToStderr } from "effect/References"

/** The context of Effects without services. */
export const logContext: Context.Context<never> = /* @__PURE__ */ Context.make(LogToStderr, true)

/** Services of a caller, with logs on stderr. */
export const withLogContext = <R>(services: Context.Context<R>): Context.Context<R> =>
  Context.merge(logContext, services)

/** A layer of a caller that is built, and whose services are used, with logs on stderr. */
export const withLogLayer = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.provideMerge(layer, Layer.succeedContext(logContext))

/** `Effect.runPromise` with logs on stderr. */
export const runPromise: typeof Effect.runPromise = /* @__PURE__ */ Effect.runPromiseWith(logContext)

/** `Effect.runFork` with logs on stderr. */
export const runFork: typeof Effect.runFork = /* @__PURE__ */ Effect.runForkWith(logContext)

/** `Effect.runCallback` with logs on stderr. */
export const runCallback: typeof Effect.runCallback = /* @__PURE__ */ Effect.runCallbackWith(logContext)

/** Logs with the loggers of a caller's services, as far as they are known; without them on stderr. */
export const logWith = (services: Context.Context<never> | undefined, log: Effect.Effect<void>): void =>
  void Effect.runForkWith(services === undefined ? logContext : withLogContext(services))(log)

/** `Effect.runSync` with logs on stderr. */
export const runSync: typeof Effect.runSync = /* @__PURE__ */ Effect.runSyncWith(logContext)
