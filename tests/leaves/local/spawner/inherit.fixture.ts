/** Starts a process on the descriptors of its own, and ends as that does. */
import * as Effect from "effect/Effect"
import { ChildProcess } from "effect/process"
import { layer } from "../../../../src/leaves/local/spawner.ts"

const program = Effect.gen(function* () {
  const handle = yield* ChildProcess.make("sh", ["-c", "cat; echo err >&2; exit 3"], {
    stdin: "inherit",
    stdout: "inherit",
    stderr: { stream: "inherit" },
  })
  return yield* handle.exitCode
})

const exitCode = await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(layer)))
process.exit(exitCode)
