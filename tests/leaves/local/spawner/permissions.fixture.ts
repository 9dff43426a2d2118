/**
 * permissions.fixture.ts FILE SHELL: starts a process whose child, in a session of its own, appends dots to FILE; ends it
 * after the first dots, and says what it saw.
 */
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { ChildProcess } from "effect/process"
import { layer } from "../../../../src/leaves/local/spawner.ts"

const [file = "", shell = ""] = process.argv.slice(2)

const beating = `while printf . >> "$1"; do sleep 0.02; done`
const family = `setsid sh -c '${beating}' sh "$1" & echo $!; while [ ! -s "$1" ]; do :; done; echo beats; wait`

const program = Effect.gen(function* () {
  const handle = yield* ChildProcess.make(shell, ["-c", family, "sh", file])
  const [child] = yield* handle.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.take(2), Stream.runCollect)
  yield* handle.kill()
  const other = yield* Effect.match(ChildProcess.make("ls"), {
    onFailure: ({ message, reason }) => [reason._tag, message],
    onSuccess: () => ["started", ""],
  })
  yield* Console.log(JSON.stringify({
    child: Number(child),
    isRunning: yield* handle.isRunning,
    other,
  }))
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(layer)))
