/** Tracks the exit of a process of the spawner, and ends it with its process group and descendants. */
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { KillOptions } from "effect/process/ChildProcess"
import { completeLater } from "../../../base/waits.ts"
import type { ExitStatus } from "../../../shell/SpawnedProcess.ts"
import type { Host, HostProcess } from "../../../host/Host.ts"
import type { Terminator } from "../end/Terminator.ts"
import { killMembers } from "../end/terminateTree.ts"
import { type ProcessTree, TreeMembers } from "../end/TreeMembers.ts"
import { pause, waitUntil } from "../../../host/waitRealTime.ts"

/** The reason for which nothing was ended: no process is left, permission is denied, or the signal is unknown. */
export type KillRefusal = "gone" | "denied" | "unknown"

export interface ChildTreeOptions {
  readonly host: Host
  readonly terminator: Terminator
  readonly process: HostProcess
  /** Text in the environment of the process and its descendants. */
  readonly marker: string
  /** Whether the process leads a process group of its own. */
  readonly ownsGroup: boolean
  /** The signal for its group after it has failed. */
  readonly killSignal: string
}

/** Grace period of descendants that outlive the process. */
const graceMillis = 1_000

const signalAll = async (tree: ProcessTree, pids: ReadonlyArray<number>, signal: string): Promise<void> => {
  if (pids.length > 0) await tree.signal(pids, signal)
}

const forceMillis = ({ forceKillAfter }: KillOptions): number | undefined =>
  forceKillAfter === undefined ? undefined : Duration.toMillis(Duration.fromInputUnsafe(forceKillAfter))

/**
 * Ends whole trees, otherwise like Effect's Node spawner: the signal goes to the process group at once, and to
 * descendants that left the group. The process may take `forceKillAfter`, or any time without that option; the others
 * may take a second more; then the rest is killed. Processes that start after the signal do not get it (they may clean
 * up).
 *
 * If a process has ended by itself, its remaining group is ended in the same way. A daemon in a session of its own is
 * not in the group and continues.
 */
export class ChildTree {
  readonly #options: ChildTreeOptions
  readonly #exited = Deferred.makeUnsafe<ExitStatus>()
  #status: ExitStatus | undefined
  #mayLeaveGroup = false

  constructor(options: ChildTreeOptions) {
    this.#options = options
    options.process.onExit((status) => {
      this.#status = status
      if (options.ownsGroup) {
        this.#mayLeaveGroup = true
        // The process has failed, so its remaining processes are not needed.
        if (this.hasFailed) void this.#signalGroup(options.killSignal)
        // At once, because the number of an empty group may be reused.
        if (options.host.signal?.(-options.process.pid, 0) === "gone") this.#mayLeaveGroup = false
      }
      completeLater(this.#exited, Exit.succeed(status))
    })
  }

  /** Its exit status; `undefined` while it runs. */
  get status(): ExitStatus | undefined {
    return this.#status
  }

  /** Whether it has ended with an exit code other than 0. */
  get hasFailed(): boolean {
    return this.#status !== undefined && this.#status.signal === undefined && this.#status.exitCode !== 0
  }

  /** Waits for its end. */
  get exited(): Effect.Effect<ExitStatus> {
    return Deferred.await(this.#exited)
  }

  /** Ends the process and its tree, or its remaining group. */
  end(options: KillOptions): Effect.Effect<void, KillRefusal> {
    return Effect.suspend(() => {
      const { host } = this.#options
      const signal = options.killSignal ?? "SIGTERM"
      if (host.os === "windows") return this.#endOnWindows()
      if (this.#status !== undefined) return this.#endGroup(signal, forceMillis(options) ?? graceMillis)
      const tree = this.#tree()
      return tree === undefined
        ? this.#endUnseen(signal, forceMillis(options))
        : this.#endTree(tree, signal, forceMillis(options))
    })
  }

  #tree(): ProcessTree | undefined {
    const { host, ownsGroup, process: { pid }, process, marker, terminator } = this.#options
    const tree = terminator.treeOf?.(process, marker, () => this.#status !== undefined)
    return tree === undefined ? undefined : {
      ...tree,
      // A process has the number of a reaped one, so the group was empty in between.
      group: () => !ownsGroup || (this.#status !== undefined && host.signal?.(pid, 0) === "sent") ? undefined : pid,
    }
  }

  /** Signals the group if there is one, otherwise the process alone. */
  async #sendSignal(tree: ProcessTree | undefined, signal: string): Promise<"sent" | KillRefusal> {
    const { host, ownsGroup, process } = this.#options
    const { pid } = process
    if (host.signal !== undefined) {
      if (ownsGroup && host.signal(-pid, signal) === "sent") return "sent"
      const sent = this.#status === undefined ? host.signal(pid, signal) : "gone"
      return sent === "denied" && host.signal(pid, 0) === "sent" ? "unknown" : sent
    }
    if (tree === undefined) process.kill(signal)
    else await signalAll(tree, ownsGroup ? await this.#groupOf(tree) : [pid], signal)
    return "sent"
  }

  async #groupOf({ table }: ProcessTree): Promise<ReadonlyArray<number>> {
    const { pid } = this.#options.process
    return Array.from((await table.living()).values()).filter(({ group }) => group === pid).map((entry) => entry.pid)
  }

  #endTree(tree: ProcessTree, signal: string, forceAfter: number | undefined): Effect.Effect<void, KillRefusal> {
    const { ownsGroup, process: { pid } } = this.#options
    const members = new TreeMembers(tree)
    return Effect.gen({ self: this }, function* () {
      const { outside } = yield* Effect.promise(() => members.search())
      const sent = yield* Effect.promise(() => this.#sendSignal(tree, signal))
      // The process has ended; its exit is reported in a moment.
      if (sent === "denied" || sent === "unknown") return yield* Effect.fail(sent)
      const outsiders = outside.filter((other) => other !== pid)
      if (ownsGroup) yield* Effect.promise(() => signalAll(tree, outsiders, signal))
      let isSignalled = ownsGroup
      const allGone = Effect.promise(async () => {
        const { alive } = await members.search()
        if (!isSignalled && this.#status !== undefined) {
          // Without a group only the process itself got the signal, so that it can end its children itself.
          isSignalled = true
          await signalAll(tree, alive, signal)
        }
        return alive.length === 0
      })
      if (forceAfter === undefined) yield* this.exited
      if (!(yield* waitUntil(allGone, forceAfter ?? graceMillis))) yield* killMembers(tree, members)
      yield* this.exited
    })
  }

  /** Ends the group, or the process alone, where other processes cannot be read. */
  #endUnseen(signal: string, forceAfter: number | undefined): Effect.Effect<void, KillRefusal> {
    return Effect.gen({ self: this }, function* () {
      const sent = yield* Effect.promise(() => this.#sendSignal(undefined, signal))
      if (sent === "denied" || sent === "unknown") return yield* Effect.fail(sent)
      if (forceAfter !== undefined) {
        yield* Effect.raceFirst(this.exited, pause(forceAfter))
        if (this.#status === undefined) yield* Effect.promise(() => this.#sendSignal(undefined, "SIGKILL"))
      }
      yield* this.exited
      yield* Effect.ignore(this.#endGroup(signal, graceMillis))
    })
  }

  /** Ends the tree at once on Windows, which has no signals: by its job, or while its root is alive. */
  #endOnWindows(): Effect.Effect<void> {
    const { marker, process, terminator } = this.#options
    const hasExited = (): boolean => this.#status !== undefined
    if (hasExited()) return Effect.void
    return Effect.andThen(terminator.terminate(process, marker, hasExited, Duration.zero), Effect.asVoid(this.exited))
  }

  /** Ends the remaining group of a process that has ended. */
  #endGroup(signal: string, millis: number): Effect.Effect<void, KillRefusal> {
    const isGone = Effect.promise(async () => !await this.#groupIsLeft())
    return Effect.gen({ self: this }, function* () {
      if (yield* isGone) return yield* Effect.fail("gone" as const)
      for (const [each, wait] of [[signal, millis], ["SIGKILL", graceMillis]] as const) {
        yield* Effect.promise(() => this.#signalGroup(each))
        if (yield* waitUntil(isGone, wait)) return
      }
    })
  }

  async #signalGroup(signal: string): Promise<void> {
    const { host, process: { pid } } = this.#options
    if (host.signal !== undefined) return void host.signal(-pid, signal)
    const tree = this.#tree()
    if (tree !== undefined) await signalAll(tree, await this.#groupOf(tree), signal)
  }

  /** Whether processes of the group are alive. Zombies are not: in a container they may never be reaped. */
  async #groupIsLeft(): Promise<boolean> {
    if (!this.#mayLeaveGroup) return false
    const { host, process: { pid } } = this.#options
    const tree = this.#tree()
    this.#mayLeaveGroup = host.signal?.(-pid, 0) !== "gone"
    if (this.#mayLeaveGroup) {
      if (tree === undefined) return host.signal?.(pid, 0) === "gone"
      const living = await tree.table.living()
      this.#mayLeaveGroup = !living.has(pid) && living.values().some(({ group }) => group === pid)
    }
    return this.#mayLeaveGroup
  }
}
