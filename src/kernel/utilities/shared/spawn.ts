import { Errno, errnoText } from "../../Errno.ts"
import type { SpawnRequest } from "../../System.ts"
import type { UtilityIo } from "./utility.ts"

/** How to run a command. */
export interface RunOptions {
  readonly cwd?: string | undefined
  readonly env?: SpawnRequest["env"]
  readonly fds?: SpawnRequest["fds"]
  /** The exit code when the command cannot be started. Default: 127 when it is not there, else 126. */
  readonly missing?: number
}

/** A command that runs, or what its exit code would be. */
export type StartResult = { readonly pid: number } | { readonly pid?: undefined; readonly exitCode: number }

/** Starts a command: its pid, or what it answers instead when it cannot be started. What was written goes out before. */
export const startCommand = async (
  io: UtilityIo,
  args: ReadonlyArray<string>,
  options: RunOptions = {},
): Promise<StartResult> => {
  await io.settle()
  const program = args[0] ?? ""
  const pid = io.system.spawn({ args, cwd: options.cwd, env: options.env, fds: options.fds, program })
  if (pid > 0) return { pid }
  io.say(`${io.name === "find" || io.name === "xargs" ? "" : "failed to run command "}‘${program}’: ${errnoText(pid)}`)
  return { exitCode: options.missing ?? (pid === -Errno.ENOENT ? 127 : 126) }
}

/** The exit code of a process that was started. */
export const waitFor = async (io: UtilityIo, pid: number): Promise<number> => {
  for (;;) {
    const status = await io.system.wait(pid)
    if (typeof status === "object") return status.exitCode
    if (status !== -Errno.EINTR) return 127
  }
}

/** Runs a command to its end. */
export const runCommand = async (
  io: UtilityIo,
  args: ReadonlyArray<string>,
  options: RunOptions = {},
): Promise<number> => {
  const started = await startCommand(io, args, options)
  return started.pid === undefined ? started.exitCode : await waitFor(io, started.pid)
}
