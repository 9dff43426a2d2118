/**
 * Stores the signal dispositions of a process and runs its pending handlers.
 *
 * Source: signal(7).
 *
 * @module
 */
import { type Disposition, Signal } from "../System.ts"

/** Signals that by default do nothing; among them those that stop, which the kernel cannot do. */
const harmless: ReadonlySet<number> = new Set([
  Signal.SIGCHLD,
  Signal.SIGCONT,
  Signal.SIGSTOP,
  Signal.SIGTSTP,
  Signal.SIGTTIN,
  Signal.SIGTTOU,
  Signal.SIGURG,
  Signal.SIGWINCH,
])

/** Dispositions, and handlers that have yet to run. */
export class Signals {
  readonly #dispositions = new Map<number, Disposition>()
  #pending: Array<number> = []

  /** Signals that are ignored from the start. */
  constructor(ignored: Iterable<number>) {
    for (const signal of ignored) this.set(signal, "ignore")
  }

  /** What is ignored, for children. */
  get ignored(): ReadonlyArray<number> {
    return [...this.#dispositions].flatMap(([signal, disposition]) => disposition === "ignore" ? [signal] : [])
  }

  get(signal: number): Disposition {
    return this.#dispositions.get(signal) ?? "default"
  }

  set(signal: number, disposition: Disposition): Disposition {
    const old = this.get(signal)
    if (signal === Signal.SIGKILL || signal === Signal.SIGSTOP) return old
    if (disposition === "default") this.#dispositions.delete(signal)
    else this.#dispositions.set(signal, disposition)
    return old
  }

  /** A signal comes: what is to be done now. A handler that has yet to run for it runs once. */
  receive(signal: number): "nothing" | "end" | "handle" {
    const disposition = this.get(signal)
    if (disposition === "ignore" || (disposition === "default" && harmless.has(signal))) return "nothing"
    if (disposition === "default") return "end"
    if (!this.#pending.includes(signal)) this.#pending.push(signal)
    return "handle"
  }

  /** Runs the handlers that have yet to run. What they send themselves is for the next time. */
  run(): void {
    const pending = this.#pending
    this.#pending = []
    for (const signal of pending) {
      const disposition = this.get(signal)
      if (typeof disposition === "function") disposition()
    }
  }
}
