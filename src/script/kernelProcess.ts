/** Starts a process of a kernel as the process of a leaf. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { callbackLater } from "../base/waits.ts"
import { linuxSignals, signalName } from "../command/signals.ts"
import type { Kernel, ProcessHandle, StartRequest } from "../kernel/mod.ts"
import type { OpenFile } from "../kernel/OpenFile.ts"
import { NullFile } from "../kernel/process/NullFile.ts"
import { makeHostReader, makeHostWriter } from "../kernel/sandbox/hostPipeEnds.ts"
import { Signal } from "../kernel/System.ts"
import type { ExitStatus, SpawnedProcess } from "../shell/SpawnedProcess.ts"

/** Sends SIGTERM to the whole job, and SIGKILL after the grace period. */
const terminate = (handle: ProcessHandle, grace: Duration.Duration): Effect.Effect<void> =>
  Effect.suspend(() => {
    handle.signalAll(Signal.SIGTERM)
    const forced = Effect.sync(() => handle.endAll())
    if (Duration.isZero(grace)) return forced
    const over = callbackLater<void>((resume) => {
      const done = (): void => resume(Effect.void)
      if (!handle.isAlive()) return done()
      return Effect.sync(handle.whenOver(done))
    })
    return Effect.timeoutOrElse(over, { duration: grace, orElse: () => forced })
  })

export interface KernelStreams {
  readonly stdin: boolean
  readonly merged: boolean
}

/** The parts of a process of a leaf that are the same for all processes of kernels, and the process itself. */
export type KernelProcess =
  & Pick<SpawnedProcess, "pid" | "stdout" | "stderr" | "stdin" | "onExit" | "signal" | "terminate">
  & { readonly handle: ProcessHandle }

const signals: Readonly<Record<string, number>> = linuxSignals

/**
 * Starts a process with pipes; `start` does not take over references to the files. Returns its errno if it does not
 * start.
 */
export const startKernelProcess = (
  kernel: Kernel,
  { merged, stdin }: KernelStreams,
  start: (fds: Readonly<Record<number, OpenFile>>) => ProcessHandle | number,
): KernelProcess | number => {
  const output = kernel.pipe()
  const errors = merged ? undefined : kernel.pipe()
  const input = stdin ? kernel.pipe() : undefined
  const fds: StartRequest["fds"] = {
    0: input?.reader ?? new NullFile(),
    1: output.writer,
    2: errors?.writer ?? output.writer,
  }
  const handle = start(fds)
  for (const file of new Set(Object.values(fds))) file.release()
  const stdout = makeHostReader(output.reader)
  const stderr = errors === undefined ? undefined : makeHostReader(errors.reader)
  const writer = input === undefined ? undefined : makeHostWriter(input.writer)
  if (typeof handle === "number") {
    stdout.release()
    stderr?.release()
    void writer?.end()
    return handle
  }
  return {
    handle,
    pid: handle.pid,
    stdout,
    ...(stderr === undefined ? undefined : { stderr }),
    ...(writer === undefined ? undefined : { stdin: writer }),
    onExit: (done: (status: ExitStatus) => void) =>
      void handle.exited.then(({ exitCode, signal }) => {
        const name = signal === undefined ? undefined : signalName(signal)
        done(name === undefined ? { exitCode } : { exitCode, signal: name })
      }),
    signal: (name) => void handle.kill(signals[name] ?? 0),
    terminate: (grace) => Effect.as(terminate(handle, grace), []),
  }
}

/** Adds a reference to each file, for one attempt to start a process, which takes them over. */
export const retained = (fds: Readonly<Record<number, OpenFile>>): Readonly<Record<number, OpenFile>> => {
  for (const file of new Set(Object.values(fds))) file.retain()
  return fds
}
