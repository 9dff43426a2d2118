/** Holds the state of a session: its command's process, its screen, the output since the last input, and its clients. */
import type * as Clock from "effect/Clock"
import type * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Semaphore from "effect/Semaphore"
import { monotonicMillisOf } from "../base/monotonicTime.ts"
import { PlainText } from "./PlainText.ts"
import { display } from "../command/Secret.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { StartedProcess } from "../shell/ShellService.ts"
import type { Emulator } from "./Emulator.ts"
import type { EventLog } from "./EventLog.ts"
import type { SessionInfo } from "./Session.ts"
import type { SessionInput } from "./SessionInput.ts"
import { type TerminalError, terminalError } from "./TerminalError.ts"

/** Maximum plain text of the output since the last input that is kept for waits. */
const maxRecentLength = 65_536

export interface SessionParts {
  readonly exec: ShellExec
  readonly clock: Clock.Clock
  readonly emulator: Emulator
  readonly input: SessionInput
  readonly log: EventLog
  readonly scrollback: number
  readonly ended: Deferred.Deferred<ShellOutput, ShellFault>
}

export class RunningSession {
  readonly parts: SessionParts
  readonly #openedAt: number
  readonly #plain = new PlainText()
  // A snapshot shows exactly the chunks up to its number.
  readonly #screenLock = Semaphore.makeUnsafe(1)
  #clients = 0
  activeAt: number
  lastOutput: number
  process: StartedProcess | undefined
  output: ShellOutput | undefined
  recent = ""
  seq = -1

  constructor(parts: SessionParts) {
    this.parts = parts
    this.#openedAt = this.activeAt = this.now()
    this.lastOutput = this.elapsed()
  }

  now(): number {
    return this.parts.clock.currentTimeMillisUnsafe()
  }

  /** The clock for {@link lastOutput}, which changes of the date do not affect. */
  elapsed(): number {
    return monotonicMillisOf(this.parts.clock)
  }

  get hasEnded(): boolean {
    return this.parts.log.closed
  }

  get info(): SessionInfo {
    const { emulator, exec } = this.parts
    return {
      id: exec.commandId,
      command: exec.command,
      args: exec.arguments.map(display),
      pid: this.process?.pid,
      ...emulator.size,
      title: emulator.title,
      openedAt: this.#openedAt,
      activeAt: this.activeAt,
      clients: this.#clients,
      seq: this.seq,
      ended: this.hasEnded,
      exitCode: this.output?.exitCode,
    }
  }

  get endedError(): TerminalError {
    const { output, parts: { exec } } = this
    return terminalError(
      { _tag: "Ended", ...(output === undefined ? undefined : { exitCode: output.exitCode }) },
      `${exec.command} has ended${output === undefined ? "" : ` with code ${output.exitCode}`}`,
    )
  }

  /** Runs an Effect while no output changes the screen. */
  withScreen<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return this.#screenLock.withPermits(1)(effect)
  }

  whileRunning<A>(effect: Effect.Effect<A, TerminalError>): Effect.Effect<A, TerminalError> {
    return Effect.suspend(() => this.hasEnded ? Effect.fail(this.endedError) : effect)
  }

  show(chunk: ShellOutputChunk): Effect.Effect<void> {
    const { emulator, log } = this.parts
    const shown = Effect.map(emulator.write(chunk.content), () => {
      this.seq = chunk.seq
      this.activeAt = this.now()
      this.lastOutput = this.elapsed()
      this.recent = (this.recent + this.#plain.push(chunk.content)).slice(-maxRecentLength)
    })
    return Effect.andThen(this.withScreen(shown), log.add(chunk))
  }

  count(by: number): void {
    this.#clients += by
    this.activeAt = this.now()
  }
}
