/**
 * Wraps a `Shell` with a journal, as a service or as a layer: every command, its output and its last event are
 * appended.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { attemptOptions } from "../base/attemptOptions.ts"
import type { OptionError } from "../base/OptionError.ts"
import { currentHost } from "../branch/HostIdentity.ts"
import { Journal } from "../journal/JournalService.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { JournaledShellOptions } from "./JournaledShellOptions.ts"
import { makeJournaled } from "./makeJournaled.ts"

export type { JournaledShellOptions } from "./JournaledShellOptions.ts"

/** Wraps a shell service with the journal of the context. */
export const make = (
  shell: ShellService,
  options: JournaledShellOptions = {},
): Effect.Effect<ShellService, OptionError, Journal> =>
  Effect.gen(function* () {
    const [journal, host] = [yield* Journal, yield* currentHost]
    return yield* attemptOptions(() => makeJournaled(shell, journal, host, options))
  })

/**
 * {@link layer} with options. Fails with an `OptionError` for an unknown option, and for an `outageTimeout` that is no time
 * span.
 */
export const layerWith = (options: JournaledShellOptions): Layer.Layer<Shell, OptionError, Shell | Journal> =>
  Layer.effect(Shell, Effect.flatMap(Shell, (shell) => make(shell, options)))

/**
 * Wraps the shell of the context with the journal of the context: every command, its output and its last event are appended.
 * Nothing else changes.
 *
 * The request is in the journal before the command starts, output before the consumer gets it, and the last event
 * before the consumer sees the end, so the journal is never behind the caller. A slow journal slows the command down. A
 * journal that fails ends the command, and the fault is `JournalFailed`.
 *
 * Bytes that one command of a pipeline writes to the next are not output, and are not journaled; their size is.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { Journal, JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   yield* Shell.run(ShellExec.make("echo", ["hello"], { commandId: "c1" }))
 *   const journal = yield* Journal
 *   return (yield* journal.read({ filter: { correlationId: "c1" } })).map((entry) => entry.tag)
 * })
 * const layer = JournaledShell.layer.pipe(Layer.provide(LocalShell.layer), Layer.provideMerge(MemoryJournal.layer))
 * const tags = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(tags.at(0), tags.at(-1)) // ShellExec ShellOutput
 * ```
 */
export const layer: Layer.Layer<Shell, never, Shell | Journal> = Layer.effect(
  Shell,
  Effect.gen(function* () {
    return makeJournaled(yield* Shell, yield* Journal, yield* currentHost)
  }),
)

/**
 * Wraps the shell of a layer with a journal, and provides both: for a `pipe` that starts with a leaf.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { AccessPolicy } from "@sluice/shell/access"
 * import { Journal, JournaledShell, MemoryJournal } from "@sluice/shell/journal"
 * import { Effect } from "effect"
 *
 * const policy = AccessPolicy.make({ allowedCommands: ["echo"] })
 * const layer = LocalShell.layer.pipe(AccessPolicy.guard(policy), JournaledShell.over(MemoryJournal.layer))
 *
 * const program = Effect.andThen(
 *   Shell.run(ShellExec.make("echo", ["hello"])),
 *   Effect.flatMap(Journal, (journal) => journal.read({ maxEntries: 1 }))
 * )
 * const [first] = await Effect.runPromise(Effect.provide(program, layer))
 * console.log(first?.tag) // ShellExec
 * ```
 */
export function over<E2, R2>(
  journal: Layer.Layer<Journal, E2, R2>,
): <E, R>(shell: Layer.Layer<Shell, E, R>) => Layer.Layer<Shell | Journal, E | E2, R | R2>
/**
 * Wraps a shell with a journal, with options.
 *
 * @stability stable
 */
export function over<E2, R2>(
  journal: Layer.Layer<Journal, E2, R2>,
  options: JournaledShellOptions,
): <E, R>(shell: Layer.Layer<Shell, E, R>) => Layer.Layer<Shell | Journal, E | E2 | OptionError, R | R2>
export function over<E2, R2>(
  journal: Layer.Layer<Journal, E2, R2>,
  options?: JournaledShellOptions,
): <E, R>(shell: Layer.Layer<Shell, E, R>) => Layer.Layer<Shell | Journal, E | E2 | OptionError, R | R2> {
  const journaled = options === undefined ? layer : layerWith(options)
  return (shell) => journaled.pipe(Layer.provide(shell), Layer.provideMerge(journal))
}
