/** Builds the file systems of the routes on first use, runs Effects on them, and ends everything at disposal. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { runFork, runPromise, runSync } from "../../base/stderrLogs.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import type { DisposeOptions } from "../../server/DisposeOptions.ts"
import { InFlightCounter } from "../../server/InFlightCounter.ts"
import { lazyServices, type ServiceSource } from "../lazyServices.ts"

export interface FileHost {
  readonly filesOf: (token: string) => Promise<FilesService>
  /** The services of the common root, once they are known. */
  readonly context: () => Context.Context<Files> | undefined
  /** Starts an Effect, which is interrupted at disposal. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly isClosing: () => boolean
  readonly start: () => Promise<void>
  /** Lets requests continue for a time, then ends all of them. */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
  /** Counts a request as under way, until the returned function is called. */
  readonly enter: () => () => void
}

export const makeFileHost = (
  source: ServiceSource<Files>,
  roots: Readonly<Record<string, Layer.Layer<Files, unknown>>> = {},
): FileHost => {
  const common = lazyServices<Files>(source)
  const own = new Map(Object.entries(roots).map(([name, layer]) => [name, lazyServices<Files>({ layer })]))
  const all = [common, ...own.values()]
  const scope = Scope.makeUnsafe()
  const fibers = runSync(Scope.provide(FiberSet.make<unknown, unknown>(), scope))
  const inFlight = new InFlightCounter()
  let known = source.context
  let closing: Promise<void> | undefined
  const close = async ({ drain = 0 }: DisposeOptions): Promise<void> => {
    await inFlight.waitForNone(drain)
    await runPromise(Scope.close(scope, Exit.void))
    await Promise.all(all.map(({ dispose }) => dispose()))
  }
  return {
    filesOf: async (token) => {
      const ownRoot = own.get(token)
      if (ownRoot !== undefined) return Context.get(await ownRoot.context(), Files)
      known = await common.context()
      return Context.get(known, Files)
    },
    context: () => known,
    fork: (effect) => {
      const fiber = runFork(effect)
      FiberSet.addUnsafe(fibers, fiber)
      return fiber
    },
    isClosing: () => closing !== undefined,
    start: async () => void await Promise.all(all.map(({ context }) => context())),
    dispose: (options = {}) => closing ??= close(options),
    enter: () => inFlight.begin(),
  }
}
