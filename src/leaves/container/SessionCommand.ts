/** Follows one command of a session, from its request to its end. */
import { signalName } from "../../command/signals.ts"
import type { ExitStatus } from "../../shell/SpawnedProcess.ts"
import type { SessionRequest } from "./sessionScript.ts"

/** The start of a command: its process id in the container and its file, or the report of a refusal, or the engine's output. */
export type Started =
  | { readonly _tag: "Started"; readonly pid: number; readonly executable: string }
  | { readonly _tag: "Refused"; readonly report: string }
  | { readonly _tag: "Failed"; readonly exitCode: number; readonly text: string }

export interface SessionEnd extends ExitStatus {
  /** Processes that the memory limit of the container killed meanwhile. */
  readonly oomKills?: number | undefined
  /** Forks that the process limit of the container refused meanwhile. */
  readonly refusedForks?: number | undefined
  /** The report of a start that exec(2) refused. */
  readonly refusal?: string | undefined
  /** The client ended before the command. */
  readonly isLost?: boolean | undefined
}

/** Signals that end no process by themselves. */
const harmless = new Set(["CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH"].map((name) => `SIG${name}`))

/** The signal that a shell's exit status encodes. */
const signalOf = (status: number): string | undefined => {
  const name = signalName(status - 128)
  return name === undefined || harmless.has(name) ? undefined : name
}

/** A command that a session runs or has run. */
export class SessionCommand<Output> {
  readonly request: SessionRequest
  #onStart: ((started: Started) => void) | undefined
  #listeners: Array<(end: SessionEnd) => void> = []
  #end: SessionEnd | undefined
  #refusal: string | undefined
  /** The outputs that have ended. */
  readonly #over = new Set<Output>()
  readonly #sent = new Set<string>()

  /** `onStart` is called once, when the command has been started or refused. */
  constructor(request: SessionRequest, onStart: (started: Started) => void) {
    this.request = request
    this.#onStart = onStart
  }

  get isStarting(): boolean {
    return this.#onStart !== undefined
  }

  get end(): SessionEnd | undefined {
    return this.#end
  }

  /** Whether its session can run another command, because nothing of this one is left. */
  get isDone(): boolean {
    return !this.request.once && !this.request.stdin && this.#over.size === 2
  }

  started(started: Started): void {
    const onStart = this.#onStart
    this.#onStart = undefined
    onStart?.(started)
  }

  /** Notes that exec(2) refused it, which its shell reports after the start. */
  refused(report: string): void {
    this.#refusal = report
  }

  outputEnded(output: Output): void {
    this.#over.add(output)
  }

  /** Notes that a signal is sent, because shells do not report whether SIGINT or SIGPIPE ended a process. */
  noteSignal(signal: string): void {
    this.#sent.add(signal)
  }

  /** Calls `done` once, when the command has ended. */
  onEnd(done: (end: SessionEnd) => void): void {
    if (this.#end === undefined) this.#listeners.push(done)
    else done(this.#end)
  }

  /** Ends the command with the status in the report of its shell. */
  exited([status, how, oomKills, refusedForks]: ReadonlyArray<string | undefined>): void {
    const exitCode = Number(status)
    const signal = signalOf(exitCode)
    this.settle({
      exitCode,
      signal: signal !== undefined && (how === "S" || this.#sent.has(signal)) ? signal : undefined,
      oomKills: Number(oomKills),
      refusedForks: Number(refusedForks),
      refusal: this.#refusal,
    })
  }

  settle(end: SessionEnd): void {
    if (this.#end !== undefined) return
    this.#end = end
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener(end)
  }
}
