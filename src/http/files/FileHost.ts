/** Builds the file systems of the routes when they are first needed, runs Effects on them, and ends all at disposal. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import { runFork, runPromise } from "../../base/stderrLogs.ts"
import { Files } from "../../files/Files.ts"
import type { FilesService } from "../../files/FilesService.ts"
import { millisOf } from "../../base/duration.ts"
import type { DisposeOptions } from "../../server/Server.ts"
import { lazyServices } from "../lazyServices.ts"
import type { FilesSource } from "./FileRoutesOptions.ts"

export interface FileHost {
  /** The file system of a token. Rejects when it cannot be built. */
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
  source: FilesSource,
  roots: Readonly<Record<string, Layer.Layer<Files, unknown>>> = {},
): FileHost => {
  const common = lazyServices<Files>(source)
  const own = new Map(Object.entries(roots).map(([name, layer]) => [name, lazyServices<Files>({ layer })]))
  const all = [common, ...own.values()]
  const fibers = new Set<Fiber.Fiber<unknown, unknown>>()
  const underWay = new Set<symbol>()
  let onIdle: () => void = () => {}
  let closing: Promise<void> | undefined
  const close = async ({ drain = 0 }: DisposeOptions): Promise<void> => {
    const limit = millisOf("drain", drain)
    const idle = new Promise<void>((resolve) => {
      onIdle = resolve
      if (underWay.size === 0) resolve()
    })
    if (limit > 0) await runPromise(Effect.timeoutOption(Effect.promise(() => idle), limit))
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
    enter: () => {
      const request = Symbol("request")
      underWay.add(request)
      return () => {
        underWay.delete(request)
        if (underWay.size === 0) onIdle()
      }
    },
  }
}
