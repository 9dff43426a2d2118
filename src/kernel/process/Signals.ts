/** Stores the signal dispositions of a process, and runs its pending handlers. Source: signal(7). */
import { type Disposition, Signal } from "../System.ts"

/** Signals that are ignored by default, including those that stop a process, which the kernel cannot do. */
const ignoredByDefault: ReadonlySet<number> = new Set([
  Signal.SIGCHLD,
  Signal.SIGCONT,
  Signal.SIGSTOP,
  Signal.SIGTSTP,
  Signal.SIGTTIN,
  Signal.SIGTTOU,
  Signal.SIGURG,
  Signal.SIGWINCH,
])

export class Signals {
  readonly #dispositions = new Map<number, Disposition>()
  #pending: Array<number> = []

  /** `ignored`: signals that are ignored from the start. */
  constructor(ignored: Iterable<number>) {
    for (const signal of ignored) this.set(signal, "ignore")
  }

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

  /** Receives a signal and returns what to do. A pending handler runs once, however often its signal was sent. */
  receive(signal: number): "nothing" | "end" | "handle" {
    const disposition = this.get(signal)
    if (disposition === "ignore" || (disposition === "default" && ignoredByDefault.has(signal))) return "nothing"
    if (disposition === "default") return "end"
    if (!this.#pending.includes(signal)) this.#pending.push(signal)
    return "handle"
  }

  /** Runs the pending handlers. Signals that they send to their own process stay pending. */
  run(): void {
    const pending = this.#pending
    this.#pending = []
    for (const signal of pending) {
      const disposition = this.get(signal)
      if (typeof disposition === "function") disposition()
    }
  }
}
