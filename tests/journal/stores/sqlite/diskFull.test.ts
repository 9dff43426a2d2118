import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { JournalError } from "@sluice/shell/journal"
import { execFileSync } from "node:child_process"
import { closeSync, openSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { SqliteJournal } from "../../../../src/journal/sqlite.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, fresh, positionsOf, query, reasonOf, upTo } from "./support.ts"

/** Whether this process may mount a file system of its own. */
const mounts = ((): boolean => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false
  try {
    execFileSync("unshare", ["--mount", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

const mounted = mounts ? "" : " (left out: this process may not mount)"

/** A small file system in memory, gone with the Scope. */
const smallDisk = Effect.gen(function* () {
  const directory = (yield* workshop).makeDirectory("small")
  return yield* Effect.acquireRelease(
    Effect.sync(() => {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "none", directory])
      return directory
    }),
    () => Effect.sync(() => execFileSync("umount", ["-l", directory])),
  )
})

const text = (): string => "x".repeat(10_000)

it.live.runIf(mounts)(
  `fails with Full when the disk is full, loses nothing, and continues when there is space${mounted}`,
  () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk
      const path = join(directory, "journal.db")
      const store = yield* SqliteJournal.openStore({ path })
      let megabytes = 1
      for (const level of ["os", "disk"] as const) {
        let kept = (yield* store.head).position
        const filling = Effect.forever(Effect.map(add(store, 3, level, { text }), () => {
          kept += 3
        }))
        const error: JournalError = yield* Effect.flip(filling)
        expect(error.reason).toMatchObject({ _tag: "Full" })
        expect(error.message).toMatch(
          /^journal: nothing was written to .*journal\.db: the disk is full \(SQLITE_[A-Z]+\)$/,
        )
        // The failed append left nothing, the others are complete, and the next one fails too.
        expect(positionsOf(yield* store.scan({ maxRows: 10_000, headersOnly: true }))).toEqual(upTo(kept))
        expect((yield* reasonOf(add(store, 30, level, { text })))._tag).toBe("Full")
        expect((yield* store.head).position).toBe(kept)
        megabytes += 3
        execFileSync("mount", ["-o", `remount,size=${megabytes}m`, directory])
        yield* add(store, 5, level, { text })
        expect(positionsOf(yield* store.scan({ maxRows: 10_000, headersOnly: true }))).toEqual(upTo(kept + 5))
      }
      expect(query(path, "PRAGMA integrity_check")).toEqual(["ok"])
    }),
)

it.live.runIf(mounts)(
  `fails with Full if there is no space for a new file, and creates it when there is${mounted}`,
  () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk
      const much = join(directory, "much")
      const descriptor = openSync(much, "w")
      const block = new Uint8Array(4_096)
      let written = block.length
      try {
        while (written === block.length) written = writeSync(descriptor, block)
      } catch {
        // It is full.
      } finally {
        closeSync(descriptor)
      }
      const path = join(directory, "journal.db")
      expect(yield* reasonOf(Effect.scoped(SqliteJournal.openStore({ path })))).toMatchObject({ _tag: "Full" })
      rmSync(much)
      yield* add(yield* SqliteJournal.openStore({ path }), 1)
    }),
)

it.live.runIf(mounts)(
  `reads from a read-only disk; a write fails with ReadOnly${mounted}`,
  () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk
      const path = join(directory, "journal.db")
      yield* Effect.scoped(Effect.flatMap(SqliteJournal.openStore({ path }), (store) => add(store, 10)))
      execFileSync("mount", ["-o", "remount,ro", directory])
      const store = yield* SqliteJournal.openStore({ path })
      expect(positionsOf(yield* all(store))).toEqual(upTo(10))
      expect((yield* store.head).position).toBe(10)
      const error = yield* Effect.flip(add(store, 1))
      expect(error.reason).toEqual({ _tag: "ReadOnly" })
      expect(error.message).toBe(
        `journal: nothing was written to ${path}: it was opened for reading, or may not be written`,
      )
      expect(yield* reasonOf(Effect.scoped(SqliteJournal.openStore({ path: join(directory, "new.db") })))).toEqual({
        _tag: "Missing",
        path: join(directory, "new.db"),
        code: "EROFS",
      })
    }),
)

it.live("keeps the write-ahead log short while others read", () =>
  Effect.gen(function* () {
    const { file, size, store } = yield* fresh()
    const reader = yield* SqliteJournal.openStore({ path: file, readOnly: true })
    let longest = 0
    for (let round = 0; round < 200; round++) {
      yield* add(store, 16, "os", { text })
      yield* reader.scan({ maxRows: 100, order: "backward" })
      longest = Math.max(longest, size("journal.db-wal"))
    }
    // 32 MB were written.
    expect(size("journal.db")).toBeGreaterThan(28_000_000)
    expect(longest).toBeLessThan(20_000_000)
  }))
