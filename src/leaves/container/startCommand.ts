/** Starts a command in a session of a container, and represents it as a process. */
import type * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { readErrorCode } from "../../base/readErrorCode.ts"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import type { TerminalSize } from "../../command/Terminal.ts"
import { faultOfSpawnError } from "../../host/faults/spawnError.ts"
import { noTerminalCode } from "../../host/faults/spawnErrorExplanations.ts"
import type { Host } from "../../host/Host.ts"
import type { ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import {
  explainEngine,
  explainStart,
  faultOfProblem,
  faultOfRefusal,
  statusOfEnd,
  statusOfLoss,
} from "./containerFaults.ts"
import type { Containers } from "./Containers.ts"
import type { ContainerShellSettings } from "./ContainerSettings.ts"
import { endCommand, endUnstarted, signalCommand } from "./endCommand.ts"
import type { RunPlan } from "./planRequest.ts"
import type { SessionRequest } from "./sessionScript.ts"
import { ContainerStartError, type SharedContainer } from "./SharedContainer.ts"
import type { Started } from "./SessionCommand.ts"
import type { ShSession } from "./ShSession.ts"

/** Time limits for the start of a command: in a ready container, and in one whose image may be pulled. */
const startMillis = 60_000
const pullMillis = 600_000

/** A session that has started a command. */
interface Running {
  readonly session: ShSession
  readonly marker: string
  readonly pid: number
  readonly executable: string
  readonly stdin: boolean
}

export interface StartContext {
  readonly host: Host
  readonly settings: ContainerShellSettings
  readonly containers: Containers
  readonly shared: SharedContainer | undefined
}

const failStart = (
  { host, settings, shared }: StartContext,
  exec: ShellExec,
  exitCode: number,
  text: string,
): Effect.Effect<never, ShellFault> =>
  Effect.flatMap(
    explainStart(host, settings, exitCode, text, shared?.made),
    (problem) => Effect.fail(faultOfProblem(exec, problem)),
  )

type SessionLease =
  | { readonly session: ShSession; readonly started: Started; readonly error?: undefined }
  | { readonly session?: undefined; readonly error: unknown }

/** Takes a session, and starts a command in it. */
const takeSession = (
  { containers, settings }: StartContext,
  exec: ShellExec,
  request: SessionRequest,
  { marker, terminal }: RunPlan,
): Effect.Effect<SessionLease> =>
  Effect.suspend(() => {
    let begun: ShSession | undefined
    let isGivenUp = false
    const take = async (): Promise<SessionLease> => {
      try {
        const session = terminal === undefined
          ? await containers.pool.take()
          : await containers.startTerminal(exec, terminal)
        begun = session
        if (isGivenUp) await containers.pool.discard(session)
        return { session, started: await session.start(request) }
      } catch (error) {
        return { error }
      }
    }
    // The start takes as long as an image is pulled or a container is paused.
    const pulls = settings.container !== undefined && settings.container.pull !== "never"
    const millis = pulls ? pullMillis : startMillis
    return Effect.promise(take).pipe(
      Effect.onInterrupt(() =>
        Effect.suspend(() => {
          isGivenUp = true
          return begun === undefined ? Effect.void : endUnstarted(containers, begun, marker)
        })
      ),
      Effect.timeoutOrElse({
        duration: millis,
        orElse: () =>
          Effect.succeed({
            error: new ContainerStartError(137, `nothing started within ${millis / 1_000} s: is it paused?`),
          }),
      }),
      Effect.interruptible,
    )
  })

const toSpawned = (
  { containers, settings: { engine } }: StartContext,
  exec: ShellExec,
  { executable, marker, pid, session, stdin }: Running,
  services: Context.Context<never>,
): SpawnedProcess => {
  let isEnding = false
  const terminate = (grace: Duration.Duration) =>
    Effect.suspend(() => {
      isEnding = true
      return endCommand(containers, session, { marker, pid }, grace)
    })
  const send = (signal: string): void =>
    void Effect.runForkWith(services)(signalCommand(containers, session, pid, signal))
  /** Ends all processes of the command before its loss is reported. */
  const lose = (exitCode: number): Effect.Effect<ExitStatus> =>
    Effect.gen(function* () {
      const isRunning = yield* containers.isRunning(session)
      if (isRunning) yield* endCommand(containers, session, { marker, pid }, Duration.zero)
      return statusOfLoss(exec, engine.kind, session.container, exitCode, isRunning)
    })
  const status = new Promise<ExitStatus>((resolve) =>
    session.onEnd((end) => {
      if (end.isLost !== true) return resolve(statusOfEnd(exec, end, executable))
      if (isEnding) return resolve({ exitCode: 137, signal: "SIGKILL" })
      void Effect.runPromiseWith(services)(lose(end.exitCode)).then(resolve)
    })
  )
  const { stderr, stdout } = session.outputs
  return {
    executable,
    stdout,
    ...(exec.mergeStreams === true || session.isTerminal ? undefined : { stderr }),
    stdin: stdin ? session.stdin : undefined,
    onExit: (done) => void status.then(done),
    breakPipe: () => send("SIGPIPE"),
    signal: send,
    ...(session.isTerminal ? { resize: (size: TerminalSize) => session.resize(size) } : undefined),
    terminate,
    release: () => containers.pool.give(session),
  }
}

export const startCommand = (
  context: StartContext,
  exec: ShellExec,
  request: SessionRequest,
  plan: RunPlan,
  isRetry = false,
): Effect.Effect<SpawnedProcess, ShellFault> =>
  Effect.gen(function* () {
    const { containers, settings: { engine }, shared } = context
    const { marker, stdin } = plan
    const taken = yield* takeSession(context, exec, request, plan)
    if (taken.error instanceof ContainerStartError) {
      const { exitCode, message } = taken.error
      return yield* failStart(context, exec, exitCode, message)
    }
    if (taken.error instanceof ShellFault) return yield* Effect.fail(taken.error)
    if (readErrorCode(taken.error) === noTerminalCode) {
      return yield* Effect.fail(faultOfSpawnError(taken.error, { exec, executable: engine.program }))
    }
    if (taken.session === undefined) {
      return yield* Effect.fail(faultOfProblem(exec, explainEngine(engine, taken.error)))
    }
    const { session, started } = taken
    switch (started._tag) {
      case "Failed":
        containers.pool.give(session)
        // Nothing was started; the shared container has ended since the last command.
        if (!isRetry && shared !== undefined && (yield* Effect.promise(() => shared.hasEnded()))) {
          return yield* startCommand(context, exec, request, plan, true)
        }
        return yield* failStart(context, exec, started.exitCode, started.text)
      case "Refused":
        session.drain(() => containers.pool.give(session))
        return yield* Effect.fail(faultOfRefusal(exec, context.settings, started.report))
      case "Started":
        if (request.mergeStreams && !session.isTerminal) session.outputs.stderr.release()
        // There is no input: a program that reads gets the end of file.
        if (!stdin) void session.stdin?.end()
        return toSpawned(
          context,
          exec,
          { session, marker, pid: started.pid, executable: started.executable, stdin },
          yield* Effect.context<never>(),
        )
    }
  })
