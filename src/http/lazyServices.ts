/**
 * Where commands run, and where they are journaled: what is given, and what is built of it.
 *
 * @module
 */
import * as Context from "effect/Context"
import type * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { layerWith as memoryJournal } from "../journal/stores/memory/MemoryJournal.ts"
import type * as Redactor from "../journal/redaction/Redactor.ts"
import type { AccessPolicy } from "../policy/AccessPolicy.ts"
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

/** What stands of the commands, and where. */
export interface JournalSource {
  /**
   * The journal that every command goes into, and from which whatever is told about one is read: a service of the
   * caller's, or a layer, which is built once, at the first request, and released by `dispose`. Default: one in memory,
   * of at most 100,000 entries and 64 MiB without hashes, whose oldest entries are pruned.
   */
  readonly journal?: JournalService | Layer.Layer<Journal, unknown> | undefined
  /** What must not be stored. It is not applied to what the client of a run gets that ends with it. Default: nothing. */
  readonly redactor?: Redactor.Redactor | undefined
}

/**
 * The access policy of a route.
 *
 * @stability stable
 */
export interface PolicySource {
  /**
   * What commands may run: the shell is guarded by it. A shell that cannot enforce it is a failure of `start`, and 503.
   * Default: every command of the shell.
   */
  readonly policy?: AccessPolicy | undefined
}

/** Services that are built at the first call. */
export interface LazyServices<R> {
  readonly context: () => Promise<Context.Context<R>>
  readonly dispose: () => Promise<void>
}

/** Builds a layer at the first call, and again after a failure. */
const buildOnce = <R>(layer: Layer.Layer<R, unknown>): LazyServices<R> => {
  let runtime: ManagedRuntime.ManagedRuntime<R, unknown> | undefined
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

/** The shell of a source. */
export const lazyShell = ({ context, layer, runtime }: ShellSource): LazyServices<Shell> => {
  if (layer !== undefined) return buildOnce(layer)
  const given = runtime === undefined ? () => Promise.resolve(context) : runtime.context
  return { context: given, dispose: () => Promise.resolve() }
}

const isService = (journal: JournalService | Layer.Layer<Journal, unknown>): journal is JournalService =>
  "append" in journal

/** The journal of a source. */
export const lazyJournal = ({ journal }: JournalSource): LazyServices<Journal> => {
  if (journal === undefined) return buildOnce(memoryJournal({ chained: false }))
  if (!isService(journal)) return buildOnce(journal)
  return { context: () => Promise.resolve(Context.make(Journal, journal)), dispose: () => Promise.resolve() }
}
