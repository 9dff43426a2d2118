import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { DaemonFileSystem, Files, FileSystemDaemon, MemoryFileSystem } from "../../src/leaves/files/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { filesContract } from "../support/filesContract.ts"

const both = () =>
  DaemonFileSystem.layer.pipe(
    Layer.merge(FileSystemDaemon.layerWith({ maxConcurrency: 16 }).pipe(Layer.provide(MemoryFileSystem.layer))),
    Layer.provideMerge(MemoryJournal.layer),
  )

filesContract("DaemonFileSystem, over files in memory", both)

it("ends a request that no daemon takes", async () => {
  const layer = DaemonFileSystem.layerWith({ acceptTimeout: "20 millis" }).pipe(Layer.provide(MemoryJournal.layer))
  const fault = await Effect.runPromise(Effect.provide(Effect.flip(Files.readText("a")), layer))
  expect(fault).toMatchObject({ faultKind: "Timeout", path: "a", code: "NOTTAKEN" })
  expect(fault.message).toBe(
    "read a: nothing was done: no daemon took it within 20ms; start one of this version on this journal (NOTTAKEN)",
  )
})

it("has every operation in the journal, with its answer", async () => {
  const program = Effect.gen(function* () {
    yield* Files.write("a", "hello")
    yield* Effect.flip(Files.readText("b"))
    const entries = yield* Journal.read({ filter: { branch: "filesystem" } })
    return entries.map(({ tag }) => tag).filter((tag) => tag.startsWith("File"))
  })
  expect(await Effect.runPromise(Effect.provide(program, both()))).toEqual([
    "FileWrite",
    "FileWritten",
    "FileRead",
    "FileFault",
  ])
})
