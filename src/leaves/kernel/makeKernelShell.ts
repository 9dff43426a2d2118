/** Implements the Shell service over a sandbox: each command is a process of its kernel. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ShellExec } from "../../command/ShellExec.ts"
import type { ShellFault } from "../../command/ShellFault.ts"
import { Errno } from "../../kernel/Errno.ts"
import type { ProcessHandle } from "../../kernel/mod.ts"
import type { SandboxService } from "../../kernel/sandbox/SandboxService.ts"
import { makeProcessRuns } from "../../shell/ProcessLeaf.ts"
import type { ShellService } from "../../shell/ShellService.ts"
import { retained, startKernelProcess } from "../../script/kernelProcess.ts"
import type { SpawnedProcess } from "../../shell/SpawnedProcess.ts"
import { faultOfStart } from "./kernelFaults.ts"
import { type KernelCommandOptions, type KernelShellSettings, resolveSettings } from "./KernelShellOptions.ts"
import { enforcedLimits, type KernelCommand, planCommand } from "./planCommand.ts"
import { knowsPortableShell } from "../../shell/portableShell.ts"
import { refuseTerminals } from "../../shell/refuseTerminal.ts"

const start = (
  exec: ShellExec,
  stdin: boolean,
  { args, directory, env, executable, limits }: KernelCommand,
  sandbox: SandboxService,
  settings: KernelShellSettings,
): SpawnedProcess | Effect.Effect<never, ShellFault> => {
  const { kernel } = sandbox
  const started = startKernelProcess(kernel, { stdin, merged: exec.mergeStreams === true }, (fds) => {
    const attempt = (program: string, words: ReadonlyArray<string>): ProcessHandle | number =>
      kernel.start({ program, args: words, env, cwd: directory.path, fds: retained(fds), limits })
    const handle = attempt(executable, args)
    // A script without an interpreter line is run by the shell. Source: execvp(3).
    return handle === -Errno.ENOEXEC ? attempt(settings.defaultShell, ["sh", executable, ...args.slice(1)]) : handle
  })
  return typeof started === "number"
    ? Effect.fail(faultOfStart(exec, executable, started, sandbox))
    : { ...started, executable }
}

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
    [knowsPortableShell]: true,
    ...makeProcessRuns({
      hasPortableShell: true,
      ...settings,
      prepare: (exec, stdin) =>
        Result.map(
          planCommand(exec, sandbox, settings),
          (command) => () => start(exec, stdin, command, sandbox, settings),
        ),
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
