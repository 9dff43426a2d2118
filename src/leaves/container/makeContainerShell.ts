/** Makes the Shell service of containers: starts commands in sessions, and turns their ends into exits and faults. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { ShellExec } from "../../command/ShellExec.ts"
import { ShellFault } from "../../command/ShellFault.ts"
import { withPortableScripts } from "../../script/withPortableScripts.ts"
import { makeProcessRuns } from "../../shell/ProcessLeaf.ts"
import { validateTerminal } from "../../shell/refuseTerminal.ts"
import { Shell } from "../../shell/Shell.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import type { TerminalSize } from "../../command/Terminal.ts"
import type { Host } from "../../host/Host.ts"
import { hasEngine } from "../../host/terminal/findEngine.ts"
import { noTerminalCode } from "../../host/faults/spawnErrorExplanations.ts"
import { faultOfSpawnError } from "../../host/faults/spawnError.ts"
import { readErrorCode } from "../../base/readErrorCode.ts"
import {
  explainEngine,
  explainStart,
  faultOfProblem,
  faultOfRefusal,
  faultOfRequest,
  statusOfEnd,
  statusOfLoss,
} from "./containerFaults.ts"
import type { ContainerShellSettings, ContainerTarget } from "./ContainerSettings.ts"
import { Containers } from "./Containers.ts"
import { endCommand, endUnstarted, signalCommand } from "./endCommand.ts"
import { enforcedLimits, planRequest, type RunPlan } from "./planRequest.ts"
import { reapContainers } from "./reapContainers.ts"
import type { ShSession } from "./ShSession.ts"
import type { SessionRequest } from "./sessionScript.ts"
import { ContainerStartError, SharedContainer } from "./SharedContainer.ts"

/** Time in which a container has to start a command, and one whose image may be pulled. */
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

/** Makes a container that leaves share. Closing the scope removes it. */
export const makeSharedContainer = (
  host: Host,
  target: ContainerTarget,
): Effect.Effect<SharedContainer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => new SharedContainer(host, target)),
    (shared) => Effect.promise(() => shared.close()),
  )

/**
 * Makes the service. Closing the scope ends all containers that it has made. `given`: the container, where others share it.
 */
export const makeContainerService = (
  host: Host,
  settings: ContainerShellSettings,
  given?: SharedContainer,
): Effect.Effect<ShellService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const isShared = settings.reuse || settings.existing !== undefined
    const shared = given ?? (isShared ? yield* makeSharedContainer(host, settings) : undefined)
    const containers = yield* Effect.acquireRelease(
      Effect.sync(() => new Containers(host, settings, shared)),
      (each) => Effect.promise(() => each.close()),
    )
    yield* Effect.forkScoped(reapContainers(host, settings.engine))
    containers.pool.fill()
    const { engine } = settings
    let runs = 0

    const failStart = (exec: ShellExec, exitCode: number, text: string): Effect.Effect<never, ShellFault> =>
      Effect.flatMap(
        explainStart(host, settings, exitCode, text, shared?.made),
        (problem) => Effect.fail(faultOfProblem(exec, problem)),
      )

    const start = (
      exec: ShellExec,
      request: SessionRequest,
      plan: RunPlan,
      isRetry = false,
    ): Effect.Effect<SpawnedProcess, ShellFault> =>
      Effect.gen(function* () {
        const { marker, stdin, terminal } = plan
        let begun: ShSession | undefined
        let isGivenUp = false
        const take = async () => {
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
        // It lasts as long as an image is pulled, or a container is paused.
        const pulls = settings.container !== undefined && settings.container.pull !== "never"
        const millis = pulls ? pullMillis : startMillis
        const taken: Awaited<ReturnType<typeof take>> = yield* Effect.promise(take).pipe(
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
        if (taken.error instanceof ContainerStartError) {
          const { exitCode, message } = taken.error
          return yield* failStart(exec, exitCode, message)
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
              return yield* start(exec, request, plan, true)
            }
            return yield* failStart(exec, started.exitCode, started.text)
          case "Refused":
            session.drain(() => containers.pool.give(session))
            return yield* Effect.fail(faultOfRefusal(exec, settings, started.report))
          case "Started":
            if (request.mergeStreams && !session.isTerminal) session.outputs.stderr.release()
            // There is no input: a program that reads gets its end.
            if (!stdin) void session.stdin?.end()
            return toSpawned(exec, { session, marker, pid: started.pid, executable: started.executable, stdin })
        }
      })

    const toSpawned = (exec: ShellExec, { executable, marker, pid, session, stdin }: Running): SpawnedProcess => {
      let isEnding = false
      const terminate = (grace: Duration.Duration) =>
        Effect.suspend(() => {
          isEnding = true
          return endCommand(containers, session, { marker, pid }, grace)
        })
      const send = (signal: string): void => void Effect.runFork(signalCommand(containers, session, pid, signal))
      /** Nothing of the command may be left when its loss is told. */
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
          void Effect.runPromise(lose(end.exitCode)).then(resolve)
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

    const shell = Shell.make({
      ...makeProcessRuns({
        ...settings,
        prepare: (exec, stdin, { descriptors, terminal }) => {
          const refused = validateTerminal(exec, terminal)
          if (refused !== undefined) return Result.fail(refused)
          if (descriptors !== undefined) {
            return Result.fail(
              faultOfRequest(exec, "terminal", "a command in a container has no further descriptors", "ENOTSUP"),
            )
          }
          const marker = `${containers.owner}.${++runs}.`
          const plan = { marker, once: containers.isOwn, stdin, terminal }
          return Result.map(planRequest(exec, settings, plan), (request) => start(exec, request, plan))
        },
      }),
      capabilities: {
        leaf: `container/${engine.kind}`,
        groupKill: "helper",
        escapees: true,
        orphans: true,
        limits: enforcedLimits,
        exactOrder: true,
        get pty() {
          return hasEngine(host)
        },
        backPressure: true,
        resolvesPath: true,
        // A container that others made may have any privilege.
        isolated: settings.existing === undefined,
      },
    })
    return withPortableScripts(shell, settings)
  })
