/** Implements the `timeout` utility. */
import { Errno } from "../Errno.ts"
import { type Program, Signal } from "../System.ts"
import { parseSignal } from "./kill.ts"
import { parseSeconds } from "./shared/quantities.ts"
import { startCommand } from "./shared/spawn.ts"
import { defineUtility } from "./shared/defineUtility.ts"

/**
 * `timeout [-s SIGNAL] [-k TIME] [-p] [-v] [--foreground] TIME COMMAND [ARG]...`: ends a command after a time limit. Source: timeout(1).
 */
export const timeout: Program = defineUtility(
  "timeout",
  "+s|signal: k|kill-after: p|preserve-status v|verbose foreground",
  async (io) => {
    const { system } = io
    const [time = "", ...command] = io.operands
    const parseMillis = (text: string): number =>
      (parseSeconds(text) ?? io.failUsage(`invalid time interval ‘${text}’`)) * 1000
    const [limitMillis, graceMillis] = [parseMillis(time), parseMillis(io.value("k") ?? "0")]
    const signal = parseSignal(io, io.value("s") ?? "TERM")
    // Signals to this process are passed on to the command.
    let child = 0
    /** Signals the command and what it has started. In a group of its own it would outlive the group of its caller. */
    const killTree = (number: number): void => {
      const pids = [child]
      const processes = io.has("foreground") ? [] : system.processes()
      for (const pid of pids) for (const { parent, pid: started } of processes) if (parent === pid) pids.push(started)
      for (const pid of pids) system.kill(pid, number)
    }
    for (const passed of [Signal.SIGTERM, Signal.SIGINT, Signal.SIGHUP, Signal.SIGQUIT]) {
      system.onSignal(passed, () => void (child > 0 && killTree(passed)))
    }
    // A signal with a handler interrupts the sleep below.
    system.onSignal(Signal.SIGCHLD, () => {})
    const started = await startCommand(io, command)
    if (started.pid === undefined) return started.exitCode
    child = started.pid
    /** Waits for the command: its exit code, or `undefined` after a time. */
    const waitAtMost = async (millis: number): Promise<number | undefined> => {
      const deadline = system.monotonic() + BigInt(Math.round(Math.min(millis, 1e15))) * 1_000_000n
      for (;;) {
        const left = Number(deadline - system.monotonic()) / 1e6
        // No await between this check and the sleep: a SIGCHLD in between would not interrupt the sleep.
        const answer = system.wait(child, { hang: false })
        const status = answer instanceof Promise ? await answer : answer
        if (typeof status === "object") return status.exitCode
        if (typeof status === "number" && status !== -Errno.EINTR) return 127
        if (left <= 0) return undefined
        await system.sleep(Math.min(left, 1e9))
      }
    }
    let code = await waitAtMost(limitMillis === 0 ? Infinity : limitMillis)
    if (code !== undefined) return code
    if (io.has("v")) io.printError(`sending signal ${signal} to command ‘${command[0] ?? ""}’`)
    killTree(signal)
    code = await waitAtMost(graceMillis === 0 ? Infinity : graceMillis)
    if (code === undefined) {
      killTree(Signal.SIGKILL)
      await waitAtMost(Infinity)
      return 137
    }
    return io.has("p") ? code : signal === Signal.SIGKILL ? 137 : 124
  },
  { errorExitCode: 125, minOperands: 2 },
)
