/**
 * Makes a `Shell`, as a service or as a layer, whose commands are appended to a journal and run by a daemon; refuses
 * commands with secrets, cancels a command on request, and plays its events back.
 *
 * @module
 */
import * as Channel from "effect/Channel"
import * as Config from "effect/Config"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { optionalConfig } from "../base/optionalConfig.ts"
import { type DurationInput, millisOf } from "../base/duration.ts"
import { assumeValidOptions, attemptOptions } from "../base/attemptOptions.ts"
import { aborted } from "../base/abort.ts"
import { type OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { type Client, type ClientTimeouts, makeClient } from "../branch/Client.ts"
import type { RequestOpenError } from "../branch/RequestOpenError.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { JournalError } from "../journal/JournalError.ts"
import { Journal } from "../journal/JournalService.ts"
import { defaultGrace } from "../shell/LeafOptions.ts"
import { Shell } from "../shell/Shell.ts"
import { makeCapabilities, type ShellCapabilities } from "../shell/ShellCapabilities.ts"
import type { LeafRunOptions, ShellBytes, ShellService } from "../shell/ShellService.ts"
import { AttemptMerger, type MergedEvent } from "./AttemptMerger.ts"
import { ComputeBranch, type ComputeEvent } from "./ComputeBranch.ts"
import { type ComputeRequest, type Delivery, encodeChunking, withDelivery } from "./ComputeRequest.ts"
import { makeCancelledFault, makeLastEvent } from "./makeLastEvent.ts"
import { makeJournalFault } from "./makeJournalFault.ts"
import { findUnrecordable } from "./findUnrecordable.ts"
import { knowsPortableShell } from "../shell/portableShell.ts"
import { refuseTerminals } from "../shell/refuseTerminal.ts"

/**
 * Settings of a client of the Compute branch.
 *
 * @stability stable
 */
export interface DaemonShellOptions extends ClientTimeouts {
  /**
   * Maximum time that a stream closed before its end waits until the command has ended. Default: the command's grace
   * period (5 s) plus 5 s.
   */
  readonly closeTimeout?: DurationInput | undefined
  /** Capabilities of the daemons' leaves. Default: none. */
  readonly capabilities?: Partial<ShellCapabilities> | undefined
}

const optionNames: Readonly<Record<keyof DaemonShellOptions, true>> = {
  acceptTimeout: true,
  queueTimeout: true,
  closeTimeout: true,
  capabilities: true,
}

const endMargin = Duration.seconds(5)

const deliveryOf = (what: "text" | "bytes", { admission, chunking }: LeafRunOptions): Delivery | undefined => {
  const delivery: Delivery = {
    ...(what === "bytes" ? { bytes: true } : undefined),
    ...(chunking === undefined ? undefined : { chunking: encodeChunking(chunking) }),
    ...(admission === undefined ? undefined : { admission }),
  }
  return Object.keys(delivery).length === 0 ? undefined : delivery
}

const faultOf = (exec: ShellExec, error: JournalError | RequestOpenError, begun: boolean): ShellFault =>
  error._tag === "JournalError" ? makeJournalFault(exec, error, begun) : ShellFault.because(
    exec.commandId,
    { _tag: "InvalidRequest", field: "commandId", code: "EEXIST" },
    `exec: ${exec.command} was not started: a command with the id ${exec.commandId} is open already (EEXIST)`,
  )

const run = <Element extends ShellOutputChunk | ShellBytes>(
  client: Client<ComputeRequest, ComputeEvent>,
  exec: ShellExec,
  options: LeafRunOptions,
  what: "text" | "bytes",
  play: (answers: AttemptMerger, ...event: Parameters<AttemptMerger["text"]>) => MergedEvent<Element>,
): Stream.Stream<Element | ShellOutput, ShellFault> => {
  const { onSpawn, signal } = options
  const start = (scope: Scope.Scope) =>
    Effect.gen(function* () {
      const refused = findUnrecordable(exec, options)
      if (refused !== undefined) return yield* Effect.fail(refused)
      if (signal?.aborted === true) return yield* Effect.fail(makeCancelledFault(exec, "signal"))
      const delivery = deliveryOf(what, options)
      const request = delivery === undefined ? exec : withDelivery(exec, delivery)
      const events = client.request(
        request,
        signal === undefined ? {} : { cancel: Effect.as(aborted(signal), "signal") },
      )
      const answers = new AttemptMerger(exec)
      let spawned = false
      let fault: ShellFault | undefined
      const pull = yield* Channel.toPullScoped(
        Stream.mapError(events, (error) => faultOf(exec, error, answers.hasBegun)).channel,
        scope,
      )
      const next: Pull.Pull<readonly [Element | ShellOutput, ...Array<Element | ShellOutput>], ShellFault> = Effect
        .suspend(() => {
          if (fault !== undefined) return Effect.fail(fault)
          return Effect.flatMap(pull, (some) => {
            const elements: Array<Element | ShellOutput> = []
            for (const { attempt, event } of some) {
              const played = play(answers, event, attempt)
              elements.push(...played.elements)
              fault = played.fault
            }
            const [first, ...rest] = elements
            if (first === undefined) return next
            if (!spawned) {
              spawned = true
              onSpawn?.({ pid: undefined, executable: answers.executable ?? exec.command })
            }
            return Effect.succeed([first, ...rest] as const)
          })
        })
      return next
    })
  return Stream.fromChannel(Channel.fromTransform((_, scope) => start(scope)))
}

/**
 * Makes the shell service of a client.
 *
 * @stability stable
 */
export const make = (options: DaemonShellOptions = {}): Effect.Effect<ShellService, OptionError, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const { capabilities, closeTimeout } = options
    yield* attemptOptions(() => {
      refuseUnknownOptions("DaemonShell", options, optionNames)
      if (closeTimeout !== undefined) millisOf("closeTimeout", closeTimeout)
    })
    const client = yield* makeClient(ComputeBranch, {
      ...options,
      makeLastEvent: makeLastEvent(journal),
      closeTimeout: (exec) => closeTimeout ?? Duration.sum(exec.grace ?? defaultGrace, endMargin),
    })
    return refuseTerminals({
      [knowsPortableShell]: true,
      exec: (exec, execOptions = {}) =>
        run<ShellOutputChunk>(client, exec, execOptions, "text", (answers, ...event) => answers.text(...event)),
      bytes: (exec, execOptions = {}) =>
        run<ShellBytes>(client, exec, execOptions, "bytes", (answers, ...event) => answers.bytes(...event)),
      // A daemon has no terminal for a journaled request, which does not include typed input.
      capabilities: makeCapabilities({ leaf: "client" }, capabilities, { pty: false }),
    })
  })

/**
 * A shell whose commands are appended to the journal of the context, and run by a daemon (`ShellDaemon`) in another process
 * or on another machine. Events come from the daemon's shell, with its sequence numbers and times.
 *
 * - Closing the stream ends the command and waits until it has ended, or at most `closeTimeout` if the daemon does not
 *   answer. Aborting the `signal` ends the command too, and the fault is `Cancelled`.
 * - A command that no daemon takes gets the fault `Timeout` (`kind: "queue"`) when no daemon has been active for
 *   `acceptTimeout`, 30 s by default, and no daemon will run it later. The command's own `timeout` counts from its start.
 * - Every reader of the journal can read the command, so one with secrets is refused (`InvalidRequest`): put secrets into
 *   the daemon's environment. The options `stdin` and `stdout`, which cannot be encoded, are refused too.
 * - A command that runs again after its daemon was lost (`onHostLoss: "rerun"`) emits its output from the start again; the
 *   numbers of the chunks continue.
 * - `onSpawn` is called with the first event, and has no process id.
 *
 * @example
 * ```ts
 * import { Shell, ShellExec } from "@sluice/shell"
 * import { DaemonShell } from "@sluice/shell/daemon"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { Effect, Layer } from "effect"
 *
 * const shell = DaemonShell.layerWith({ acceptTimeout: "50 millis" }).pipe(Layer.provide(MemoryJournal.layer))
 * const notTaken = Shell.run(ShellExec.make("true")).pipe(Effect.flip, Effect.provide(shell))
 * const fault = await Effect.runPromise(notTaken)
 * console.log(fault._tag === "ShellFault" && fault.reason._tag === "Timeout" && fault.reason.kind) // queue
 * ```
 *
 * @stability stable
 */
export const layer: Layer.Layer<Shell, never, Journal> = Layer.effect(
  Shell,
  assumeValidOptions(make()),
)

/**
 * {@link layer} with options. Fails with an `OptionError` for an invalid option.
 *
 * @stability stable
 */
export const layerWith = (options: DaemonShellOptions): Layer.Layer<Shell, OptionError, Journal> =>
  Layer.effect(Shell, make(options))

const ownConfig: Config.Config<DaemonShellOptions> = Config.all({
  acceptTimeout: optionalConfig(Config.Duration("ACCEPT_TIMEOUT")),
  queueTimeout: optionalConfig(Config.Duration("QUEUE_TIMEOUT")),
  closeTimeout: optionalConfig(Config.Duration("CLOSE_TIMEOUT")),
})

/**
 * {@link layer} with options from `Config`: `ACCEPT_TIMEOUT`, `QUEUE_TIMEOUT` and `CLOSE_TIMEOUT`. Nest it for a prefix.
 *
 * @example
 * ```ts
 * import { Shell } from "@sluice/shell"
 * import { DaemonShell } from "@sluice/shell/daemon"
 * import { MemoryJournal } from "@sluice/shell/journal"
 * import { ConfigProvider, Effect, Layer } from "effect"
 *
 * const provider = ConfigProvider.fromEnvRecord({ ACCEPT_TIMEOUT: "1 minute" })
 * const layer = DaemonShell.layerConfig().pipe(
 *   Layer.provide(ConfigProvider.layer(provider)),
 *   Layer.provide(MemoryJournal.layer),
 * )
 * const leaf = Effect.map(Shell, ({ capabilities }) => capabilities.leaf)
 * console.log(await Effect.runPromise(Effect.provide(leaf, layer))) // client
 * ```
 *
 * @stability stable
 */
export const layerConfig = (
  config: Config.Config<DaemonShellOptions> = ownConfig,
): Layer.Layer<Shell, OptionError | Config.ConfigError, Journal> => Layer.unwrap(Effect.map(config, layerWith))
