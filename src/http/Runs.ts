/**
 * The runs of one route: on whose services they run, and what is under way.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { Shell } from "../shell/Shell.ts"

/** Where the commands run. */
export type ShellSource =
  | {
    /** Built at the first request, once; released by `dispose`. A build that failed is tried again. */
    readonly layer: Layer.Layer<Shell, unknown>
    readonly runtime?: never
    readonly context?: never
  }
  | {
    /** A runtime of the caller's, who disposes of the route first, then of it. */
    readonly runtime: ManagedRuntime.ManagedRuntime<Shell, unknown>
    readonly layer?: never
    readonly context?: never
  }
  | {
    /** Services of the caller's, as `Effect.context<Shell>()` gives them within a program. */
    readonly context: Context.Context<Shell>
    readonly layer?: never
    readonly runtime?: never
  }

/** The runs of one route. */
export interface Runs {
  /** The services that the commands run on. Rejects when they cannot be built, and after `dispose`. */
  readonly services: () => Promise<Context.Context<Shell>>
  /** Starts a run that ends, at the latest, when `signal` aborts or the runs are disposed of. */
  readonly fork: <A>(
    services: Context.Context<Shell>,
    commandId: CommandId,
    run: Effect.Effect<A, ShellFault, Shell>,
    signal: AbortSignal,
  ) => Fiber.Fiber<A, ShellFault>
  /** Whether `dispose` was called. */
  readonly disposed: () => boolean
  /** Ends all runs, waits for their ends, and releases a layer that was built here. */
  readonly dispose: () => Promise<void>
}

interface Services {
  readonly context: () => Promise<Context.Context<Shell>>
  readonly dispose: () => Promise<void>
}

/** Builds a layer at the first call, and again after a failure. */
const built = (layer: Layer.Layer<Shell, unknown>): Services => {
  let runtime: ManagedRuntime.ManagedRuntime<Shell, unknown> | undefined
  return {
    context: async () => {
      const current = runtime ??= ManagedRuntime.make(layer)
      try {
        return await current.context()
      } catch (error) {
        if (runtime === current) runtime = undefined
        await current.dispose()
        throw error
      }
    },
    dispose: async () => await runtime?.dispose(),
  }
}

const contextOf = ({ context, layer, runtime }: ShellSource): Services => {
  if (layer !== undefined) return built(layer)
  const given = runtime === undefined ? () => Promise.resolve(context) : runtime.context
  return { context: given, dispose: () => Promise.resolve() }
}

/** Makes the runs of one route. */
export const makeRuns = (source: ShellSource): Runs => {
  const fibers = new Set<Fiber.Fiber<unknown, ShellFault>>()
  const { context, dispose } = contextOf(source)
  let disposed = false

  return {
    services: async () => {
      if (disposed) throw new Error("disposed of")
      return await context()
    },
    fork: (services, commandId, run, signal) => {
      // What a defect says is for the log of the server, not for the client.
      const logged = Effect.tapCause(
        run,
        (cause) => Cause.hasDies(cause) ? Effect.logError("a run broke", cause) : Effect.void,
      ).pipe(Effect.annotateLogs({ commandId }))
      const fiber = Effect.runForkWith(services)(logged)
      const interrupt = (): void => fiber.interruptUnsafe()
      fibers.add(fiber)
      fiber.addObserver(() => {
        fibers.delete(fiber)
        signal.removeEventListener("abort", interrupt)
      })
      if (signal.aborted || disposed) interrupt()
      else signal.addEventListener("abort", interrupt, { once: true })
      return fiber
    },
    disposed: () => disposed,
    dispose: async () => {
      disposed = true
      await Effect.runPromise(Fiber.interruptAll(fibers))
      await dispose()
    },
  }
}

/** How a run ended, as a promise. */
export const exitOf = <A>(fiber: Fiber.Fiber<A, ShellFault>): Promise<Exit.Exit<A, ShellFault>> =>
  new Promise((resolve) => {
    fiber.addObserver(resolve)
  })
