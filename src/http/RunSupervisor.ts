/**
 * The runs of one route: on whose services they run, and what is under way.
 *
 * @module
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import type { DisposeOptions } from "../server/Server.ts"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { currentHost } from "../branch/HostIdentity.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Journal, type JournalService } from "../journal/JournalService.ts"
import { makeJournaled } from "../compute/makeJournaled.ts"
import { AccessPolicy } from "../policy/AccessPolicy.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { RunningCommand } from "./RunningCommand.ts"
import { type JournalSource, lazyJournal, lazyShell, type PolicySource, type ShellSource } from "./lazyServices.ts"

/** What commands are run with. */
export interface Services {
  readonly context: Context.Context<Shell>
  readonly journal: JournalService
  /** The shell itself. */
  readonly shell: ShellService
  /** The shell, every command in the journal. */
  readonly recorded: ShellService
  /** The same; a command whose id the journal has already faults with `JournalFailed`, `what: "Conflict"`. */
  readonly once: ShellService
}

/** The runs of one route. */
export interface RunSupervisor {
  /** The services that the commands run on. Rejects when they cannot be built, and after `dispose`. */
  readonly services: () => Promise<Services>
  /** The journal alone. Rejects as `services` does. */
  readonly journal: () => Promise<JournalService>
  /** The commands that run here now, those that wait for a place among them. */
  readonly running: Map<CommandId, RunningCommand>
  /** Starts a run that ends, at the latest, when `signal` aborts or the runs are disposed of. */
  readonly fork: <A>(
    services: Services,
    run: RunningCommand,
    effect: Effect.Effect<A, ShellFault>,
    signal?: AbortSignal,
  ) => Fiber.Fiber<A, ShellFault>
  /** Starts somebody who reads, who ends with the runs at the latest: `endless` says that nothing else ends it. */
  readonly forkReader: <E>(effect: Effect.Effect<void, E>, endless?: boolean) => Fiber.Fiber<void, E>
  /**
   * Takes in a run that somebody else drives: it is one of those that run here, waited for and ended as they are, until
   * the function that is answered is called.
   */
  readonly join: (run: RunningCommand) => () => void
  /** The context of the services, once they have been built. */
  readonly context: () => Context.Context<Shell> | undefined
  /** Whether commands are taken: not since `dispose` was called. */
  readonly isClosing: () => boolean
  /** Takes no more, lets runs go on for a while, ends them, waits for their ends, and releases what was built here. */
  readonly dispose: (options?: DisposeOptions) => Promise<void>
}

/** Time that readers have for the last events of commands that were ended. */
const readerEndTimeout = "1 second"

/** Time that those have to end that others drive: the grace of a command, and as much again. */
const joinedEndTimeout = "10 seconds"

/** What else is to be done when the services have been built. */
export type OnBuilt = (services: Services) => Effect.Effect<void>

/** Makes the runs of one route. */
export const makeRunSupervisor = (
  source: ShellSource & JournalSource & PolicySource,
  onBuilt: OnBuilt,
): RunSupervisor => {
  const fibers = new Set<Fiber.Fiber<unknown, ShellFault>>()
  const readers = new Set<Fiber.Fiber<void, unknown>>()
  const endlessReaders = new Set<Fiber.Fiber<void, unknown>>()
  const running = new Map<CommandId, RunningCommand>()
  const joined = new Map<RunningCommand, Promise<void>>()
  const shells = lazyShell(source)
  const journals = lazyJournal(source)
  let closing = false
  let disposed = false
  let known: Services | undefined
  /** The shell of `known` as it was given, without the policy's guard. */
  let knownGiven: ShellService | undefined

  const journal = async (): Promise<JournalService> => {
    if (disposed) throw new Error("disposed of")
    return Context.get(await journals.context(), Journal)
  }

  const forkReader = <E>(effect: Effect.Effect<void, E>, endless = false): Fiber.Fiber<void, E> => {
    const fiber = Effect.runForkWith(known?.context ?? Context.empty())(effect)
    const all = endless ? endlessReaders : readers
    all.add(fiber)
    fiber.addObserver(() => all.delete(fiber))
    if (disposed) fiber.interruptUnsafe()
    return fiber
  }

  const build = async (): Promise<Services> => {
    const context = await shells.context()
    const given = Context.get(context, Shell)
    const service = await journal()
    if (knownGiven === given && known?.journal === service) return known
    const shell = source.policy === undefined ? given : await Effect.runPromise(AccessPolicy.wrap(source.policy, given))
    const host = await Effect.runPromise(currentHost)
    const recordedWith = (once: boolean): ShellService =>
      makeJournaled(shell, service, host, { once, redactor: source.redactor })
    const services = { context, journal: service, shell, recorded: recordedWith(false), once: recordedWith(true) }
    if (knownGiven === given && known?.journal === service) return known
    known = services
    knownGiven = given
    forkReader(onBuilt(services), true)
    return services
  }

  const end = async (drain: DurationInput): Promise<void> => {
    closing = true
    const patience = durationOf("drain", drain)
    const joinedEnded = Effect.promise(() => Promise.all(joined.values()))
    const allEnded = Effect.andThen(Effect.suspend(() => Fiber.awaitAll(fibers)), joinedEnded)
    if (fibers.size + joined.size > 0 && Duration.toMillis(patience) > 0) {
      await Effect.runPromise(Effect.timeoutOption(allEnded, patience))
    }
    disposed = true
    for (const run of joined.keys()) run.cancel(false)
    await Effect.runPromise(Fiber.interruptAll(fibers))
    // Whoever drives them has to take their ends, and may not.
    await Effect.runPromise(Effect.timeoutOption(joinedEnded, joinedEndTimeout))
    await Effect.runPromise(Fiber.interruptAll(endlessReaders))
    await Effect.runPromise(Effect.timeoutOption(Effect.suspend(() => Fiber.awaitAll(readers)), readerEndTimeout))
    await Effect.runPromise(Fiber.interruptAll(readers))
    await shells.dispose()
    await journals.dispose()
  }

  let ending: Promise<void> | undefined
  return {
    services: async () => {
      if (closing) throw new Error("disposed of")
      return known ?? await build()
    },
    journal,
    running,
    fork: (services, run, effect, signal) => {
      // What a defect says is for the log of the server, not for the client.
      const logged = Effect.tapCause(
        effect,
        (cause) => Cause.hasDies(cause) ? Effect.logError("a run broke", cause) : Effect.void,
      ).pipe(Effect.annotateLogs({ commandId: run.id, ...run.annotations }))
      const fiber = Effect.runForkWith(services.context)(logged)
      const interrupt = (): void => fiber.interruptUnsafe()
      fibers.add(fiber)
      fiber.addObserver(() => {
        fibers.delete(fiber)
        if (running.get(run.id) === run) running.delete(run.id)
        run.close()
        signal?.removeEventListener("abort", interrupt)
      })
      if (signal?.aborted === true || disposed) interrupt()
      else signal?.addEventListener("abort", interrupt, { once: true })
      return fiber
    },
    forkReader,
    join: (run) => {
      let left = (): void => {}
      joined.set(run, new Promise((resolve) => left = resolve))
      // An id that is not unique stands for the run that had it first.
      if (!running.has(run.id)) running.set(run.id, run)
      return () => {
        joined.delete(run)
        if (running.get(run.id) === run) running.delete(run.id)
        run.close()
        left()
      }
    },
    context: () => known?.context,
    isClosing: () => closing,
    dispose: ({ drain = 0 } = {}) => ending ??= end(drain),
  }
}

/** How a run ended, as a promise. */
export const exitOf = <A>(fiber: Fiber.Fiber<A, ShellFault>): Promise<Exit.Exit<A, ShellFault>> =>
  new Promise((resolve) => {
    fiber.addObserver(resolve)
  })
