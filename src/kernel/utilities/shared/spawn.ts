/** Starts other programs from a utility and waits for them, as `env`, `find`, `timeout` and `xargs` do. */
import { Errno, errnoText } from "../../Errno.ts"
import type { SpawnRequest } from "../../System.ts"
import type { UtilityIo } from "./defineUtility.ts"

export interface RunOptions {
  readonly cwd?: string | undefined
  readonly env?: SpawnRequest["env"]
  readonly fds?: SpawnRequest["fds"]
  /** The exit code if the command cannot be started. Default: 127 if it does not exist, else 126. */
  readonly startFailedExitCode?: number
}

/** A started command, or the exit code that stands for the failure. */
export type StartResult = { readonly pid: number } | { readonly pid?: undefined; readonly exitCode: number }

/** Starts a command after writing pending output. Reports a failure. */
export const startCommand = async (
  io: UtilityIo,
  args: ReadonlyArray<string>,
  options: RunOptions = {},
): Promise<StartResult> => {
  await io.flushAndYield()
  const program = args[0] ?? ""
  const pid = io.system.spawn({ args, cwd: options.cwd, env: options.env, fds: options.fds, program })
  if (pid > 0) return { pid }
  io.printError(
    `${io.name === "nohup" || io.name === "timeout" ? "failed to run command " : ""}‘${program}’: ${errnoText(pid)}`,
  )
  return { exitCode: options.startFailedExitCode ?? (pid === -Errno.ENOENT ? 127 : 126) }
}

export const waitFor = async (io: UtilityIo, pid: number): Promise<number> => {
  for (;;) {
    const status = await io.system.wait(pid)
    if (typeof status === "object") return status.exitCode
    if (status !== -Errno.EINTR) return 127
  }
}

export const runProgram = async (
  io: UtilityIo,
  args: ReadonlyArray<string>,
  options: RunOptions = {},
): Promise<number> => {
  const started = await startCommand(io, args, options)
  return started.pid === undefined ? started.exitCode : await waitFor(io, started.pid)
}
