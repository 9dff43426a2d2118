/**
 * Whom a process's end reaches, on a machine that is made up: numbers that were given to others, signals that are
 * forbidden, invisible processes.
 */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type { ExitStatus } from "../../../../src/shell/SpawnedProcess.ts"
import { findHost } from "../../../../src/host/findHost.ts"
import type { Host, HostProcess } from "../../../../src/host/Host.ts"
import type { ProcessEntry } from "../../../../src/leaves/local/end/ProcessTable.ts"
import type { Terminator } from "../../../../src/leaves/local/end/Terminator.ts"
import { ChildTree } from "../../../../src/leaves/local/spawner/ChildTree.ts"

const pid = 1_000

interface Machine {
  readonly living: Map<number, ProcessEntry>
  /** What it answers when a process is signalled. */
  answer: "sent" | "denied"
  /** Whether it knows the signal. */
  knows: boolean
  readonly sent: Array<readonly [pid: number, signal: string | 0]>
}

const entry = (pid: number, parent: number, group: number): [number, ProcessEntry] => [
  pid,
  { pid, parent, group, started: String(pid) },
]

const setUp = ({ seen = true, ownsGroup = true }: { readonly seen?: boolean; readonly ownsGroup?: boolean } = {}) => {
  const machine: Machine = {
    living: new Map([entry(pid, 1, ownsGroup ? pid : 7)]),
    answer: "sent",
    knows: true,
    sent: [],
  }
  const there = (id: number) =>
    id < 0 ? machine.living.values().some(({ group }) => group === -id) : machine.living.has(id)
  const signal: Host["signal"] = (id, name) => {
    if (name !== 0) machine.sent.push([id, name])
    if (!there(id)) return "gone"
    if (name === 0) return machine.answer
    if (!machine.knows) return "denied"
    if (machine.answer === "denied") return "denied"
    if (name === "SIGKILL") {
      for (const each of [...machine.living.values()]) {
        if (each.pid === id || each.group === -id) machine.living.delete(each.pid)
      }
    }
    return "sent"
  }
  const here = findHost()
  if (here === undefined) throw new Error("no host")
  const host: Host = { ...here, os: "linux", signal }
  let onExit: (status: ExitStatus) => void = () => {}
  const process: HostProcess = {
    pid,
    stdin: undefined,
    stdout: undefined,
    stderr: undefined,
    onExit: (done) => {
      onExit = done
    },
    kill: () => {},
    setRef: () => {},
  }
  const terminator: Terminator = {
    groupKill: "native",
    escapees: true,
    terminate: () => Effect.succeed([]),
    endSync: () => {},
    treeOf: seen
      ? (process, marker, rootGone) => ({
        roots: () => rootGone() ? [] : [process.pid],
        marker,
        table: {
          living: () => Promise.resolve(new Map(machine.living)),
          marked: () => Promise.resolve([]),
        },
        signal: (pids, name) => {
          for (const each of pids) signal(each, name)
          return Promise.resolve()
        },
      })
      : undefined,
  }
  const tree = new ChildTree({ host, terminator, process, marker: "mark", ownsGroup, killSignal: "SIGINT" })
  const exit = (status: ExitStatus): void => {
    machine.living.delete(pid)
    onExit(status)
  }
  return { machine, tree, exit }
}

it.live("sends no signal once the process and its group are gone", () =>
  Effect.gen(function* () {
    const { exit, machine, tree } = setUp()
    exit({ exitCode: 0 })
    // Its number was given to another, who led a group, and has gone as well.
    machine.living.set(...entry(1_005, 1, pid))
    expect(yield* Effect.flip(tree.end({}))).toBe("gone")
    expect(machine.sent).toEqual([])
  }))

it.live("does not signal a group whose id was reused", () =>
  Effect.gen(function* () {
    const { exit, machine, tree } = setUp()
    machine.living.set(...entry(1_001, pid, pid))
    exit({ exitCode: 0 })
    machine.living.delete(1_001)
    machine.living.set(...entry(pid, 1, pid))
    expect(yield* Effect.flip(tree.end({}))).toBe("gone")
    expect(machine.sent).toEqual([])
  }))

it.live("signals the rest of the group, and kills it after a second", () =>
  Effect.gen(function* () {
    const { exit, machine, tree } = setUp()
    machine.living.set(...entry(1_001, pid, pid))
    exit({ exitCode: 0 })
    expect(machine.sent).toEqual([])
    yield* tree.end({ killSignal: "SIGHUP" })
    expect(machine.sent).toEqual([[-pid, "SIGHUP"], [-pid, "SIGKILL"]])
    expect(yield* Effect.flip(tree.end({}))).toBe("gone")
  }))

it("signals the group at once when the process fails, and not when it ends well or by a signal", () => {
  const ends = [{ exitCode: 3 }, { exitCode: 0 }, { exitCode: 143, signal: "SIGTERM" }]
  const sent = ends.map((status) => {
    const { exit, machine } = setUp()
    machine.living.set(...entry(1_001, pid, pid))
    exit(status)
    return machine.sent
  })
  expect(sent).toEqual([[[-pid, "SIGINT"]], [], []])
})

it.live("has no group to signal when it does not lead one", () =>
  Effect.gen(function* () {
    const { exit, machine, tree } = setUp({ ownsGroup: false })
    machine.living.set(...entry(1_001, pid, 7))
    exit({ exitCode: 3 })
    expect(yield* Effect.flip(tree.end({}))).toBe("gone")
    expect(machine.sent).toEqual([])
  }))

it.live("reports a forbidden operation and an unknown signal", () =>
  Effect.gen(function* () {
    const forbidden = setUp()
    forbidden.machine.answer = "denied"
    expect(yield* Effect.flip(forbidden.tree.end({}))).toBe("denied")
    const unknown = setUp()
    unknown.machine.knows = false
    expect(yield* Effect.flip(unknown.tree.end({ killSignal: "SIGLOST" }))).toBe("unknown")
  }))

it.live("terminates the group, then processes outside it, once, and kills the rest at the end of the grace", () =>
  Effect.gen(function* () {
    const { exit, machine, tree } = setUp()
    machine.living.set(...entry(1_001, pid, pid))
    machine.living.set(...entry(1_002, pid, 1_002))
    const ended = yield* Effect.forkChild(tree.end({ forceKillAfter: 30 }), { startImmediately: true })
    while (machine.living.size > 0) yield* Effect.sleep(5)
    exit({ exitCode: 137, signal: "SIGKILL" })
    yield* Fiber.join(ended)
    const asked = machine.sent.filter(([, name]) => name === "SIGTERM")
    expect(asked).toEqual([[-pid, "SIGTERM"], [1_002, "SIGTERM"]])
    const killed = machine.sent.filter(([, name]) => name === "SIGKILL").map(([id]) => id).toSorted((a, b) => a - b)
    expect(killed).toEqual([pid, 1_001, 1_002])
  }))

it.live("signals the group if processes cannot be listed", () =>
  Effect.gen(function* () {
    const { exit, machine, tree } = setUp({ seen: false })
    const dying = Effect.delay(Effect.sync(() => exit({ exitCode: 143, signal: "SIGTERM" })), "20 millis")
    yield* Effect.all([tree.end({}), dying], { concurrency: "unbounded" })
    expect(machine.sent).toEqual([[-pid, "SIGTERM"]])
  }))
