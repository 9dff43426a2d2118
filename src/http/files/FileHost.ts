/** Builds the file systems of the routes when they are first needed, runs Effects on them, and ends all at disposal. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { runFork, runPromise } from "../../base/stderrLogs.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import type { DisposeOptions } from "../../server/DisposeOptions.ts"
import { InFlightCounter } from "../../server/InFlightCounter.ts"
import { lazyServices, type ServiceSource } from "../lazyServices.ts"

export interface FileHost {
  readonly filesOf: (token: string) => Promise<FilesService>
  /** Starts an Effect, which is interrupted at disposal. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  readonly isClosing: () => boolean
  readonly start: () => Promise<void>
  /** Lets requests go on for a time, then ends all. */
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
  const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  const inFlight = new InFlightCounter()
  let closing: Promise<void> | undefined
  const close = async ({ drain = 0 }: DisposeOptions): Promise<void> => {
    await inFlight.waitForNone(drain)
    await runPromise(Fiber.interruptAll(fibers))
    await Promise.all(all.map(({ dispose }) => dispose()))
  }
  return {
    filesOf: async (token) => Context.get(await (own.get(token) ?? common).context(), Files),
    fork: (effect) => {
      const fiber = runFork(effect)
      fibers.add(fiber)
      fiber.addObserver(() => fibers.delete(fiber))
      return fiber
    },
    isClosing: () => closing !== undefined,
    start: async () => void await Promise.all(all.map(({ context }) => context())),
    dispose: (options = {}) => closing ??= close(options),
    enter: () => inFlight.begin(),
  }
}
