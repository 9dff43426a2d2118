import { Errno } from "../Errno.ts"
import { Signal } from "../System.ts"
import type { Program } from "../System.ts"
import { parseDuration } from "./shared/quantities.ts"
import { startCommand } from "./shared/spawn.ts"
import { utility, type UtilityIo } from "./shared/utility.ts"

const signalOf = (io: UtilityIo, text: string): number => {
  const name = text.toUpperCase().replace(/^SIG/, "")
  const known = Object.entries(Signal).find(([signal]) => signal === `SIG${name}`)?.[1]
  return known ?? (/^[0-9]+$/.test(text) && Number(text) < 65 ? Number(text) : io.misuse(`‘${text}’: invalid signal`))
}

/** `timeout [-s SIGNAL] [-k TIME] [-p] [-v] TIME COMMAND [ARG]...`: ends a command that takes too long. Source: timeout(1). */
export const timeout: Program = utility(
  "timeout",
  "+s|signal: k|kill-after: p|preserve-status v|verbose foreground",
  async (io) => {
    const { system } = io
    const [time, ...command] = io.operands
    if (time === undefined || command.length === 0) return io.missingOperand()
    const duration = (text: string): number =>
      (parseDuration(text) ?? io.misuse(`invalid time interval ‘${text}’`)) * 1000
    const [limit, grace] = [duration(time), duration(io.value("k") ?? "0")]
    const signal = signalOf(io, io.value("s") ?? "TERM")
    // What is sent to this process goes on to the command.
    let child = 0
    for (const passed of [Signal.SIGTERM, Signal.SIGINT, Signal.SIGHUP, Signal.SIGQUIT]) {
      system.onSignal(passed, () => void (child > 0 && system.kill(child, passed)))
    }
    let wakes = 0
    system.onSignal(Signal.SIGCHLD, () => void wakes++)
    const started = await startCommand(io, command)
    if (started.pid === undefined) return started.exitCode
    child = started.pid
    const ended = async (ms: number): Promise<number | undefined> => {
      const deadline = system.monotonic() + BigInt(Math.round(Math.min(ms, 1e15))) * 1_000_000n
      for (;;) {
        const status = await system.wait(child, { hang: false })
        if (typeof status === "object") return status.exitCode
        if (typeof status === "number" && status !== -Errno.EINTR) return 127
        const left = Number(deadline - system.monotonic()) / 1e6
        if (left <= 0) return undefined
        // SIGCHLD interrupts the wait.
        await system.sleep(Math.min(left, 1e9))
      }
    }
    let code = await ended(limit === 0 ? Infinity : limit)
    if (code !== undefined) return code
    if (io.has("v")) io.say(`sending signal ${signal} to command ‘${command[0] ?? ""}’`)
    system.kill(child, signal)
    code = await ended(grace === 0 ? Infinity : grace)
    if (code === undefined) {
      system.kill(child, Signal.SIGKILL)
      await ended(Infinity)
      return 137
    }
    return io.has("p") ? code : signal === Signal.SIGKILL ? 137 : 124
  },
  { trouble: 125 },
)
