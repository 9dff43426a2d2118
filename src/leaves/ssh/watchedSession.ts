/** Keeps the running commands of a connection registered with its watchdog, and with the next one. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { type EndReport, type RemoteWatchdog, type ServerFacts, startWatchdog } from "./RemoteWatchdog.ts"
import type { SshLink, SshTransport } from "./SshConnection.ts"
import { SshError } from "./SshError.ts"

/** The connection with its watchdog; both are made again if one is gone. */
export interface WatchedSession {
  /** The connection, once its watchdog runs, with the facts of the server. */
  readonly open: Effect.Effect<{ readonly link: SshLink; readonly facts: ServerFacts }, SshError>
  /** Registers a command of a connection that is about to start. */
  readonly add: (link: SshLink, pid: number, marker: string) => void
  /** Forgets a command that has ended. */
  readonly remove: (marker: string) => void
  readonly signal: RemoteWatchdog["signal"]
  readonly breakPipe: RemoteWatchdog["breakPipe"]
  /** Ends the tree of a command on the current connection; the trees of a lost connection are ended by its watchdog. */
  readonly endTree: (marker: string, graceMillis: number) => Effect.Effect<EndReport>
  readonly endOthers: (prefix: string, graceMillis: number) => Effect.Effect<EndReport, SshError>
}

/** Maximum number of watchdogs that may be killed while a tree is ended. */
const maxReplaced = 3

const nothingEnded: EndReport = { ended: [], survivors: [] }

/** Makes the session of a leaf, which ends with the scope. */
export const makeWatchedSession = (
  connection: SshTransport,
  graceMillis: number,
): Effect.Effect<WatchedSession, SshError, Scope.Scope> =>
  Effect.gen(function* () {
    const { server } = connection
    const context = yield* Effect.context<never>()
    const scope = yield* Effect.scope
    const lock = yield* Semaphore.make(1)
    let current: { readonly link: SshLink; readonly watchdog: RemoteWatchdog } | undefined
    let isClosed = false
    /** The process ids of the commands that run on the current connection, by their markers. */
    const commands = new Map<string, number>()

    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        isClosed = true
        current?.watchdog.close()
      })
    )

    const session: Effect.Effect<NonNullable<typeof current>, SshError> = lock.withPermit(Effect.gen(function* () {
      const link = yield* connection.link
      if (current !== undefined && current.link === link && !current.watchdog.isGone()) return current
      // The watchdog of a lost connection ends its commands.
      if (current?.link !== link) commands.clear()
      const watchdog = yield* Effect.catchTag(
        startWatchdog(connection, link, graceMillis, replace),
        "ChannelError",
        ({ message }) =>
          Effect.fail(
            new SshError({ reason: { _tag: "LoginShellFailed", server }, message: `ssh: ${server}: ${message}` }),
          ),
      )
      if (isClosed) {
        watchdog.close()
        return yield* Effect.fail(
          new SshError({ reason: { _tag: "Lost", server }, message: `ssh: ${server} was closed` }),
        )
      }
      current = { link, watchdog }
      for (const [marker, pid] of commands) watchdog.add(pid, marker)
      return current
    }))

    /** Starts a watchdog for the commands of a watchdog that was killed. */
    const replace = (): void => {
      if (isClosed || commands.size === 0 || current?.link.isLost() !== false) return
      const replaced = Effect.catch(session, (error) => Effect.logWarning(error.message))
      Effect.runForkWith(context)(Effect.forkIn(replaced, scope))
    }

    const endTree = (marker: string, grace: number, tries: number): Effect.Effect<EndReport> =>
      Effect.flatMap(Effect.option(session), (opened) =>
        opened._tag === "None"
          ? Effect.succeed(nothingEnded)
          : Effect.flatMap(opened.value.watchdog.endTree(marker, grace), (report) =>
            report !== undefined
              ? Effect.succeed(report)
              : opened.value.link.isLost() || tries === 0
              ? Effect.succeed(nothingEnded)
              : endTree(marker, grace, tries - 1)))

    yield* session
    return {
      open: Effect.map(session, ({ link, watchdog: { facts } }) => ({ link, facts })),
      add: (link, pid, marker) => {
        if (current?.link !== link) {
          return
        }
        commands.set(marker, pid)
        current.watchdog.add(pid, marker)
        if (current.watchdog.isGone()) {
          replace()
        }
      },
      remove: (marker) => {
        commands.delete(marker)
        current?.watchdog.remove(marker)
      },
      signal: (signal, pid, marker) =>
        current?.watchdog.signal(signal, pid, marker),
      breakPipe: (pid, marker) =>
        current?.watchdog.breakPipe(pid, marker),
      endTree: (marker, grace) => endTree(marker, grace, maxReplaced),
      endOthers: (prefix, grace) =>
        Effect.flatMap(
          session,
          ({ watchdog }) => Effect.map(watchdog.endOthers(prefix, grace), (report) => report ?? nothingEnded),
        ),
    }
  })
