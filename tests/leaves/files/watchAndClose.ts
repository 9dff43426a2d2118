/** Watches a folder for a moment, closes the watch, and ends only if nothing of it is left. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { FileWatch, LocalFileSystem } from "../../../src/leaves/files/mod.ts"

const program = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(Stream.runDrain(FileWatch.watch("")), { startImmediately: true })
  yield* Effect.sleep(200)
  yield* Fiber.interrupt(fiber)
})
await Effect.runPromise(Effect.provide(program, LocalFileSystem.layer({ rootPath: process.argv[2] ?? "" })))
console.log("closed")
