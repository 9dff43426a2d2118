/**
 * Implements the Shell service over a sandbox: starts each command as a process of its kernel with pipes, terminates it
 * by SIGTERM and later SIGKILL, and states the leaf's capabilities.
 *
 * @module
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import { signalName } from "../../command/signals.ts"
import { Errno } from "../../kernel/Errno.ts"
import type { ProcessHandle } from "../../kernel/Kernel.ts"
import { NullFile } from "../../kernel/process/NullFile.ts"
import type { SandboxService } from "../../kernel/sandbox/SandboxService.ts"
import { hostReader, hostWriter } from "../../kernel/sandbox/hostPipeEnds.ts"
import { Signal } from "../../kernel/System.ts"
import { makeProcessRuns } from "../../shell/ProcessLeaf.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import type { ExitStatus, SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import { faultOfStart } from "./kernelFaults.ts"
import { type KernelCommandOptions, type KernelShellSettings, resolveSettings } from "./KernelShellOptions.ts"
import { enforcedLimits, type KernelCommand, planCommand } from "./planCommand.ts"
import { refuseTerminals } from "../../shell/refuseTerminal.ts"

/** Sends SIGTERM to the whole job, and SIGKILL after the grace period. */
const terminate = (handle: ProcessHandle, grace: Duration.Duration): Effect.Effect<void> =>
  Effect.suspend(() => {
    handle.signalAll(Signal.SIGTERM)
    const forced = Effect.sync(() => handle.endAll())
    if (Duration.isZero(grace)) return forced
    const over = Effect.callback<void>((resume) => {
      const done = (): void => resume(Effect.void)
      if (!handle.isAlive()) return done()
      return Effect.sync(handle.whenOver(done))
    })
    return Effect.timeoutOrElse(over, { duration: grace, orElse: () => forced })
  })

const start = (
  exec: ShellExec,
  stdin: boolean,
  { args, directory, env, executable, limits }: KernelCommand,
  sandbox: SandboxService,
  settings: KernelShellSettings,
): Effect.Effect<SpawnedProcess, ShellFault> =>
  Effect.suspend(() => {
    const { kernel } = sandbox
    const output = kernel.pipe()
    const errors = exec.mergeStreams === true ? undefined : kernel.pipe()
    const input = stdin ? kernel.pipe() : undefined
    const fds = {
      0: input?.reader ?? new NullFile(),
      1: output.writer,
      2: errors?.writer ?? output.writer,
    }
    const attempt = (program: string, words: ReadonlyArray<string>): ProcessHandle | number => {
      // A program that does not start releases its files; there may be a second attempt.
      for (const file of new Set(Object.values(fds))) file.retain()
      return kernel.start({ program, args: words, env, cwd: directory.path, fds, limits })
    }
    let handle = attempt(executable, args)
    // A script without an interpreter line is run by the shell. Source: execvp(3).
    if (handle === -Errno.ENOEXEC) handle = attempt(settings.defaultShell, ["sh", executable, ...args.slice(1)])
    for (const file of new Set(Object.values(fds))) file.release()
    const stdout = hostReader(output.reader)
    const stderr = errors === undefined ? undefined : hostReader(errors.reader)
    const writer = input === undefined ? undefined : hostWriter(input.writer)
    if (typeof handle === "number") {
      stdout.release()
      stderr?.release()
      void writer?.end()
      return Effect.fail(faultOfStart(exec, executable, handle, sandbox))
    }
    const { exited, pid } = handle
    const started = handle
    return Effect.succeed({
      executable,
      pid,
      stdout,
      stderr,
      stdin: writer,
      onExit: (done: (status: ExitStatus) => void) =>
        void exited.then(({ exitCode, signal }) => {
          const name = signal === undefined ? undefined : signalName(signal)
          done(name === undefined ? { exitCode } : { exitCode, signal: name })
        }),
      terminate: (grace: Duration.Duration) => Effect.as(terminate(started, grace), []),
    })
  })

/** Whether the runtime suspends WASM. Elsewhere the output of a program is buffered until it has ended. */
const hasJspi = (): boolean => Reflect.has(WebAssembly, "Suspending")

/** Makes the Shell service of a sandbox. All its commands share one concurrency limit. */
export const makeKernelShell = (
  sandbox: SandboxService,
  given: KernelCommandOptions,
  sequential = false,
): ShellService => {
  const settings = resolveSettings(given)
  return refuseTerminals({
    ...makeProcessRuns({
      ...settings,
      prepare: (exec, stdin) =>
        Result.map(planCommand(exec, sandbox, settings), (command) => start(exec, stdin, command, sandbox, settings)),
    }),
    // The kernel is part of the program: its processes cannot outlive it.
    endOrphans: () => Effect.succeed({ ended: 0, pids: [], survivors: [] }),
    capabilities: {
      leaf: "kernel",
      platform: "posix",
      groupKill: "native",
      escapees: true,
      orphans: true,
      limits: enforcedLimits,
      exactOrder: true,
      pty: false,
      isolated: true,
      backPressure: !sequential && hasJspi(),
      resolvesPath: true,
    },
  })
}
