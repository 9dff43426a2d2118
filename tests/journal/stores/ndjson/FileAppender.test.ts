import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { openStoreWith } from "../../../../src/journal/stores/ndjson/openStoreWith.ts"
import { type Files, type HostSystem, loadHostSystem } from "../../../../src/journal/stores/ndjson/HostSystem.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, linesOf, positionsOf, reasonOf, upTo } from "./support.ts"

const errno = (code: string): Error => Object.assign(new Error(`${code}: a disk of the test's own`), { code })

/** A disk that does what it is told to. */
interface Disk {
  readonly system: HostSystem
  /** Bytes that writes still take; then they are short once, and fail. */
  space: number
  /** What writes fail with. */
  writeFailure: string
  /** What it says when it is asked to confirm. */
  syncFailure: string | undefined
  /** Whether it fails to cut. */
  cutFailure: boolean
  /** Runs before `fdatasync` answers. */
  beforeSync: (() => void) | undefined
}

const makeDisk = (): Disk => {
  const real = loadHostSystem()
  const { files } = real
  const fail = (): void => {
    if (disk.syncFailure !== undefined) throw errno(disk.syncFailure)
  }
  const writeSync = (descriptor: number, data: unknown, at?: unknown, length?: unknown): number => {
    if (!(data instanceof Uint8Array)) return files.writeSync(descriptor, String(data))
    const from = Number(at ?? 0)
    const wanted = Number(length ?? data.length - from)
    const taken = Math.min(wanted, disk.space)
    if (taken === 0 && wanted > 0) throw errno(disk.writeFailure)
    disk.space -= taken
    return files.writeSync(descriptor, data, from, taken, null)
  }
  const asked: Pick<Files, "fdatasyncSync" | "fsyncSync" | "ftruncateSync"> = {
    fdatasyncSync: (descriptor) => {
      disk.beforeSync?.()
      fail()
      files.fdatasyncSync(descriptor)
    },
    fsyncSync: (descriptor) => {
      fail()
      files.fsyncSync(descriptor)
    },
    ftruncateSync: (descriptor, length) => {
      if (disk.cutFailure) throw errno("EIO")
      files.ftruncateSync(descriptor, length)
    },
  }
  const fdatasync = (descriptor: number, done: (error: NodeJS.ErrnoException | null) => void): void => {
    files.fdatasync(descriptor, (error) => {
      disk.beforeSync?.()
      done(disk.syncFailure === undefined ? error : errno(disk.syncFailure))
    })
  }
  const fsync = (descriptor: number, done: (error: NodeJS.ErrnoException | null) => void): void => {
    files.fsync(descriptor, (error) => done(disk.syncFailure === undefined ? error : errno(disk.syncFailure)))
  }
  const disk: Disk = {
    system: {
      ...real,
      files: {
        ...files,
        ...asked,
        writeSync,
        fdatasync: Object.assign(fdatasync, { __promisify__: files.fdatasync.__promisify__ }),
        fsync: Object.assign(fsync, { __promisify__: files.fsync.__promisify__ }),
      },
    },
    space: Infinity,
    writeFailure: "ENOSPC",
    syncFailure: undefined,
    cutFailure: false,
    beforeSync: undefined,
  }
  return disk
}

/** A journal of two entries on a disk of the test's own. */
const onDisk = Effect.gen(function* () {
  const { directory, path } = yield* workshop
  const disk = makeDisk()
  const file = path("journal.ndjson")
  const store = yield* openStoreWith(disk.system, { path: file })
  yield* add(store, 2)
  return { directory, disk, file, store }
})

const positionsIn = (file: string): ReadonlyArray<number> => linesOf(file).map((line) => JSON.parse(line).position)

it.live("restores the file after a write that a full disk cut short, and continues when there is space", () =>
  Effect.gen(function* () {
    const { disk, file, store } = yield* onDisk
    const before = readFileSync(file)
    for (const [code, space] of [["ENOSPC", 0], ["ENOSPC", 1], ["EDQUOT", 100], ["EFBIG", 350]] as const) {
      for (const level of ["os", "disk"] as const) {
        disk.writeFailure = code
        disk.space = space
        const error = yield* Effect.flip(add(store, 3, level))
        expect(error.reason).toEqual({ _tag: "Full", code })
        expect(error.message).toMatch(/^journal: .*journal\.ndjson was not written: .*\(E[A-Z]+\)$/)
        expect(readFileSync(file).equals(before)).toBe(true)
        expect((yield* store.head).position).toBe(2)
        expect(positionsOf(yield* all(store))).toEqual([1, 2])
      }
    }
    disk.space = Infinity
    yield* add(store, 3)
    expect(positionsIn(file)).toEqual(upTo(5))
  }))

it.live("completes short writes", () =>
  Effect.gen(function* () {
    const { disk, file, store } = yield* onDisk
    const { writeSync } = disk.system.files
    const pieces: Files["writeSync"] = (descriptor: number, data: unknown, at?: unknown, length?: unknown): number =>
      data instanceof Uint8Array ? writeSync(descriptor, data, Number(at), Math.min(7, Number(length)), null) : 0
    Object.assign(disk.system.files, { writeSync: pieces })
    yield* add(store, 5)
    yield* store.transact("os", (transaction) => transaction.removeThrough(3))
    expect(positionsIn(file)).toEqual(upTo(7, 4))
  }))

it.live("retries a failed cut before the next write", () =>
  Effect.gen(function* () {
    const { disk, file, store } = yield* onDisk
    disk.space = 150
    disk.cutFailure = true
    expect(yield* reasonOf(add(store, 3))).toEqual({ _tag: "Full", code: "ENOSPC" })
    disk.space = Infinity
    expect(yield* reasonOf(add(store, 3))).toEqual({ _tag: "Failed", code: "EIO" })
    expect(positionsOf(yield* all(store))).toEqual([1, 2])
    expect(
      positionsOf(yield* Effect.scoped(Effect.flatMap(NdjsonJournal.openStore({ path: file, mode: "read" }), all))),
    ).toEqual([
      1,
      2,
    ])
    disk.cutFailure = false
    yield* add(store, 3)
    expect(positionsIn(file)).toEqual(upTo(5))
  }))

it.live("takes back writes that the disk does not confirm, and refuses writes until it is opened again", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const file = path("journal.ndjson")
    for (const [code, tag] of [["EIO", "Failed"], ["ENOSPC", "Full"]] as const) {
      yield* Effect.scoped(Effect.gen(function* () {
        const disk = makeDisk()
        const store = yield* openStoreWith(disk.system, { path: file })
        yield* add(store, 2, "disk")
        const before = readFileSync(file)
        const { head } = { head: yield* store.head }
        disk.syncFailure = code
        const error = yield* Effect.flip(add(store, 3, "disk"))
        expect(error.reason).toEqual({ _tag: tag, code })
        expect(error.message).toMatch(/was not written: the disk did not confirm it: /)
        disk.syncFailure = undefined
        for (const level of store.durabilities) {
          const error = yield* Effect.flip(add(store, 1, level))
          expect(error.reason).toEqual({ _tag: "Failed", code })
          expect(error.message).toMatch(/did not confirm an earlier write \(E[A-Z]+\); open it again$/)
        }
        expect(yield* reasonOf(store.transact("os", (transaction) => transaction.removeThrough(1)))).toMatchObject({
          _tag: "Failed",
        })
        // What is there can be read.
        expect(yield* store.head).toEqual(head)
        expect(positionsOf(yield* all(store))).toEqual(upTo(head.position))
        expect(readFileSync(file).equals(before)).toBe(true)
      }))
    }
    const store = yield* NdjsonJournal.openStore({ path: file })
    yield* add(store, 1, "disk")
    expect(positionsOf(yield* all(store))).toEqual(upTo(5))
  }))

it.live("fails with Unavailable when an unconfirmed write cannot be taken back", () =>
  Effect.gen(function* () {
    const { disk, store } = yield* onDisk
    disk.syncFailure = "EIO"
    disk.cutFailure = true
    const error = yield* Effect.flip(add(store, 3, "disk"))
    expect(error.reason).toEqual({ _tag: "Unavailable", code: "EIO" })
    expect(error.message).toMatch(/whether it is kept is unknown$/)
    expect(positionsOf(yield* all(store))).toEqual([1, 2])
  }))

it.live("hides entries in its own process until the disk confirms them", () =>
  Effect.gen(function* () {
    const { disk, store } = yield* onDisk
    const seen: Array<number> = []
    for (let round = 0; round < 20; round++) {
      const { position } = yield* store.head
      disk.beforeSync = () => seen.push(Effect.runSync(store.head).position - position)
      yield* add(store, 2, "disk")
    }
    expect(seen.length).toBeGreaterThanOrEqual(20)
    expect(seen.every((more) => more === 0)).toBe(true)
  }))

it.live("closes only after a pending confirmation", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const disk = makeDisk()
    const file = path("journal.ndjson")
    let confirmed = 0
    disk.beforeSync = () => void confirmed++
    const writing = yield* Effect.scoped(Effect.gen(function* () {
      const store = yield* openStoreWith(disk.system, { path: file })
      const fiber = yield* Effect.forkDetach(add(store, 3, "disk"))
      yield* Effect.yieldNow
      return fiber
    }))
    expect(confirmed).toBe(1)
    expect(yield* Fiber.join(writing)).toHaveLength(3)
    expect(positionsIn(file)).toEqual([1, 2, 3])
  }))

it.live("confirms earlier writes of lower durability with one of the durability disk", () =>
  Effect.gen(function* () {
    const { disk, file, store } = yield* onDisk
    let confirmed = 0
    disk.beforeSync = () => void confirmed++
    yield* add(store, 2, "memory")
    yield* store.transact("disk", () => Effect.void)
    expect(positionsIn(file)).toEqual(upTo(4))
    expect(confirmed).toBe(1)
    yield* store.transact("disk", () => Effect.void)
    expect(confirmed).toBe(1)
  }))

it.live("keeps the old file when a prune finds the disk full, and removes the new one", () =>
  Effect.gen(function* () {
    const { directory, disk, file, store } = yield* onDisk
    yield* add(store, 20)
    const before = readFileSync(file)
    const names = readdirSync(directory)
    for (const [space, syncFailure] of [[0, undefined], [500, undefined], [Infinity, "EIO"]] as const) {
      disk.space = space
      disk.syncFailure = syncFailure
      const pruning = store.transact("os", (transaction) =>
        Effect.gen(function* () {
          yield* transaction.strip([12])
          yield* transaction.removeThrough(10)
        }))
      expect(yield* reasonOf(pruning)).toMatchObject({ _tag: syncFailure === undefined ? "Full" : "Failed" })
      expect(readFileSync(file).equals(before)).toBe(true)
      expect(readdirSync(directory)).toEqual(names)
    }
    disk.space = Infinity
    disk.syncFailure = undefined
    yield* add(store, 1)
    yield* store.transact("os", (transaction) => transaction.removeThrough(10))
    expect(positionsIn(file)).toEqual(upTo(23, 11))
    expect(yield* store.size).toMatchObject({ entries: 13, bytes: statSync(file).size, first: 11 })
  }))
