import { expect, it } from "vitest"
import type { Entry } from "@sluice/shell/journal"
import { type BranchEntry, draftBranchEntry } from "../../src/branch/Branch.ts"
import { OpenRequests, trackedTags } from "../../src/branch/OpenRequests.ts"
import { Counting, elsewhere } from "./counting.ts"

const entry = (position: number, tag: string, correlationId: string, body: Partial<BranchEntry> = {}): Entry => ({
  position,
  time: 0,
  branch: "counting",
  correlationId,
  tag,
  version: 1,
  hash: "",
  body: { ...body, _tag: tag },
})

const asked = (position: number, id: string): Entry => entry(position, "Count", id)
const ended = (position: number, id: string): Entry => entry(position, "Finished", id)

const said = (position: number, id: string, what: BranchEntry): Entry => ({
  ...entry(position, what._tag, id),
  body: draftBranchEntry(Counting, id, what).body,
})

const taken = (position: number, id: string, daemon: string, attempt = 1): Entry =>
  said(position, id, { _tag: "LeaseTaken", attempt, daemonId: daemon, host: elsewhere, leaseMillis: 15 })

const alive = (position: number, daemon: string): Entry =>
  said(position, daemon, { _tag: "DaemonAlive", daemonId: daemon, leaseMillis: 15, settledThrough: 0 })

const ledgerOf = (entries: ReadonlyArray<Entry>, maxOpen = 100): OpenRequests => {
  const ledger = new OpenRequests(Counting, "me", maxOpen, 0)
  for (const each of entries) ledger.apply(each)
  return ledger
}

const idsOf = (ledger: OpenRequests): ReadonlyArray<string> =>
  [...ledger.values].map(({ correlationId }) => correlationId)

const lease = { _tag: "LeaseTaken", attempt: 1, daemonId: "d", host: elsewhere, leaseMillis: 15 } as const

it("looks at no output", () => {
  expect(trackedTags(Counting)).not.toContain("Counted")
  expect(trackedTags(Counting)).toEqual(expect.arrayContaining(["Count", "Finished", "Failed", "LeaseTaken"]))
})

it("holds only open requests, oldest first", () => {
  const ledger = ledgerOf([
    asked(1, "a"),
    asked(2, "b"),
    taken(3, "a", "d"),
    ended(4, "a"),
    asked(5, "c"),
    ended(6, "x"),
  ])
  expect(idsOf(ledger)).toEqual(["b", "c"])
  expect(ledger.cursor).toBe(6)
})

it("knows the position up to which everything is settled", () => {
  expect(ledgerOf([]).settled).toBe(0)
  expect(ledgerOf([asked(1, "a"), ended(2, "a")]).settled).toBe(2)
  expect(ledgerOf([asked(1, "a"), ended(2, "a"), asked(3, "b"), asked(4, "c"), ended(5, "c")]).settled).toBe(2)
})

it("does not settle unreadable requests, but settles pruned ones", () => {
  const entries = [asked(1, "a"), ended(2, "a"), asked(3, "odd"), asked(4, "b"), ended(5, "b")]
  const left = ledgerOf(entries)
  const odd = left.get("odd")
  if (odd === undefined) throw new Error("it is open")
  left.leaveToOthers(odd, false)
  expect([idsOf(left), left.settled]).toEqual([[], 2])
  const pruned = ledgerOf(entries)
  pruned.leaveToOthers(odd, true)
  expect(pruned.settled).toBe(5)
})

it("takes an id that is used again for a new request", () => {
  const ledger = ledgerOf([asked(1, "a"), taken(2, "a", "d"), ended(3, "a"), asked(4, "a")])
  expect(ledger.get("a")).toMatchObject({ position: 4, lease: undefined })
  const twice = ledgerOf([asked(1, "a"), taken(2, "a", "d"), asked(3, "a")])
  expect(twice.get("a")).toMatchObject({ position: 3, lease: undefined })
})

it("uses the newest lease, in any order of arrival", () => {
  const ledger = ledgerOf([asked(1, "a"), taken(2, "a", "d"), taken(5, "a", "e", 2), taken(2, "a", "d")])
  expect(ledger.get("a")?.lease).toMatchObject({ position: 5, taken: { daemonId: "e", attempt: 2 } })
})

it("ignores an unreadable lease, and then takes one", () => {
  const ledger = ledgerOf([asked(1, "a"), entry(2, "LeaseTaken", "a"), asked(3, "b"), taken(4, "b", "d")])
  ledger.apply(entry(5, "LeaseTaken", "b"))
  expect(ledger.get("a")).toMatchObject({ lease: undefined, newestLease: 2 })
  expect(ledger.get("b")).toMatchObject({ lease: { position: 4, taken: { daemonId: "d" } }, newestLease: 5 })
})

it("counts the silence of a daemon from the first full beat after its last sign", () => {
  const ledger = ledgerOf([asked(1, "a"), taken(2, "a", "d")])
  const silent = () => ledger.isSilent(lease)
  ledger.passTime(14)
  ledger.passTime(14)
  expect(silent()).toBe(false)
  ledger.passTime(1)
  expect(silent()).toBe(true)
  ledger.apply(alive(3, "d"))
  expect(silent()).toBe(false)
  ledger.passTime(15)
  expect(silent()).toBe(false)
  ledger.passTime(15)
  expect(silent()).toBe(true)
  // Who answers for as long as it lives promised no signs.
  expect(ledger.isSilent({ ...lease, leaseMillis: null })).toBe(false)
})

it("forgets the daemons that have no lease", () => {
  const ledger = ledgerOf([alive(1, "d")])
  expect(ledger.lastSignOf("d")).toBe(1)
  ledger.passTime(1)
  expect(ledger.lastSignOf("d")).toBe(0)
})

it("waits for no daemon that has said goodbye", () => {
  const ledger = ledgerOf([asked(1, "a"), taken(2, "a", "d")])
  ledger.apply(said(3, "d", { _tag: "DaemonCompleted", daemonId: "d", settledThrough: 0 }))
  expect(ledger.isSilent(lease)).toBe(true)
})

it("has a daemon that shows itself live again", () => {
  const ledger = ledgerOf([asked(1, "a"), taken(2, "a", "d")])
  const open = ledger.get("a")
  if (open === undefined) throw new Error("it is open")
  open.hasLapsed = true
  ledger.apply(alive(3, "d"))
  expect(open.hasLapsed).toBe(false)
})

it("remembers the first wish to cancel, and none of an earlier request", () => {
  const wish = (position: number, by: string) => said(position, "a", { _tag: "CancelRequested", by })
  const ledger = ledgerOf([wish(1, "before"), asked(2, "a"), wish(3, "first"), wish(4, "second")])
  expect(ledger.get("a")?.cancel?.by).toBe("first")
})

it("holds no more than its limit, and reports where the rest begins", () => {
  const ledger = ledgerOf([asked(1, "a"), asked(2, "b"), asked(3, "c"), ended(4, "a"), asked(5, "d")], 2)
  expect(idsOf(ledger)).toEqual(["b"])
  expect([ledger.behind, ledger.room, ledger.settled]).toEqual([2, 1, 1])
  ledger.applyLate(asked(3, "c"), [taken(6, "c", "d")])
  expect([idsOf(ledger), ledger.behind]).toEqual([["b", "c"], 3])
  expect(ledger.get("c")?.lease?.position).toBe(6)
})

it("counts waiting requests and requests of its own daemon, but not requests of other daemons", () => {
  const ledger = ledgerOf([asked(1, "a"), taken(2, "a", "d"), asked(3, "b"), asked(4, "c"), taken(5, "b", "me")], 2)
  expect([ledger.room, ledger.loadOf("d"), ledger.behind]).toEqual([0, 2, undefined])
  ledger.apply(asked(6, "e"))
  expect([idsOf(ledger), ledger.behind]).toEqual([["a", "b", "c"], 5])
})

it("holds nothing of a request that ended before it was read again", () => {
  const ledger = ledgerOf([asked(1, "a"), asked(2, "b")], 1)
  ledger.applyLate(asked(2, "b"), [taken(3, "b", "d"), ended(4, "b")])
  expect(idsOf(ledger)).toEqual(["a"])
})
