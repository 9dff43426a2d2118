/**
 * Makes the daemon that runs the commands of a journal on the shell of the context, cancels them, and ends the
 * remaining processes of lost ones; as an Effect or a layer, with options or from `Config`.
 *
 * @module
 */
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { optionalConfig } from "../base/optionalConfig.ts"
import { assumeValidOptions, attemptOptions } from "../base/attemptOptions.ts"
import { type OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import type { RunContext } from "../branch/RequestExecution.ts"
import { type Daemon, makeDaemon } from "../branch/Daemon.ts"
import type { DaemonBaseOptions } from "../branch/DaemonOptions.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import { defaultGrace } from "../shell/LeafOptions.ts"
import { Shell } from "../shell/Shell.ts"
import type { LeafRunOptions, ShellBytes, ShellService } from "../shell/ShellService.ts"
import { ComputeBranch, type ComputeEvent } from "./ComputeBranch.ts"
import { type ComputeRequest, decodeChunking } from "./ComputeRequest.ts"
import { makeCancelledFault, makeLastEvent } from "./makeLastEvent.ts"
import { describeExecution } from "./describeExecution.ts"
import { canRerun } from "./canRerun.ts"
import { readAhead } from "./readAhead.ts"
import { recoverOrphans } from "./recoverOrphans.ts"
import { makeRunRedaction, withGivenSecrets } from "./redaction.ts"
import { RunRecorder } from "./RunRecorder.ts"

/**
 * Settings of a daemon of the Compute branch.
 *
 * @stability stable
 */
export interface ShellDaemonOptions extends DaemonBaseOptions {
  /** Removes text from the output before it is stored, and before clients receive it. Default: nothing. */
  readonly redactor?: Redactor.Redactor | undefined
}

const optionNames: Readonly<Record<keyof ShellDaemonOptions, true>> = {
  maxConcurrency: true,
  lease: true,
  maxAttempts: true,
  maxOpen: true,
  name: true,
  redactor: true,
}

/** Time that a cancelled command has after its grace period: for its last output, and for the leaf. */
const endMargin = Duration.seconds(10)

const answer =
  (shell: ShellService, journal: JournalService, options: ShellDaemonOptions) =>
  (exec: ComputeRequest, run: RunContext) =>
    Stream.unwrap(Effect.gen(function* () {
      const { delivery = {} } = exec
      const clock = yield* Clock.clockWith(Effect.succeed)
      const what = delivery.bytes === true ? "bytes" : "text"
      const redactor = Redactor.combine(
        options.redactor ?? Redactor.none,
        journal.remembered?.redactor ?? Redactor.none,
      )
      const redaction = makeRunRedaction(exec, redactor === Redactor.none ? undefined : redactor)
      const recorder = new RunRecorder(exec, what, redaction)
      const controller = new AbortController()
      let by: string | undefined = "signal"
      yield* Effect.forkScoped(Effect.map(run.cancelled, (request) => {
        by = request.by
        controller.abort()
      }))
      const killer = new AbortController()
      yield* Effect.forkScoped(Effect.map(run.forced, () => killer.abort()))
      const execOptions: LeafRunOptions = {
        signal: controller.signal,
        kill: killer.signal,
        emitsChunks: true,
        ...(delivery.chunking === undefined ? undefined : { chunking: decodeChunking(delivery.chunking) }),
        ...(delivery.admission === undefined ? undefined : { admission: delivery.admission }),
      }
      const events: Stream.Stream<ShellOutputChunk | ShellBytes | ShellOutput, ShellFault> = what === "bytes"
        ? shell.bytes(exec, execOptions)
        : shell.exec(exec, execOptions)
      const cancelled = (fault: ShellFault): ShellFault =>
        fault.reason._tag === "Cancelled" && fault.reason.by === "signal" && by !== "signal"
          ? makeCancelledFault(exec, by, fault)
          : fault
      return readAhead(
        withGivenSecrets(events, redaction, exec, journal).pipe(
          Stream.chunks,
          Stream.map((some): ReadonlyArray<ComputeEvent> => {
            const entries: Array<ComputeEvent> = recorder.output(
              some.filter((event) => event._tag !== "ShellOutput"),
              () => clock.currentTimeMillisUnsafe(),
            )
            const output = some.find((event) => event._tag === "ShellOutput")
            return output === undefined ? entries : [...entries, ...recorder.end(output)]
          }),
          Stream.catch((fault) => Stream.succeed(recorder.end(cancelled(fault)))),
          Stream.flattenIterable,
        ),
      )
    }))

/**
 * Makes a daemon on the shell of the context. It is `Stopped` until it is started; it is shut down with its Scope.
 *
 * A cancelled command gets SIGTERM, its grace, and SIGKILL; its output until then is journaled, and its fault is
 * `Cancelled`. A shutdown cancels all commands of the daemon.
 *
 * @stability stable
 */
export const make = (
  options: ShellDaemonOptions = {},
): Effect.Effect<Daemon, OptionError, Shell | Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const shell = yield* Shell
    const journal = yield* Journal
    yield* attemptOptions(() => refuseUnknownOptions("ShellDaemon", options, optionNames))
    return yield* makeDaemon(ComputeBranch, {
      ...options,
      handle: answer(shell, journal, options),
      makeLastEvent: makeLastEvent(journal),
      recover: (exec, lease) => recoverOrphans(shell, exec, lease),
      execution: (exec) =>
        Effect.map(
          shell.resolve?.(exec) ?? Effect.undefined,
          (resolved = {}) => describeExecution(resolved, makeRunRedaction(exec, options.redactor)?.text),
        ),
      canRerun: canRerun,
      cancelGrace: (exec) => Duration.sum(exec.grace ?? defaultGrace, endMargin),
    })
  })

/**
 * Runs a daemon for the lifetime of the layer: takes the commands that other processes append to the journal of the context,
 * and runs them on the shell of the context.
 *
 * Any number of daemons may share a journal; each command runs on one of them. The others notice a lost daemon (at once on
 * its machine, otherwise when its lease expires, after 15 s by default) and end its remaining commands with the fault
 * `HostLost`, unless a command has `onHostLoss: "rerun"`.
 *
 * Beyond `maxOpen` running and waiting commands (1,000 by default), a further one ends as `Throttled` before it starts,
 * unless another live daemon has room: retry later, raise `maxOpen`, or start another daemon.
 *
 * @example
 * ```ts
 * import { LocalShell, Shell, ShellExec } from "@sluice/shell"
 * import { DaemonShell, ShellDaemon } from "@sluice/shell/daemon"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * // Both sides in one process; with a journal in a file or a database, each may be on another machine.
 * const layer = DaemonShell.layer.pipe(
 *   Layer.merge(ShellDaemon.layerWith({ maxConcurrency: 2 }).pipe(Layer.provide(LocalShell.layer))),
 *   Layer.provide(MemoryJournal.layer)
 * )
 * const output = await Effect.runPromise(Effect.provide(Shell.run(ShellExec.make("echo", ["hello"])), layer))
 * console.log(output.stdout) // hello
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<never, JournalError, Shell | Journal> = Layer.effectDiscard(
  Effect.flatMap(assumeValidOptions(make()), (daemon) => daemon.start),
)

/**
 * {@link layer} with options. Fails with an `OptionError` for an invalid option.
 *
 * @stability stable
 */
export const layerWith = (
  options: ShellDaemonOptions,
): Layer.Layer<never, JournalError | OptionError, Shell | Journal> =>
  Layer.effectDiscard(Effect.flatMap(make(options), (daemon) => daemon.start))

const ownConfig: Config.Config<ShellDaemonOptions> = Config.all({
  maxConcurrency: optionalConfig(Config.Int("MAX_CONCURRENCY")),
  lease: optionalConfig(Config.Duration("LEASE")),
  maxAttempts: optionalConfig(Config.Int("MAX_ATTEMPTS")),
  maxOpen: optionalConfig(Config.Int("MAX_OPEN")),
  name: optionalConfig(Config.String("DAEMON_NAME")),
})

/**
 * {@link layer} with options from `Config`: `MAX_CONCURRENCY`, `LEASE`, `MAX_ATTEMPTS`, `MAX_OPEN` and `DAEMON_NAME`. Nest it
 * for a prefix.
 *
 * @example
 * ```ts
 * import { cmd, Shell } from "@sluice/shell"
 * import { DaemonShell, ShellDaemon } from "@sluice/shell/daemon"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { KernelShell } from "@sluice/shell/sandbox"
 * import { ConfigProvider, Effect, Layer } from "effect"
 *
 * const provider = ConfigProvider.fromEnvRecord({ MAX_CONCURRENCY: "2", LEASE: "30 seconds" })
 * const daemon = ShellDaemon.layerConfig().pipe(
 *   Layer.provide(ConfigProvider.layer(provider)),
 *   Layer.provide(KernelShell.layer),
 * )
 * const layer = Layer.merge(DaemonShell.layer, daemon).pipe(Layer.provide(MemoryJournal.layer))
 * const { stdout } = await Effect.runPromise(Effect.provide(Shell.run(cmd`echo hello`), layer))
 * console.log(stdout) // hello
 * ```
 *
 * @stability stable
 */
export const layerConfig = (
  config: Config.Config<ShellDaemonOptions> = ownConfig,
): Layer.Layer<never, JournalError | OptionError | Config.ConfigError, Shell | Journal> =>
  Layer.unwrap(Effect.map(config, layerWith))
