/** Holds the terminal of a running command: its size, its process, and its clients. */
import type { ShellOutput, ShellOutputChunk } from "../../command/ShellEvent.ts"
import type { StartedProcess } from "../../shell/ShellService.ts"
import type { Terminal, TerminalSize } from "../../command/Terminal.ts"
import { ClientInputs } from "./ClientInputs.ts"

const maxTerminalClients = 64

export class RunTerminal {
  readonly options: Terminal
  readonly inputs: ClientInputs = new ClientInputs()
  #size: TerminalSize
  #process: StartedProcess | undefined
  #closed = false
  #newest = -1
  readonly #clients = new Set<() => void>()

  constructor(options: Terminal) {
    this.options = options
    this.#size = { cols: options.cols, rows: options.rows }
  }

  get size(): TerminalSize {
    return this.#size
  }

  /** Position of the newest output; -1 before the first. */
  get newest(): number {
    return this.#newest
  }

  /** Takes the positions of output that was recorded. */
  produced(events: ReadonlyArray<ShellOutputChunk | ShellOutput>): void {
    for (const event of events) if (event._tag === "ShellOutputChunk") this.#newest = event.seq
  }

  get clients(): number {
    return this.#clients.size
  }

  /** Attaches a client, which is called at each change; returns the function that detaches it, or `undefined` if it is full. */
  attach(onChange: () => void): (() => void) | undefined {
    if (this.#clients.size >= maxTerminalClients) return undefined
    this.#clients.add(onChange)
    this.#changed()
    return () => {
      if (this.#clients.delete(onChange)) this.#changed()
    }
  }

  /** Takes the process of the command; a size that was requested before its start is applied. */
  start(process: StartedProcess): void {
    this.#process = process
    if (this.#size.cols !== this.options.cols || this.#size.rows !== this.options.rows) process.resize?.(this.#size)
  }

  /** Changes the size. The last request counts, whichever client it comes from. */
  resize(size: TerminalSize): void {
    if (this.#closed || (size.cols === this.#size.cols && size.rows === this.#size.rows)) return
    this.#size = size
    this.#process?.resize?.(size)
    this.#changed()
  }

  /** Signals the command. Returns `false` if it has not started, or if its leaf has no signals. */
  signal(name: string): boolean {
    if (this.#closed || this.#process?.kill === undefined) return false
    this.#process.kill(name)
    return true
  }

  /** The command has ended: it is neither resized nor signalled any more. */
  close(): void {
    this.#closed = true
    this.#process = undefined
  }

  #changed(): void {
    for (const notify of this.#clients) notify()
  }
}
