/**
 * unref.fixture.ts FILE again|never: starts a process that waits, then writes FILE; leaves its scope open, prints
 * the process's number, and ends when the runtime lets it.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import { ChildProcess } from "effect/process"
import { layer } from "../../../../src/leaves/local/spawner.ts"

const [file = "", how] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const script = `sleep ${how === "again" ? 0.5 : 30}; echo done > "$1"`
  const command = ChildProcess.make("sh", ["-c", script, "sh", file], {
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  })
  const handle = yield* Scope.provide(command, yield* Scope.make())
  const reref = yield* handle.unref
  if (how === "again") yield* reref
  console.log(handle.pid)
})

await Effect.runPromise(Effect.provide(program, layer))
