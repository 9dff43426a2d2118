/** Whom the end of what is left reaches, on a machine that is made up. */
import { expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { endOrphans } from "../../../../src/leaves/local/end/endOrphans.ts"
import { addLiveMarker, removeLiveMarker } from "../../../../src/leaves/local/end/liveMarkers.ts"
import type { Marker, ProcessEntry } from "../../../../src/leaves/local/end/ProcessTable.ts"
import { newMarker } from "../../../../src/host/runMarker.ts"

const self = 50

interface Mortal extends ProcessEntry {
  readonly environment: string
  readonly survives: ReadonlyArray<string>
}

interface Events {
  /** At each scan of all processes, counted from 1. */
  readonly onLook?: (looks: number, living: Map<number, Mortal>) => void
  /** Before new processes are searched for; without it they cannot be. */
  readonly onPursuit?: (living: Map<number, Mortal>) => void
}

const setUp = ({ onLook, onPursuit }: Events = {}) => {
  const living = new Map<number, Mortal>()
  const sent: Array<readonly [pid: number, signal: string]> = []
  let looks = 0
  const carries = (pid: number, marker: Marker, others: ReadonlyArray<string>): boolean => {
    const { environment = "" } = living.get(pid) ?? {}
    return [marker].flat().some((each) => environment.includes(each)) &&
      !others.some((other) => environment.includes(other))
  }
  return {
    sent,
    add: (pid: number, parent: number, environment: string, survives: ReadonlyArray<string> = [], started = "1") =>
      living.set(pid, { pid, parent, group: 1, started, environment, survives }),
    end: (commandId: string, hostPid?: number) =>
      endOrphans(
        {
          table: {
            living: () => {
              onLook?.(++looks, living)
              return Promise.resolve(new Map(living))
            },
            marked: (pids, marker, others) => Promise.resolve(pids.filter((pid) => carries(pid, marker, others))),
            sync: onPursuit === undefined ? undefined : {
              living: () => {
                onLook?.(++looks, living)
                return new Map(living)
              },
              watch: () => {
                const seen = new Set(living.keys())
                return () => {
                  onPursuit(living)
                  const fresh = [...living.keys()].filter((pid) => !seen.has(pid))
                  for (const pid of fresh) seen.add(pid)
                  return fresh
                }
              },
              entry: (pid) => living.get(pid),
              isProcess: () => true,
              isMarked: carries,
            },
          },
          signal: (pids, signal) => {
            for (const pid of pids) {
              sent.push([pid, signal])
              if (signal === "SIGTERM" || signal === "SIGKILL") {
                if (living.get(pid)?.survives.includes(signal) === false) living.delete(pid)
              }
            }
            return Promise.resolve()
          },
        },
        self,
        commandId,
        Duration.millis(30),
        hostPid,
      ),
    there: () => [...living.keys()],
  }
}

it.live("ends processes with the marker of the id and their descendants, and reports them", () =>
  Effect.gen(function* () {
    const { add, end, there } = setUp()
    add(10, 1, `SLUICE_RUN=${newMarker("lost")}`)
    add(11, 10, "")
    add(12, 1, `SLUICE_RUN=sluice-outer:${newMarker("lost")}:${newMarker("inner")}`, ["SIGTERM"])
    add(13, 1, `SLUICE_RUN=${newMarker("lost2")}`)
    add(14, 1, "")
    add(self, 1, "")
    const { ended, survivors: left, pids } = yield* end("lost")
    expect([ended, pids.toSorted(), left]).toEqual([3, [10, 11, 12], []])
    expect(there()).toEqual([13, 14, self])
  }))

it.live("ends only processes that the lost process started, where that is known: others may have used the same id", () =>
  Effect.gen(function* () {
    const { add, end, there } = setUp()
    add(10, 1, `SLUICE_RUN=${newMarker("mine", 700)}`)
    add(11, 1, `SLUICE_RUN=${newMarker("mine", 7_000)}`)
    add(12, 1, `SLUICE_RUN=${newMarker("mine", 701)}`)
    expect((yield* end("mine", 700)).pids).toEqual([10])
    expect(there()).toEqual([11, 12])
    expect((yield* end("mine")).pids.toSorted()).toEqual([11, 12])
  }))

it.live("sends no signal if no process is left", () =>
  Effect.gen(function* () {
    const { add, end, sent } = setUp()
    add(13, 1, `SLUICE_RUN=${newMarker("other")}`)
    expect(yield* end("lost")).toEqual({ ended: 0, pids: [], survivors: [] })
    expect(sent).toEqual([])
  }))

it.live("does not signal a process that reused an id", () =>
  Effect.gen(function* () {
    // It goes between the first look and the next, and another has its number then.
    const { add, end, sent, there } = setUp({
      onLook: (looks, living) => {
        const entry = living.get(10)
        if (looks === 2 && entry !== undefined) living.set(10, { ...entry, environment: "", started: "2" })
      },
    })
    add(10, 1, `SLUICE_RUN=${newMarker("lost")}`)
    expect(yield* end("lost")).toMatchObject({ survivors: [] })
    expect([sent, there()]).toEqual([[], [10]])
  }))

it.live("leaves the runs of this process alone while they last", () =>
  Effect.gen(function* () {
    const { add, end, there } = setUp()
    const mine = newMarker("lost")
    addLiveMarker(mine)
    add(10, 1, `SLUICE_RUN=${mine}`)
    add(11, 1, `SLUICE_RUN=${newMarker("lost")}`)
    expect((yield* end("lost")).pids).toEqual([11])
    expect(there()).toEqual([10])
    removeLiveMarker(mine)
    expect((yield* end("lost")).pids).toEqual([10])
  }))

it.live("distinguishes new processes of a live run from processes of the lost run", () =>
  Effect.gen(function* () {
    const mine = newMarker("lost")
    addLiveMarker(mine)
    const newcomer = { parent: 1, group: 1, started: "2", survives: [] }
    const { add, end, there } = setUp({
      onPursuit: (living) => {
        if (living.has(20)) return
        living.set(20, { ...newcomer, pid: 20, environment: `SLUICE_RUN=${mine}` })
        living.set(21, { ...newcomer, pid: 21, environment: `SLUICE_RUN=${newMarker("lost")}` })
      },
    })
    add(10, 1, `SLUICE_RUN=${newMarker("lost")}`)
    expect((yield* end("lost")).pids.toSorted()).toEqual([10, 21])
    expect(there()).toEqual([20])
    removeLiveMarker(mine)
  }))

it.live("ends nothing if this process is among them, marked or not", () =>
  Effect.gen(function* () {
    for (const environment of ["", `SLUICE_RUN=${newMarker("lost")}`]) {
      const { add, end, sent } = setUp()
      add(10, 1, `SLUICE_RUN=${newMarker("lost")}`)
      add(self, 10, environment)
      const fault = yield* Effect.flip(end("lost"))
      expect(fault).toMatchObject({ commandId: "lost", reason: { _tag: "NotAllowed", policy: "orphans" } })
      expect(fault.message).toMatch(/^exec: .* \(EPERM\)$/)
      expect(sent).toEqual([])
    }
  }))

it.live("reports survivors", () =>
  Effect.gen(function* () {
    const { add, end } = setUp()
    add(10, 1, `SLUICE_RUN=${newMarker("lost")}`)
    add(11, 10, "", ["SIGTERM", "SIGKILL"])
    expect(yield* end("lost")).toEqual({ ended: 1, pids: [10], survivors: [11] })
  }))
