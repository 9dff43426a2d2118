import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { atMost } from "../../../support/atMost.ts"
import { NdjsonJournal } from "../../../../src/journal/ndjson.ts"
import { workshop } from "../../../support/workshop.ts"
import { add, all, linesOf, positionsOf, reasonOf, upTo } from "./support.ts"

/** A file system of a megabyte; nothing where none may be mounted. */
const tiny = Effect.flatMap(workshop, ({ makeDirectory }) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const directory = makeDirectory("tiny")
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", directory], { stdio: "ignore" })
      return directory
    }),
    (directory) => Effect.sync(() => execFileSync("umount", ["-l", directory])),
  ))

const mounts = (await Effect.runPromise(Effect.exit(Effect.scoped(tiny))))._tag === "Success"

const here = mounts ? "" : " (left out: no file system may be mounted here)"

it.live.runIf(mounts)(
  `continues when a full disk has space again, and loses no acknowledged entry${here}`,
  () =>
    Effect.gen(function* () {
      const directory = yield* tiny
      const file = `${directory}/journal.ndjson`
      const text = () => "x".repeat(10_000)
      const written = yield* Effect.scoped(Effect.gen(function* () {
        const store = yield* NdjsonJournal.openStore({ path: file })
        for (;;) {
          const exit = yield* Effect.exit(add(store, 3, "os", { text }))
          if (exit._tag === "Failure") break
        }
        const { position } = yield* store.head
        expect(position).toBeGreaterThan(50)
        expect(position % 3).toBe(0)
        for (const level of ["os", "disk"] as const) {
          expect(yield* reasonOf(add(store, 3, level, { text }))).toEqual({ _tag: "Full", code: "ENOSPC" })
        }
        // What is small enough still goes in.
        yield* add(store, 1, "disk")
        expect(positionsOf(yield* all(store))).toEqual(upTo(position + 1))
        // There is no room for a second file with what is left.
        const pruning = store.transact("os", (transaction) => transaction.removeThrough(2))
        expect(yield* reasonOf(pruning)).toEqual({ _tag: "Full", code: "ENOSPC" })
        expect(readdirSync(directory).toSorted()).toEqual(["journal.ndjson", "journal.ndjson.lock"])
        execFileSync("mount", ["-o", "remount,size=4m", directory])
        yield* add(store, 3, "disk", { text })
        yield* store.transact("os", (transaction) => transaction.removeThrough(2))
        return position + 4
      }))
      expect(linesOf(file).map((line) => JSON.parse(line).position)).toEqual(upTo(written, 3))
      const store = yield* NdjsonJournal.openStore({ path: file })
      expect((yield* store.head).position).toBe(written)
    }),
)

it.live.runIf(mounts)(
  `fails only the appends that do not fit with Full, and keeps the chain valid${here}`,
  () =>
    Effect.gen(function* () {
      const directory = yield* tiny
      const path = `${directory}/journal.ndjson`
      for (const durability of ["memory", "os", "disk"] as const) {
        yield* Effect.scoped(Effect.gen(function* () {
          const journal = yield* NdjsonJournal.make({ path, durability })
          const body = { _tag: "Noted", text: "x".repeat(20_000) }
          const exits = yield* atMost(20, upTo(150), (n) =>
            Effect.exit(journal.append([{ branch: "notes", correlationId: `${durability}-${n}`, body }])))
          for (const [index, exit] of exits.entries()) {
            const entries = yield* journal.read({ filter: { correlationId: `${durability}-${index + 1}` } })
            expect(entries).toHaveLength(exit._tag === "Success" ? 1 : 0)
          }
          expect(
            exits.filter((exit) =>
              exit._tag === "Failure"
            ).length,
          ).toBeGreaterThan(0)
          yield* journal.verify()
          execFileSync("mount", ["-o", "remount,size=8m", directory])
          const { position } = yield* journal.head
          expect(yield* journal.append([{ branch: "notes", correlationId: "last", body }])).toEqual([position + 1])
          yield* journal.prune({ keepEntries: 1 })
          yield* journal.verify()
        }))
        execFileSync("mount", ["-o", "remount,size=1m", directory])
      }
    }),
)

it.live.runIf(mounts)(`reports a disk that is already full on open${here}`, () =>
  Effect.gen(function* () {
    const directory = yield* tiny
    try {
      execFileSync("dd", ["if=/dev/zero", `of=${directory}/filler`, "bs=4k"], { stdio: "ignore" })
    } catch {
      // It says that the disk is full.
    }
    const error = yield* Effect.flip(Effect.scoped(NdjsonJournal.openStore({ path: `${directory}/journal.ndjson` })))
    expect(error.reason).toEqual({ _tag: "Full", code: "ENOSPC" })
    expect(readdirSync(directory)).toEqual(["filler"])
  }))
