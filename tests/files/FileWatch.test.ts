import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import {
  FileFault,
  Files,
  type FilesService,
  FileWatch,
  KernelFileSystem,
  MemoryFileSystem,
  MockFileSystem,
} from "../../src/leaves/files/mod.ts"
import { Sandbox } from "../../src/sandbox/mod.ts"

/** Watches in the background; the events so far. */
const watching = (path: string, options?: FileWatch.FileWatchOptions) =>
  Effect.gen(function* () {
    const seen: Array<string> = []
    const fiber = yield* FileWatch.watch(path, options).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => seen.push(event._tag === "FileWatchOverflow" ? event._tag : `${event._tag} ${event.path}`))
      ),
      Effect.forkChild({ startImmediately: true }),
    )
    yield* settle
    const take = Effect.sync(() => seen.splice(0))
    return { fiber, take }
  })

/** Lets fibers run; a comparison takes some turns. */
const settle = Effect.forEach(Array.from({ length: 50 }), () => Effect.yieldNow, { discard: true })

const after = (time: Parameters<typeof TestClock.adjust>[0]) => Effect.andThen(TestClock.adjust(time), settle)

describe("FileWatch", () => {
  it.effect("reports changes of files in memory after a window, without waiting for a comparison", () =>
    Effect.gen(function* () {
      yield* Files.write("src/a", "1")
      const { fiber, take } = yield* watching("src", { window: "1 second", pollInterval: "1 hour" })
      yield* Files.write("src/a", "2")
      yield* Files.write("src/deep/down/b", "")
      yield* Files.write("other", "")
      yield* after("999 millis")
      expect(yield* take).toEqual([])
      yield* after("1 millis")
      expect((yield* take).sort()).toEqual([
        "Created src/deep",
        "Created src/deep/down",
        "Created src/deep/down/b",
        "Modified src/a",
      ])
      yield* Files.delete("src/deep", { recursive: true })
      yield* after("1 second")
      expect(yield* take).toEqual(["Deleted src/deep/down/b", "Deleted src/deep/down", "Deleted src/deep"])
      yield* Files.write("src/c", "")
      yield* Files.delete("src/c")
      yield* after("1 second")
      expect(yield* take).toEqual([])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(MemoryFileSystem.layer)))

  it.effect("compares listings at the configured interval if a leaf has no notifications", () =>
    Effect.gen(function* () {
      const { fiber, take } = yield* watching("", { pollInterval: "10 seconds", ignore: ["build"] })
      yield* Files.write("a", "changed")
      yield* Files.write("build/x", "")
      yield* Files.write("b/c", "")
      yield* after("9 seconds")
      expect(yield* take).toEqual([])
      yield* after("1 second")
      expect((yield* take).sort()).toEqual(["Created b", "Created b/c", "Modified a"])
      yield* after("1 minute")
      expect(yield* take).toEqual([])
      yield* Files.delete("b", { recursive: true })
      yield* Files.write("b", "a file now")
      yield* after("10 seconds")
      expect(yield* take).toEqual(["Deleted b/c", "Deleted b", "Created b"])
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(MockFileSystem.layerWith({ files: { a: "1" } }))))

  it.effect("fails if the system cannot list a folder, and reports no deletion", () =>
    Effect.gen(function* () {
      const memory = yield* MemoryFileSystem.make()
      let isBroken = false
      const fault = { faultKind: "IoError", path: "d", message: "too many files open", code: "EMFILE" } as const
      const files: FilesService = {
        request: (request) =>
          isBroken && request._tag === "FileList" && request.path === "d"
            ? Stream.fail(new FileFault({ ...fault, correlationId: request.correlationId }))
            : memory.request(request),
        capabilities: memory.capabilities,
      }
      yield* Effect.gen(function* () {
        yield* Files.write("d/a", "")
        const { fiber, take } = yield* watching("", { pollInterval: "1 second" })
        isBroken = true
        yield* after("1 second")
        expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject(fault)
        expect(yield* take).toEqual([])
      }).pipe(Effect.provideService(Files, files))
    }))

  it.effect("fails with the fault of a comparison, and ends its timers with its scope", () =>
    Effect.gen(function* () {
      const { fiber } = yield* watching("d", { pollInterval: "1 second" })
      yield* Files.delete("d", { recursive: true })
      yield* after("1 second")
      expect(yield* Effect.flip(Fiber.join(fiber))).toMatchObject({ faultKind: "NotFound" })
    }).pipe(Effect.provide(MockFileSystem.layerWith({ files: { "d/a": "1" } }))))

  it("sees the writes of a sandbox's scripts", async () => {
    const program = Effect.gen(function* () {
      const sandbox = yield* Sandbox.make()
      const files = KernelFileSystem.layer(sandbox, { rootPath: "/tmp" })
      const watch = FileWatch.watch("", { pollInterval: "30 millis" }).pipe(
        Stream.take(2),
        Stream.runCollect,
        Effect.provide(files),
      )
      const fiber = yield* Effect.forkChild(watch, { startImmediately: true })
      yield* Effect.sleep("20 millis")
      yield* sandbox.run("mkdir /tmp/d; echo 1 > /tmp/d/f")
      return yield* Fiber.join(fiber)
    })
    const events = await Effect.runPromise(Effect.scoped(program))
    expect(events.map((event) => event._tag === "FileWatchOverflow" ? "" : `${event._tag} ${event.path}`)).toEqual([
      "Created d",
      "Created d/f",
    ])
  })
})
