/** Declares the options of a daemon and resolves them to settings. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { type DurationInput, durationOf, millisOf } from "../base/duration.ts"
import { OptionError, requireCount } from "../base/OptionError.ts"
import type { RunContext } from "./RequestExecution.ts"
import type { LeaseExecution, LeaseTaken } from "./BranchEntry.ts"
import type { MakeLastEvent, RecoveryReport } from "./EndCause.ts"

/** Options of a daemon that are the same for every branch. */
export interface DaemonBaseOptions {
  /** Maximum number of concurrent requests; the daemon takes no more than it can run. Default: 4. */
  readonly maxConcurrency?: number | undefined
  /**
   * Duration of its leases without renewal. They are renewed after a third of it, so a journal may pause for up to two
   * thirds; running requests are ended shortly before their lease expires. Default: 15 s.
   */
  readonly lease?: DurationInput | undefined
  /** Maximum number of runs of a request that may run again; after that it ends. Default: 3. */
  readonly maxAttempts?: number | undefined
  /**
   * Maximum number of requests that wait or that this daemon runs; requests that other daemons run do not count. A
   * further request ends as `Throttled`, and may be sent again later. It is first left to another live daemon that has
   * room, and read later if that daemon does not take it. Default: 1,000.
   */
  readonly maxOpen?: number | undefined
  /** Prefix of its id: 1 to 100 printable ASCII characters. Default: `"daemon"`. */
  readonly name?: string | undefined
}

/** Options of a daemon: how it handles the requests of a branch. */
export interface DaemonOptions<Request, Event, E> extends DaemonBaseOptions {
  /** Runs a request: emits its events, the last one last. Closing the stream ends the run. */
  readonly handle: (request: Request, run: RunContext) => Stream.Stream<Event, E>
  readonly makeLastEvent: MakeLastEvent<Request, Event, E>
  /**
   * Cleans up after a run whose process was lost. Called under the new lease, before the request ends or runs again, and
   * only if the process was on this machine. Default: does nothing.
   */
  readonly recover?: ((request: Request, lost: LeaseTaken) => Effect.Effect<RecoveryReport>) | undefined
  /** User, directory and program of a run, for its lease, as far as known before anything is started. Default: nothing. */
  readonly execution?: ((request: Request) => Effect.Effect<LeaseExecution>) | undefined
  /** Whether a request may be run again when the process that ran it is lost. Default: never. */
  readonly canRerun?: ((request: Request) => boolean) | undefined
  /** Time that a cancelled run has for its last event; then it is interrupted. Default: 0. */
  readonly cancelGrace?: ((request: Request) => DurationInput) | undefined
}

export interface DaemonSettings<Request, Event, E>
  extends Pick<DaemonOptions<Request, Event, E>, "handle" | "makeLastEvent"> {
  readonly recover: (request: Request, lost: LeaseTaken) => Effect.Effect<RecoveryReport>
  readonly execution: (request: Request) => Effect.Effect<LeaseExecution | undefined>
  readonly canRerun: (request: Request) => boolean
  readonly cancelGrace: (request: Request) => Duration.Duration
  readonly name: string
  readonly maxConcurrency: number
  readonly leaseMillis: number
  readonly periodMillis: number
  readonly maxAttempts: number
  readonly maxOpen: number
}

export const daemonSettings = <Request, Event, E>(
  options: DaemonOptions<Request, Event, E>,
): DaemonSettings<Request, Event, E> => {
  const { cancelGrace, maxConcurrency = 4, lease = "15 seconds", maxAttempts = 3, maxOpen = 1_000 } = options
  const { name = "daemon" } = options
  const leaseMillis = Math.max(3, Math.round(millisOf("lease", lease)))
  if (leaseMillis === Infinity) throw new OptionError("lease", "daemon: lease must be a finite time, got Infinity")
  if (!/^[\x21-\x7e]{1,100}$/.test(name)) {
    throw new OptionError("name", `daemon: name must be 1 to 100 printable ASCII characters, got ${quote(name)}`)
  }
  return {
    handle: options.handle,
    makeLastEvent: options.makeLastEvent,
    recover: options.recover ?? (() => Effect.succeed({ ended: 0 })),
    execution: options.execution ?? (() => Effect.undefined),
    canRerun: options.canRerun ?? (() => false),
    cancelGrace: (request) =>
      cancelGrace === undefined ? Duration.zero : durationOf("cancelGrace", cancelGrace(request)),
    name,
    maxConcurrency: requireCount("daemon", "maxConcurrency", maxConcurrency, { min: 1 }),
    leaseMillis,
    periodMillis: leaseMillis / 3,
    maxAttempts: requireCount("daemon", "maxAttempts", maxAttempts, { min: 1 }),
    maxOpen: requireCount("daemon", "maxOpen", maxOpen, { min: 1 }),
  }
}
