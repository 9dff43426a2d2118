/** Tracks the children of a process and resolves its waits for them. Source: wait(2). */
import { Errno } from "../Errno.ts"
import type { Pid, WaitStatus } from "../System.ts"
import type { ProcessWaits } from "./ProcessWaits.ts"
import { Wait } from "./Wait.ts"

interface ChildWait {
  readonly pid: Pid
  readonly wait: Wait<WaitStatus | number>
  /** Keeps the ended child in the table: another call takes its status. */
  readonly keep: boolean
}

/** The children of one process. A pid that is not positive means any child. */
export class Children {
  readonly #among: ProcessWaits
  readonly #forget: (pid: Pid) => void
  readonly #living = new Set<Pid>()
  readonly #ended = new Map<Pid, WaitStatus>()
  #waits: Array<ChildWait> = []

  /** `forget` removes a child that was waited for from the kernel's table. */
  constructor(among: ProcessWaits, forget: (pid: Pid) => void) {
    this.#among = among
    this.#forget = forget
  }

  adopt(pid: Pid): void {
    this.#living.add(pid)
  }

  /** Returns the status of an ended child and keeps it; `-ECHILD` if there is none, `undefined` while it lives. */
  peek(pid: Pid): WaitStatus | number | undefined {
    if (pid > 0) return this.#ended.get(pid) ?? (this.#living.has(pid) ? undefined : -Errno.ECHILD)
    for (const status of this.#ended.values()) return status
    return this.#living.size > 0 ? undefined : -Errno.ECHILD
  }

  /** As {@link peek}, and removes an ended child. */
  take(pid: Pid): WaitStatus | number | undefined {
    const status = this.peek(pid)
    if (typeof status === "object") this.#reap(status.pid)
    return status
  }

  /** Waits for a living child, and removes it unless `keep`. */
  whenEnded(pid: Pid, interrupted?: number, keep: boolean = false): Promise<WaitStatus | number> {
    const wait = new Wait<WaitStatus | number>(this.#among, interrupted)
    const entry: ChildWait = { pid, wait, keep }
    wait.stop = () => void (this.#waits = this.#waits.filter((other) => other !== entry))
    this.#waits.push(entry)
    return wait.promise
  }

  /** Records that a child has ended. If its parent ignores SIGCHLD (`unwanted`), it is removed unless a wait is pending. */
  ended(status: WaitStatus, unwanted: boolean): void {
    this.#living.delete(status.pid)
    const waiting = this.#waits.find(({ pid }) => pid <= 0 || pid === status.pid)
    if (waiting === undefined ? unwanted : !waiting.keep) this.#forget(status.pid)
    else this.#ended.set(status.pid, status)
    waiting?.wait.finish(status)
    for (const { pid, wait } of [...this.#waits]) if (this.peek(pid) === -Errno.ECHILD) wait.finish(-Errno.ECHILD)
  }

  /** Removes the ended children and returns the living ones, which become orphans. */
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
