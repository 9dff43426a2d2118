/**
 * One command that runs on this server: what others may do to it while it does.
 *
 * @module
 */
import type { CommandRecord } from "../history/CommandRecord.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { formatCommandLine } from "../shell/formatCommandLine.ts"
import type { LeafRunOptions } from "../shell/ShellService.ts"
import type { InputChannel } from "./InputChannel.ts"
import type { DisconnectGrace } from "./DisconnectGrace.ts"

/** What a run is made of. */
export interface RunningCommandOptions {
  readonly exec: ShellExec
  /** Milliseconds since 1970. */
  readonly startedMillis: number
  /** Its stdin, when that is open for others. */
  readonly input?: InputChannel | undefined
  /** Where its output is cut. Default: whole lines, a partial line after 100 ms. */
  readonly chunking?: LeafRunOptions["chunking"]
  /** What log lines about it say beside its id. */
  readonly annotations: Readonly<Record<string, string>>
  /** Called once, when the run is over. */
  readonly onClose: () => void
}

/** A command that runs here. */
export class RunningCommand {
  readonly id: CommandId
  readonly input: InputChannel | undefined
  readonly annotations: Readonly<Record<string, string>>
  /** Who reads it, when its life depends on that. */
  disconnectGrace: DisconnectGrace | undefined
  readonly startedMillis: number
  readonly #exec: ShellExec
  readonly #chunking: LeafRunOptions["chunking"]
  readonly #onClose: () => void
  readonly #cancel = new AbortController()
  readonly #kill = new AbortController()
  #closed = false

  constructor({ annotations, chunking, exec, input, onClose, startedMillis }: RunningCommandOptions) {
    this.annotations = annotations
    this.id = exec.commandId
    this.startedMillis = startedMillis
    this.#exec = exec
    this.#chunking = chunking
    this.input = input
    this.#onClose = onClose
  }

  /** Options of the run for the journaled shell. `onRecorded` is called when the request is in the journal. */
  options(onRecorded: () => void): LeafRunOptions {
    return {
      signal: this.#cancel.signal,
      kill: this.#kill.signal,
      stdin: this.input?.stream,
      chunking: this.#chunking,
      onRecorded,
    }
  }

  /** What is known of it when a bounded journal has pruned its request: no position, which is told as 0. */
  get record(): CommandRecord {
    return {
      commandId: this.id,
      position: 0,
      requested: this.startedMillis,
      exec: this.#exec,
      line: formatCommandLine(this.#exec),
      attempts: [{ number: 1, lease: undefined, after: 0, time: this.startedMillis }],
      user: undefined,
      host: undefined,
      workingDirectory: this.#exec.workingDirectory,
      state: { _tag: "Running" },
      durationMillis: undefined,
      stdoutBytes: undefined,
      stderrBytes: undefined,
      executable: undefined,
      ended: undefined,
      endPosition: undefined,
    }
  }

  /** Ends the command with its grace, or without. It has not ended yet when this returns. */
  cancel(force: boolean): void {
    // A command that waits for its readers reads no more: it must not wait for them to be ended.
    this.disconnectGrace?.release()
    this.#cancel.abort()
    if (force) this.#kill.abort()
  }

  /** It is over. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.disconnectGrace?.close()
    this.input?.close()
    this.#onClose()
  }
}
