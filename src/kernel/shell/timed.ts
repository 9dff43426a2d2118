/**
 * `time`: how long a pipeline took, on stderr.
 *
 * @module
 */
import type { Later } from "../System.ts"
import type { Shell } from "./Shell.ts"

const milliseconds = (nanoseconds: bigint): number => Number(nanoseconds / 1_000_000n)

const long = (ms: number): string => `${Math.floor(ms / 60_000)}m${(ms % 60_000 / 1000).toFixed(3)}s`

/** Runs it and says its times. What children computed is not known: `user` is the shell's own. */
export const timed = async (shell: Shell, posix: boolean, run: () => Later<number>): Promise<number> => {
  const [start, cpu] = [shell.system.monotonic(), shell.system.cpuTime()]
  const status = await run()
  const real = milliseconds(shell.system.monotonic() - start)
  const user = milliseconds(shell.system.cpuTime() - cpu)
  const show = (ms: number): string => posix ? (ms / 1000).toFixed(2) : long(ms)
  const gap = posix ? " " : "\t"
  await shell.print(`${posix ? "" : "\n"}real${gap}${show(real)}\nuser${gap}${show(user)}\nsys${gap}${show(0)}\n`, 2)
  return status
}
