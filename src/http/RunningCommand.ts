/** Holds the state of one running command: its input, its record, and the signals that cancel or kill it. */
import type { CommandRecord } from "../history/CommandRecord.ts"
import type { CommandId } from "../command/CommandId.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import type { Position } from "../journal/Entry.ts"
import { formatCommandLine } from "../shell/formatCommandLine.ts"
import type { LeafRunOptions } from "../shell/ShellService.ts"
import type { InputChannel } from "./InputChannel.ts"
import type { DisconnectGrace } from "./DisconnectGrace.ts"
import type { RunTerminal } from "./terminals/RunTerminal.ts"

export interface RunningCommandOptions {
  readonly exec: ShellExec
  /** Milliseconds since 1970. */
  readonly startedMillis: number
  readonly input?: InputChannel | undefined
  readonly terminal?: RunTerminal | undefined
  /** Chunking of the output. Default: whole lines, a partial line after 100 ms. */
  readonly chunking?: LeafRunOptions["chunking"]
  /** Annotations of log lines, in addition to the command id. */
  readonly annotations: Readonly<Record<string, string>>
  readonly onClose: () => void
}

export class RunningCommand {
  readonly id: CommandId
  readonly input: InputChannel | undefined
  readonly terminal: RunTerminal | undefined
  readonly annotations: Readonly<Record<string, string>>
  /** The readers of the command, if it ends without them. */
  disconnectGrace: DisconnectGrace | undefined
  readonly startedMillis: number
  readonly #exec: ShellExec
  readonly #chunking: LeafRunOptions["chunking"]
  readonly #onClose: () => void
  readonly #cancel = new AbortController()
  readonly #kill = new AbortController()
  #closed = false

  constructor({ annotations, chunking, exec, input, onClose, startedMillis, terminal }: RunningCommandOptions) {
    this.annotations = annotations
    this.id = exec.commandId
    this.startedMillis = startedMillis
    this.#exec = exec
    this.#chunking = chunking
    this.input = input
    this.terminal = terminal
    this.#onClose = onClose
  }

  /** Options of the run for the journaled shell. `onRecorded` is called with the position of the request in the journal. */
  options(onRecorded?: (position: Position) => void): LeafRunOptions {
    return {
      signal: this.#cancel.signal,
      kill: this.#kill.signal,
      stdin: this.input?.stream,
      chunking: this.#chunking,
      requestedBy: this.annotations["token"],
      onRecorded,
      ...(this.terminal === undefined ? undefined : {
        terminal: this.terminal.options,
        onSpawn: (process) => this.terminal?.start(process),
      }),
    }
  }

  /** The record of the command while it runs; without the position of its request, which a bounded journal may have pruned. */
  recordAt(position: Position = 0): CommandRecord {
    return {
      commandId: this.id,
      position,
      requestedBy: this.annotations["token"],
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

  /** Cancels the command, with its grace or by force. Returns before it has ended. */
  cancel(force: boolean): void {
    // A command that is paused for its readers would never see the cancellation.
    this.disconnectGrace?.release()
    this.#cancel.abort()
    if (force) this.#kill.abort()
  }

  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.disconnectGrace?.close()
    this.input?.close()
    this.terminal?.close()
    this.#onClose()
  }
}
