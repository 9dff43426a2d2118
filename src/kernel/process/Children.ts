/**
 * The children of a process: those that live, those that ended and are not waited for, and the waits for both.
 *
 * Source: wait(2).
 *
 * @module
 */
import { Errno } from "../Errno.ts"
import type { Pid, WaitStatus } from "../System.ts"
import { type AbortableWait, Wait } from "./Wait.ts"

interface ChildWait {
  readonly pid: Pid
  readonly wait: Wait<WaitStatus | number>
  /** The child is not forgotten: another call asks how it ended. */
  readonly keep: boolean
}

/** A pid that is not positive means any child. */
export class Children {
  readonly #among: Set<AbortableWait>
  readonly #forget: (pid: Pid) => void
  readonly #living = new Set<Pid>()
  readonly #ended = new Map<Pid, WaitStatus>()
  #waits: Array<ChildWait> = []

  /** `forget` takes a child that was waited for out of the kernel's table. */
  constructor(among: Set<AbortableWait>, forget: (pid: Pid) => void) {
    this.#among = among
    this.#forget = forget
  }

  adopt(pid: Pid): void {
    this.#living.add(pid)
  }

  /** How a child ended, without forgetting it: `-ECHILD` when there is none, `undefined` while it lives. */
  peek(pid: Pid): WaitStatus | number | undefined {
    if (pid > 0) return this.#ended.get(pid) ?? (this.#living.has(pid) ? undefined : -Errno.ECHILD)
    for (const status of this.#ended.values()) return status
    return this.#living.size > 0 ? undefined : -Errno.ECHILD
  }

  /** As {@link peek}, and forgets a child that has ended. */
  take(pid: Pid): WaitStatus | number | undefined {
    const status = this.peek(pid)
    if (typeof status === "object") this.#reap(status.pid)
    return status
  }

  /** Waits for a child that lives, and forgets it unless it is to be kept. */
  whenEnded(pid: Pid, interrupted?: number, keep: boolean = false): Promise<WaitStatus | number> {
    const wait = new Wait<WaitStatus | number>(this.#among, interrupted)
    const entry: ChildWait = { pid, wait, keep }
    wait.stop = () => void (this.#waits = this.#waits.filter((other) => other !== entry))
    this.#waits.push(entry)
    return wait.promise
  }

  /** A child has ended. Where nobody wants to know, it is forgotten unless somebody waits. */
  ended(status: WaitStatus, unwanted: boolean): void {
    this.#living.delete(status.pid)
    const waiting = this.#waits.find(({ pid }) => pid <= 0 || pid === status.pid)
    if (waiting === undefined ? unwanted : !waiting.keep) this.#forget(status.pid)
    else this.#ended.set(status.pid, status)
    waiting?.wait.finish(status)
    for (const { pid, wait } of [...this.#waits]) if (this.peek(pid) === -Errno.ECHILD) wait.finish(-Errno.ECHILD)
  }

  /** Those that ended are forgotten, those that live are given away. */
  leave(): ReadonlyArray<Pid> {
    for (const pid of [...this.#ended.keys()]) this.#reap(pid)
    const living = [...this.#living]
    this.#living.clear()
    return living
  }

  #reap(pid: Pid): void {
    this.#ended.delete(pid)
    this.#forget(pid)
  }
}
