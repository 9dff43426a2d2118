import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { encodeUtf8 } from "../../src/base/bytes.ts"
import { Files, JournaledFileSystem, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { filesContract } from "../support/filesContract.ts"

const journaled = () =>
  JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer), Layer.provideMerge(MemoryJournal.layer))

filesContract("JournaledFileSystem, over files in memory", journaled)

const tags = Effect.map(
  Journal.read({ filter: { branch: "filesystem" } }),
  (entries) => entries.map(({ tag }) => tag).filter((tag) => tag !== "LeaseTaken"),
)

const run = <A, E>(program: Effect.Effect<A, E, Files | Journal>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, journaled()))

it("has the content of a streamed write, and one last event for each request", async () => {
  const program = Effect.gen(function* () {
    yield* Files.write("a", Stream.make(encodeUtf8("one"), new Uint8Array(100_000)))
    yield* Effect.flip(Files.readText("b"))
    return yield* tags
  })
  expect(await run(program)).toEqual([
    "FileWrite",
    "FileWriteChunk",
    "FileWriteChunk",
    "FileWriteChunk",
    "FileWriteChunk",
    "FileWritten",
    "FileRead",
    "FileFault",
  ])
})

it("says that a read was closed before its end", async () => {
  const program = Effect.gen(function* () {
    yield* Files.write("a", new Uint8Array(2_000_000))
    yield* Files.stream("a").pipe(Stream.take(1), Stream.runDrain)
    const [last] = yield* Journal.readBackward({ maxEntries: 1 })
    return last?.body
  })
  expect(await run(program)).toMatchObject({ _tag: "FileFault", code: "CANCELLED", path: "a" })
})

it("ends a chunked answer with an entry that says so", async () => {
  const program = Effect.gen(function* () {
    yield* Files.write("a", new Uint8Array(2_000_000))
    yield* Files.read("a")
    return (yield* tags).at(-1)
  })
  expect(await run(program)).toBe("StreamEnd")
})
