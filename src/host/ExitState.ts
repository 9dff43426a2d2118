/** Delivers the exit of a process to its listener, even if that registers late. */
import { exitCodeOfSignal, signalName } from "../command/signals.ts"
import type { ExitStatus } from "../shell/SpawnedProcess.ts"

/** The status of a process that ended by itself or by a signal: its name, or its number on this system. */
export const exitStatusOf = (
  exitCode: number | null | undefined,
  signal: string | number | null | undefined,
  os: string,
): ExitStatus => {
  const name = typeof signal === "number" ? signalName(signal, os) : signal ?? undefined
  return name === undefined ? { exitCode: exitCode ?? 255 } : { exitCode: exitCodeOfSignal(name, os), signal: name }
}

export class ExitState {
  #status: ExitStatus | undefined
  #listener: ((status: ExitStatus) => void) | undefined

  get hasEnded(): boolean {
    return this.#status !== undefined
  }

  settle(status: ExitStatus): void {
    this.#status = status
    this.#listener?.(status)
  }

  readonly onExit = (done: (status: ExitStatus) => void): void => {
    if (this.#status === undefined) this.#listener = done
    else done(this.#status)
  }
}
