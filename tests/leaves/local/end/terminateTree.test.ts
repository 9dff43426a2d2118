/** The end of a tree on a machine that is made up: who slips through a look, and who cannot be killed. */
import { expect, it, vi } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { procTable } from "../../../../src/leaves/local/end/ProcessTable.ts"
import { terminateTree } from "../../../../src/leaves/local/end/terminateTree.ts"
import type { ProcessTree } from "../../../../src/leaves/local/end/TreeMembers.ts"

const marker = "sluice-x.1-abc"

interface Mortal {
  readonly parent: number
  /** `undefined`: it may not be read. `"starting"`: it is in the middle of execve(2). */
  environment: string | undefined
  readonly survives?: boolean
  readonly state?: string
}

/** A `/proc` of processes that the test makes. */
class Machine {
  readonly living: Map<number, Mortal> = new Map([[1, { parent: 0, environment: "HOME=/" }]])
  readonly killed: Array<number> = []
  #lastId = 100
  /** Called before each read. */
  onRead: (path: string) => void = () => {}

  add(mortal: Mortal): number {
    this.living.set(++this.#lastId, mortal)
    return this.#lastId
  }

  readonly #stat = (pid: number): string | undefined => {
    const mortal = this.living.get(pid)
    if (mortal === undefined) return undefined
    const fields = Array.from({ length: 50 }, () => "0")
    ;[fields[0], fields[1], fields[2], fields[19]] = [mortal.state ?? "S", String(mortal.parent), String(pid), "7"]
    fields[48] = mortal.environment === "starting" ? "0" : "140"
    return `${pid} (sh) ${fields.join(" ")}`
  }

  readonly table = procTable({
    readNames: () => [...[...this.living.keys()].map(String), "self"],
    readText: (path) => {
      this.onRead(path)
      if (path === "/proc/sys/kernel/ns_last_pid") return `${this.#lastId}\n`
      const [, , name = "", file] = path.split("/")
      const mortal = this.living.get(Number(name))
      if (mortal === undefined) return undefined
      if (file === "stat") return this.#stat(Number(name))
      if (file === "status") return `Name:\tsh\nTgid:\t${name}\n`
      return mortal.environment === "starting" ? "" : mortal.environment
    },
  })

  tree(root?: number): ProcessTree {
    return {
      marker,
      roots: () => root === undefined ? [] : [root],
      table: this.table,
      signal: (pids, name) => {
        for (const pid of pids) {
          if (name !== "SIGKILL" || this.living.get(pid)?.survives === true) continue
          if (this.living.delete(pid)) this.killed.push(pid)
        }
        return Promise.resolve()
      },
    }
  }
}

const marked = `A=1\0SLUICE_RUN=${marker}`
const end = (machine: Machine, root?: number) => terminateTree(machine.tree(root), Duration.millis(1))

it.live("ends a process that started during the scan and whose parent had ended", () =>
  Effect.gen(function* () {
    const machine = new Machine()
    const first = machine.add({ parent: 1, environment: marked })
    let hops = 0
    // It starts the next and is gone, whenever its environment would be read.
    let now = first
    machine.onRead = (path) => {
      if (path !== `/proc/${now}/environ` || hops >= 20) return
      hops++
      machine.living.delete(now)
      now = machine.add({ parent: 1, environment: marked })
    }
    expect(yield* end(machine)).toEqual([])
    expect([...machine.living.keys()]).toEqual([1])
    expect(hops).toBe(20)
  }))

it.live("waits for the environment of a process within execve", () =>
  Effect.gen(function* () {
    const machine = new Machine()
    const starting: Mortal = { parent: 1, environment: "starting" }
    const pid = machine.add(starting)
    let reads = 0
    machine.onRead = (path) => {
      if (path === `/proc/${pid}/environ` && ++reads === 5) starting.environment = marked
    }
    expect(yield* end(machine)).toEqual([])
    expect(machine.killed).toEqual([pid])
  }))

it.live("ignores a process whose environment is empty or unreadable", () =>
  Effect.gen(function* () {
    const machine = new Machine()
    machine.add({ parent: 1, environment: "" })
    machine.add({ parent: 1, environment: undefined })
    machine.add({ parent: 1, environment: "starting", state: "Z" })
    expect(yield* end(machine)).toEqual([])
    expect(machine.killed).toEqual([])
  }))

it.live("does not wait forever for a process without an environment", () =>
  Effect.gen(function* () {
    const machine = new Machine()
    machine.add({ parent: 1, environment: "starting" })
    expect(yield* end(machine)).toEqual([])
    expect(machine.killed).toEqual([])
  }))

it.live("returns the processes that cannot be killed", () =>
  Effect.gen(function* () {
    const machine = new Machine()
    const root = machine.add({ parent: 1, environment: marked })
    const stuck = machine.add({ parent: root, environment: undefined, survives: true })
    const child = machine.add({ parent: stuck, environment: "" })
    expect(yield* end(machine, root)).toEqual([stuck])
    expect(machine.killed.toSorted()).toEqual([root, child])
  }))

it("lists the ids that were assigned since, also after a wraparound", () => {
  let last = 95
  const { sync } = procTable({
    readNames: () => ["1"],
    readText: (path) =>
      path === "/proc/sys/kernel/ns_last_pid" ? `${last}\n` : path === "/proc/sys/kernel/pid_max" ? "100\n" : undefined,
  })
  const arrivals = sync.watch()
  expect(arrivals().at(-1)).toBe(95)
  last = 97
  expect(arrivals()).toEqual([96, 97])
  expect(arrivals()).toEqual([])
  last = 2
  expect(arrivals()).toEqual([98, 99, 100, 1, 2])
})

it("notices new processes without a counter of ids, by a listing", () => {
  const names = ["1", "2"]
  const { sync } = procTable({ readNames: () => names, readText: () => undefined })
  const arrivals = sync.watch()
  names.push("9")
  expect(arrivals()).toEqual([9])
  expect(arrivals()).toEqual([])
})

it.live("leaves no process stopped when it gives up on a tree that forks faster than it is killed", () =>
  Effect.gen(function* () {
    const machine = new Machine()
    machine.add({ parent: 1, environment: marked })
    machine.onRead = (path) => {
      // Each look at a process finds that it has started another.
      if (path.endsWith("/environ") && machine.living.size < 5_000) machine.add({ parent: 1, environment: marked })
    }
    const stopped = new Set<number>()
    const tree = machine.tree()
    const watched: ProcessTree = {
      ...tree,
      signal: (pids, name) => {
        if (name === "SIGSTOP") { for (const pid of pids) stopped.add(pid) }
        return tree.signal(pids, name)
      },
    }
    // Half a second passes between two looks at the clock.
    let now = 0
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now += 500)
    yield* Effect.ensuring(
      terminateTree(watched, Duration.millis(1)),
      Effect.sync(() => clock.mockRestore()),
    )
    expect(stopped.size).toBeGreaterThan(1)
    expect([...stopped].filter((pid) => machine.living.has(pid))).toEqual([])
  }))
