/** Makes programs of a kernel whose process is a command on a leaf. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { errorMessage } from "../base/errorMessage.ts"
import { callbackLater } from "../base/waits.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import { ShellExec } from "../command/plain/ShellExec.ts"
import { reveal } from "../command/plain/secret.ts"
import { ShellFault } from "../command/plain/ShellFault.ts"
import { signalNumber } from "../command/signals.ts"
import { encodeLossless } from "../base/surrogateEscape.ts"
import { NullFile } from "../kernel/process/NullFile.ts"
import { Process } from "../kernel/process/Process.ts"
import { type Program, Signal } from "../kernel/System.ts"
import type { LeafRunOptions, ShellService, StartedProcess } from "../shell/ShellService.ts"
import type { ByteWriter, ExitFault } from "../shell/SpawnedProcess.ts"
import type { TurnGate } from "../shell/TurnGate.ts"
import { stdinUse } from "./stdinUse.ts"
import type { ScriptSlot, SlotMember } from "./ScriptSlot.ts"
import type { StartDecision } from "./ScriptPlan.ts"
import { substituteFiles } from "./substituteFiles.ts"

export type ScriptLeaf = Pick<ShellService, "bytes" | "capabilities">

export interface CommandHost {
  readonly leaf: ScriptLeaf
  readonly slot: ScriptSlot
  /** Lets one command start in each turn of the event loop. */
  readonly gate: TurnGate
  /** Runs an Effect of a command; the end of the script waits for it. */
  readonly fork: <A, E>(effect: Effect.Effect<A, E>) => Fiber.Fiber<A, E>
  /** Whether an argument of a command is a file; `undefined` if that is unknown. */
  readonly isFile: (path: string, process: Process) => boolean | undefined
  /** Whether its commands are processes of the same machine, which see this process in their `/proc`. */
  readonly sharesProc: boolean
  readonly fail: (fault: ExitFault) => void
}

/** Signals that the kernel hands on to the command. SIGKILL ends the process of the kernel, and the command with it. */
const forwarded = ["SIGHUP", "SIGINT", "SIGQUIT", "SIGALRM", "SIGTERM", "SIGUSR1", "SIGUSR2"] as const

const chunkBytes = 65_536

/** Milliseconds of one sleep of a process that waits for its command. */
const longSleepMillis = 1_000_000_000

/**
 * The stdin of a process as a stream that reads on demand, into one buffer: a leaf has written a piece before it pulls
 * the next.
 */
const stdinOf = (process: Process): Stream.Stream<Uint8Array> => {
  const buffer = new Uint8Array(chunkBytes)
  const read = callbackLater<Uint8Array, Cause.Done>((resume) => {
    // A process that has ended throws here, which ends the wait of a reader.
    const count = Promise.resolve().then(() => process.read(0, buffer))
    count.then(
      (bytes) => resume(bytes > 0 ? Effect.succeed(buffer.subarray(0, bytes)) : Cause.done()),
      () => resume(Cause.done()),
    )
  })
  return Stream.fromEffectRepeat(read)
}

/** Writes to a descriptor of a process; the leaf's process gets EPIPE when it has no reader. */
const writerOf = (process: Process, fd: number): ByteWriter => ({
  write: async (bytes) => {
    try {
      return await process.writeAll(fd, bytes) >= 0
    } catch {
      // The process was killed.
      return false
    }
  },
  end: () => Promise.resolve(),
})

/** Whether a process may take input from its stdin: there is input, and no script needs the rest of it. */
const hasInput = (run: CommandHost, process: Process, { arguments: args, command }: ShellExec): boolean => {
  const file = process.descriptor(0)?.file
  if (file === undefined || file instanceof NullFile) return false
  if (process.ownsStdin || file.references === 1) return true
  const use = stdinUse(
    command,
    args.map((word) => reveal(word) ?? ""),
    (path) => run.isFile(path, process),
  )
  return use === "reads" || (use === "unknown" && !file.wasRead)
}

/** The fault of a command whose process substitutions cannot be put into files. */
const unsubstituted = ({ command, commandId }: ShellExec, cause: unknown): ShellFault =>
  ShellFault.because(
    commandId,
    { _tag: "ResourceExhausted", resource: "temporary files", code: "EFBIG" },
    `exec: the process substitutions of ${command}: ${errorMessage(cause)} (EFBIG)`,
  )

export const hostProgram = (
  run: CommandHost,
  { constraints, exec }: Extract<StartDecision, { readonly _tag: "Command" }>,
): Program =>
async (process) => {
  if (!(process instanceof Process)) throw new TypeError("a command runs only in a process of the kernel")
  let member: SlotMember | undefined
  const kill = new AbortController()
  const files = substituteFiles(process, exec.arguments, run.sharesProc)
  let started: StartedProcess | undefined
  const early: Array<string> = []
  const send = (name: string): void => {
    if (started === undefined) early.push(name)
    else if (started.kill === undefined) kill.abort()
    else started.kill(name)
  }
  for (const name of forwarded) {
    const before = process.onSignal(Signal[name], () => send(name))
    if (before === "ignore") process.onSignal(Signal[name], before)
  }
  process.onSignal(Signal.SIGPIPE, "ignore")

  const [out, errors] = [process.descriptor(1)?.file, process.descriptor(2)?.file]
  const stderr = writerOf(process, 2)
  const options: LeafRunOptions = {
    stdout: writerOf(process, 1),
    ...(hasInput(run, process, exec) ? { stdin: stdinOf(process) } : undefined),
    kill: kill.signal,
    signal: kill.signal,
    constraints,
    onSpawn: (spawned) => {
      started = spawned
      member?.started()
      for (const name of early.splice(0)) send(name)
    },
  }
  const command = Effect.gen(function* () {
    // Done before the command joins the slot, because the commands that fill the files wait until the slot's first
    // command has started.
    const words = yield* Effect.tryPromise({
      try: files.fill,
      catch: (cause) => unsubstituted(exec, cause),
    })
    const { options: slot, ready = Promise.resolve() } = member = run.slot.join()
    yield* Effect.promise(() => ready)
    const turn = run.gate.pass()
    if (turn !== undefined) yield* Effect.promise(() => turn)
    // Writes to the same file keep their order, if the leaf supports that.
    const merged = out !== undefined && out === errors && run.leaf.capabilities.exactOrder
    const whole = ShellExec.make({ ...exec, arguments: words, ...(merged ? { mergeStreams: true } : undefined) })
    let last: ShellOutput | undefined
    yield* Stream.runForEach(run.leaf.bytes(whole, { ...options, ...slot }), (event) => {
      if (event._tag === "ShellOutput") {
        last = event
        return Effect.void
      }
      const to = event.stream === "stderr" ? stderr : options.stdout
      return Effect.promise(async () => void await to?.write(event.bytes))
    })
    yield* Effect.promise(files.finish)
    return last
  })
  const fiber = run.fork(Effect.ensuring(command, Effect.sync(files.remove)))
  process.onEnd.push(() => {
    kill.abort()
    fiber.interruptUnsafe()
  })
  fiber.addObserver((exit) => {
    member?.left()
    end(run, process, exec, exit)
  })
  // A handler of a signal runs when a wait is interrupted; the end of the command ends the process.
  for (;;) await process.sleep(longSleepMillis)
}

const end = (
  run: CommandHost,
  process: Process,
  exec: ShellExec,
  exit: Exit.Exit<ShellOutput | undefined, ShellFault>,
): void => {
  if (process.status !== undefined) return
  if (Exit.isSuccess(exit)) {
    const { exitCode = 1, signal } = exit.value ?? {}
    const number = signal === undefined ? undefined : signalNumber(signal)
    return number === undefined ? process.end({ pid: process.pid, exitCode: exitCode & 255 }) : process.endBy(number)
  }
  const fault = Cause.findErrorOption(exit.cause)
  if (fault._tag === "None") return process.endBy(Signal.SIGKILL)
  const { message, reason } = fault.value
  // The shell also reports these faults for its own programs, and continues.
  if (reason._tag === "NotFound" || reason._tag === "PermissionDenied") {
    process.descriptor(2)?.file.write(encodeLossless(`${exec.command}: ${message.replace(/^exec: /, "")}\n`))
    return process.end({ pid: process.pid, exitCode: reason._tag === "NotFound" ? 127 : 126 })
  }
  if (reason._tag === "Cancelled") return process.endBy(Signal.SIGKILL)
  run.fail({ reason, message })
}
