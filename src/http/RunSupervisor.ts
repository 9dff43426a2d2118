/** Builds the services of one route; starts, tracks, drains and ends its commands and their readers. */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import { logContext, runPromise, runSync, withLogContext } from "../base/stderrLogs.ts"
import { interruptOnAbort } from "../base/abort.ts"
import type { DisposeOptions } from "../server/DisposeOptions.ts"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { TurnGate } from "../shell/TurnGate.ts"
import { currentHost } from "../branch/HostIdentity.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { Position } from "../journal/Entry.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { makeJournaled } from "../compute/makeJournaled.ts"
import type { AccessPolicy } from "../policy/AccessPolicy.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { RunningCommand } from "./RunningCommand.ts"
import { type JournalSource, lazyJournal, lazyServices, type PolicySource, type ServiceSource } from "./lazyServices.ts"

export interface Services {
  readonly context: Context.Context<Shell>
  readonly journal: JournalService
  /** Position of the journal before the first command; `undefined` if the journal could not be read. */
  readonly firstPosition: Position | undefined
  readonly shell: ShellService
  readonly recorded: ShellService
  /** As `recorded`, but a command whose id is in the journal faults with `JournalFailed`, `what: "Conflict"`. */
  readonly once: ShellService
}

/** Starts, tracks and ends the commands of one route. */
export interface RunSupervisor {
  /** Builds the services at the first call. Rejects when that fails, and after `dispose`. */
  readonly services: () => Promise<Services>
  /** The journal alone; rejects when it cannot be built, and after `dispose`. */
  readonly journal: () => Promise<JournalService>
  readonly running: ReadonlyMap<CommandId, RunningCommand>
  /** Adds a run that `fork` starts to `running`, until it ends: its request is in the journal. */
  readonly addRunning: (run: RunningCommand) => void
  /** Starts a run in a fiber that is interrupted when `signal` aborts and on disposal. */
  readonly fork: <A, E>(
    services: Services,
    run: RunningCommand,
    effect: Effect.Effect<A, E>,
    signal?: AbortSignal,
  ) => Fiber.Fiber<A, E>
  /** Starts a reader in a fiber that ends on disposal at the latest. An `endless` one does not end by itself. */
  readonly forkReader: <E>(effect: Effect.Effect<void, E>, endless?: boolean) => Fiber.Fiber<void, E>
  /** Tracks a run that another caller drives, for disposal. Returns the function that ends tracking. */
  readonly join: (run: RunningCommand) => () => void
  /** The context of the services: known at once if the caller gave it, otherwise when the services are built. */
  readonly context: () => Context.Context<Shell> | undefined
  /** Whether `dispose` was called: no more commands are started. */
  readonly isClosing: () => boolean
  /** Starts no more commands, lets running ones continue for `drain`, ends the rest, and releases the services. */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
}

/** Time for readers to send the last events of commands that were ended. */
const readerEndTimeout = "1 second"

/** Time limit for tracked runs to end: twice the default grace period. */
const joinedEndTimeout = "10 seconds"

export type OnBuilt = (services: Services) => Effect.Effect<void>

/** Guards a shell. Loaded on first use: a policy parses scripts, which takes 3 MB. */
const guard = async (policy: AccessPolicy, shell: ShellService): Promise<ShellService> => {
  const { AccessPolicy } = await import("../policy/AccessPolicy.ts")
  return await runPromise(AccessPolicy.guardService(shell, policy))
}

const disposedMessage = "shellRoutes: nothing was started: dispose() was called; make new routes"

export const makeRunSupervisor = (
  source: ServiceSource<Shell> & JournalSource & PolicySource,
  onBuilt: OnBuilt,
): RunSupervisor => {
  const gate = new TurnGate()
  const scope = Scope.makeUnsafe()
  const makeFiberSet = () => runSync(Scope.provide(FiberSet.make<unknown, unknown>(), scope))
  const [fibers, readers, endlessReaders] = [makeFiberSet(), makeFiberSet(), makeFiberSet()]
  const running = new Map<CommandId, RunningCommand>()
  const joined = new Map<RunningCommand, Promise<void>>()
  const shells = lazyServices<Shell>(source)
  const journals = lazyJournal(source)
  let closing = false
  let disposed = false
  const callers = source.context && withLogContext(source.context)
  let known: Services | undefined
  /** The shell of `known` without the policy's guard. */
  let knownGiven: ShellService | undefined

  const journal = async (): Promise<JournalService> => {
    if (disposed) throw new Error(disposedMessage)
    return Context.get(await journals.context(), Journal)
  }

  const forkReader = <E>(effect: Effect.Effect<void, E>, endless = false): Fiber.Fiber<void, E> => {
    const fiber = Effect.runForkWith(known?.context ?? callers ?? logContext)(effect)
    FiberSet.addUnsafe(endless ? endlessReaders : readers, fiber)
    if (disposed) fiber.interruptUnsafe()
    return fiber
  }

  const build = async (): Promise<Services> => {
    const context = await shells.context()
    const given = Context.get(context, Shell)
    const service = await journal()
    if (knownGiven === given && known?.journal === service) return known
    const shell = source.policy === undefined ? given : await guard(source.policy, given)
    const host = await runPromise(currentHost)
    const head = await runPromise(Effect.option(service.head))
    const firstPosition = Option.isSome(head) ? head.value.position : undefined
    const recordedWith = (once: boolean): ShellService =>
      makeJournaled(shell, service, host, { once, redactor: source.redactor })
    const services = {
      context,
      journal: service,
      firstPosition,
      shell,
      recorded: recordedWith(false),
      once: recordedWith(true),
    }
    if (knownGiven === given && known?.journal === service) return known
    known = services
    knownGiven = given
    forkReader(onBuilt(services), true)
    return services
  }

  const end = async (drain: DurationInput): Promise<void> => {
    closing = true
    const drainTime = durationOf("drain", drain)
    const joinedEnded = Effect.promise(() => Promise.all(joined.values()))
    if (Duration.toMillis(drainTime) > 0) {
      await runPromise(Effect.timeoutOption(Effect.andThen(FiberSet.awaitEmpty(fibers), joinedEnded), drainTime))
    }
    disposed = true
    for (const run of joined.keys()) run.cancel(false)
    await runPromise(FiberSet.clear(fibers))
    // The callers that drive these runs may never read their end.
    await runPromise(Effect.timeoutOption(joinedEnded, joinedEndTimeout))
    await runPromise(FiberSet.clear(endlessReaders))
    await runPromise(Effect.timeoutOption(FiberSet.awaitEmpty(readers), readerEndTimeout))
    await runPromise(Scope.close(scope, Exit.void))
    await shells.dispose()
    await journals.dispose()
  }

  let ending: Promise<void> | undefined
  return {
    services: async () => {
      if (closing) throw new Error(disposedMessage)
      return known ?? await build()
    },
    journal,
    running,
    addRunning: (run) => void running.set(run.id, run),
    fork: (services, run, effect, signal) => {
      const { CurrentLogAnnotations } = References
      const outer = Context.get(services.context, CurrentLogAnnotations)
      const annotations = { ...outer, commandId: run.id, ...run.annotations }
      const runFork = Effect.runForkWith(Context.add(services.context, CurrentLogAnnotations, annotations))
      const turn = gate.pass()
      const fiber = runFork(turn === undefined ? effect : Effect.andThen(Effect.promise(() => turn), effect))
      FiberSet.addUnsafe(fibers, fiber)
      fiber.addObserver((exit) => {
        // Defects are logged here; clients only learn that there was one.
        if (Exit.isFailure(exit) && Cause.hasDies(exit.cause)) runFork(Effect.logError("a run broke", exit.cause))
        if (running.get(run.id) === run) running.delete(run.id)
        run.close()
      })
      interruptOnAbort(fiber, signal)
      if (disposed) fiber.interruptUnsafe()
      return fiber
    },
    forkReader,
    join: (run) => {
      let left = (): void => {}
      joined.set(run, new Promise((resolve) => left = resolve))
      // If an id is not unique, it refers to the first run.
      if (!running.has(run.id)) running.set(run.id, run)
      return () => {
        joined.delete(run)
        if (running.get(run.id) === run) running.delete(run.id)
        run.close()
        left()
      }
    },
    context: () => known?.context ?? callers,
    isClosing: () => closing,
    dispose: ({ drain = 0 } = {}) => ending ??= end(drain),
  }
}
