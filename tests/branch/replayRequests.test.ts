import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { journalRequests } from "../../src/branch/journalRequests.ts"
import { replayRequests } from "../../src/branch/replayRequests.ts"
import { FileSystemBranch } from "../../src/files/FileSystemBranch.ts"
import { FileRead, Files, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"

/** What a program sees of files: results, faults and their order. */
const program = Effect.gen(function* () {
  const seen: Array<unknown> = []
  const see = (what: unknown) => Effect.sync(() => void seen.push(what))
  yield* Effect.flatMap(Effect.result(Files.readText("a")), see)
  yield* Effect.flatMap(Files.write("a", "one"), ({ bytesWritten }) => see(bytesWritten))
  yield* Effect.flatMap(Files.readText("a"), see)
  yield* Files.write("big", Stream.make(new Uint8Array(1_500_000)))
  yield* Effect.flatMap(Files.read("big"), (bytes) => see(bytes.length))
  yield* Files.write("large", new Uint8Array(7_000_000))
  yield* Effect.flatMap(Stream.runCollect(Files.list("")), (entries) => see(entries.map(({ path }) => path)))
  return seen.map((value) => JSON.stringify(value)?.replaceAll(/"correlationId":"[^"]+"/g, ""))
})

const withFiles = <A, E>(effect: Effect.Effect<A, E, Files>, service: Pick<Files["Service"], "request">) =>
  Effect.provideService(effect, Files, {
    request: service.request,
    capabilities: { leaf: "test", containment: "exclusive", caseSensitive: true },
  })

it("answers a program as it was answered before, in order, without files", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const recorded = yield* journalRequests(FileSystemBranch, yield* Files)
      const before = yield* withFiles(program, recorded)
      const entries = (yield* Journal.head).position
      const replayed = yield* replayRequests(FileSystemBranch)
      expect(yield* withFiles(program, replayed)).toEqual(before)
      expect((yield* Journal.head).position).toBe(entries)
    }).pipe(Effect.provide(Layer.merge(MemoryFileSystem.layer, MemoryJournal.layer))),
  ))

it("fails for a request that was not recorded, with the id of the request", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const replayed = yield* replayRequests(FileSystemBranch)
      const read = Stream.runDrain(replayed.request(FileRead.make({ correlationId: "r1", path: "a" })))
      expect(yield* Effect.flip(read)).toMatchObject({
        correlationId: "r1",
        faultKind: "IoError",
        message: "read a: this request was not recorded (BROKEN)",
      })
    }).pipe(Effect.provide(MemoryJournal.layer)),
  ))
