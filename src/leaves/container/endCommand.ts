/** Ends all processes of a command in a container. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { callbackLater } from "../../base/waits.ts"
import { endMarkedScript, toTenths } from "../../sh-session/treeScript.ts"
import { pause } from "../../host/waitRealTime.ts"
import type { Containers } from "./Containers.ts"
import type { ShSession } from "./ShSession.ts"

/** Time in which a session has to report the end of a command whose processes were killed. */
const reportMillis = 2_000

const waitForEnd = (session: ShSession): Effect.Effect<boolean> =>
  Effect.raceFirst(
    callbackLater<boolean>((resume) => session.onEnd(() => resume(Effect.succeed(true)))),
    Effect.as(pause(reportMillis), false),
  )

export const signalCommand = (
  containers: Containers,
  session: ShSession,
  pid: number,
  signal: string,
): Effect.Effect<void> =>
  Effect.suspend(() => {
    session.noteSignal(signal)
    const words = ["sh", "-c", 'kill -s "$1" "$2"', "sh", signal.replace(/^SIG/, ""), String(pid)]
    return Effect.asVoid(containers.runInside(session, words))
  })

/**
 * Ends all processes of a command: SIGTERM, at most `grace`, SIGKILL. If the container belongs to the command, it is
 * removed, so that nothing can be left. In a shared container the processes are found by their environment and their
 * parents; if that fails, the container is removed, unless it existed before. Succeeds with the process id of the
 * command in the container if that could not be done.
 */
export const endCommand = (
  containers: Containers,
  session: ShSession,
  { marker, pid }: { readonly marker: string; readonly pid: number },
  grace: Duration.Duration,
): Effect.Effect<ReadonlyArray<number>> =>
  Effect.gen(function* () {
    const tenths = toTenths(Duration.toMillis(grace))
    const words = [marker, String(tenths), ...(session.isTerminal && tenths > 0 ? ["tty"] : [])]
    const end = containers.runInside(session, ["sh", "-c", endMarkedScript, "sh", ...words], tenths * 100)
    if (containers.isOwn) {
      // The session is the container's first process: when it ends, so do the container and all processes in it.
      if (session.isReported) return []
      if (tenths > 0) yield* end
      const isGone = yield* containers.remove(session)
      if (!(yield* waitForEnd(session))) session.abandon()
      return isGone ? [] : [pid]
    }
    const exitCode = yield* end
    // The script needs programs that the container may not have.
    if (exitCode !== 0 && !session.isOver) yield* signalCommand(containers, session, pid, "SIGKILL")
    // Processes that fork without end leave no room for a helper, and no later command would start.
    const isGone = exitCode === 0 || (containers.isMade && (yield* containers.remove(session)))
    if (!(yield* waitForEnd(session))) session.abandon()
    return isGone ? [] : [pid]
  })

/** Gives up on a session that was asked to start a command, and ends what it may have started. */
export const endUnstarted = (containers: Containers, session: ShSession, marker: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Effect.promise(() => containers.pool.discard(session))
    if (containers.isOwn) return
    yield* containers.runInside(session, ["sh", "-c", endMarkedScript, "sh", marker, "0"])
  })
