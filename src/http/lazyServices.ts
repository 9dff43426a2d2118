/** Declares the options for the shell, journal and policy of a route, and builds these services on first use. */
import * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { withLogContext, withLogLayer } from "../base/stderrLogs.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { layerWith as memoryJournal } from "../journal/stores/memory/MemoryJournal.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import type { AccessPolicy } from "../policy/AccessPolicy.ts"

/**
 * Source of a service of a route.
 *
 * @stability stable
 */
export type ServiceSource<R> =
  | {
    /** Built once, at the first request; released by `dispose`. A failed build is retried. */
    readonly layer: Layer.Layer<R, unknown>
    readonly runtime?: never
    readonly context?: never
  }
  | {
    /** A runtime of the caller, which must be disposed of after the route. */
    readonly runtime: ManagedRuntime.ManagedRuntime<R, unknown>
    readonly layer?: never
    readonly context?: never
  }
  | {
    /** Services of the caller, from `Effect.context()`. */
    readonly context: Context.Context<R>
    readonly layer?: never
    readonly runtime?: never
  }

/**
 * The journal of the commands.
 *
 * @stability stable
 */
export interface JournalSource {
  /**
   * The journal that commands are written to and responses are read from: a service of the caller, or a layer, which is
   * built once, at the first request, and released by `dispose`. Default: a journal in memory without hashes, of at
   * most 100,000 entries and 64 MiB; the oldest entries are pruned.
   */
  readonly journal?: JournalService | Layer.Layer<Journal, unknown> | undefined
  /**
   * Removes secrets before entries are stored. The response to a client that waits for its command is not redacted.
   * Default: none.
   */
  readonly redactor?: Redactor.Redactor | undefined
}

/**
 * The access policy of a route.
 *
 * @stability stable
 */
export interface PolicySource {
  /**
   * The policy that guards the shell. A shell that cannot enforce it is a failure of `start`, and 503.
   * Default: every command of the shell.
   */
  readonly policy?: AccessPolicy | undefined
}

export interface LazyServices<R> {
  readonly context: () => Promise<Context.Context<R>>
  readonly dispose: () => Promise<void>
}

const buildOnce = <R>(layer: Layer.Layer<R, unknown>): LazyServices<R> => {
  let runtime: ManagedRuntime.ManagedRuntime<R, unknown> | undefined
  return {
    context: async () => {
      const current = runtime ??= ManagedRuntime.make(withLogLayer(layer))
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

export const lazyServices = <R>({ context, layer, runtime }: ServiceSource<R>): LazyServices<R> => {
  if (layer !== undefined) return buildOnce(layer)
  const given = runtime === undefined ? () => Promise.resolve(context) : runtime.context
  return { context: async () => withLogContext(await given()), dispose: () => Promise.resolve() }
}

const isService = (journal: JournalService | Layer.Layer<Journal, unknown>): journal is JournalService =>
  "append" in journal

export const lazyJournal = ({ journal }: JournalSource): LazyServices<Journal> => {
  if (journal === undefined) return buildOnce(memoryJournal({ chained: false }))
  if (!isService(journal)) return buildOnce(journal)
  return { context: () => Promise.resolve(Context.make(Journal, journal)), dispose: () => Promise.resolve() }
}
