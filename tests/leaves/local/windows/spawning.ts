/** Tests Effect's spawner on Windows: whole trees end there, too. */
import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { layer } from "../../../../src/leaves/local/spawner.ts"
import { eventually, isAlive, isDead, promise, type WindowsPromise } from "./promise.ts"
import { type Bench, bench } from "./programs.ts"

const quiet = { stdin: "ignore", stdout: "ignore", stderr: "ignore" } as const

/** A process whose child beats. */
const tree = ({ path }: Bench, options: ChildProcess.CommandOptions = {}) =>
  Effect.gen(function* () {
    const { spawn } = yield* ChildProcessSpawner.ChildProcessSpawner
    return yield* spawn(ChildProcess.make(path("tree.cmd"), [path("beat")], { ...quiet, ...options }))
  })

const beats = ({ size }: Bench) => eventually("it runs", () => size("beat") > 2)

export const spawning: ReadonlyArray<WindowsPromise> = [
  promise("ends the whole tree of a process of Effect's spawner that is killed", () =>
    Effect.gen(function* () {
      const files = yield* bench
      const process = yield* tree(files)
      yield* beats(files)
      yield* process.kill()
      yield* isDead(() => files.size("beat"))
    }).pipe(Effect.provide(layer))),

  promise("ends the whole tree of a process of Effect's spawner with its scope", () =>
    Effect.gen(function* () {
      const files = yield* bench
      yield* Effect.scoped(Effect.andThen(tree(files), beats(files)))
      yield* isDead(() => files.size("beat"))
    }).pipe(Effect.provide(layer))),

  promise("ends a detached process of Effect's spawner with its tree", () =>
    Effect.gen(function* () {
      const files = yield* bench
      const process = yield* tree(files, { detached: true })
      yield* beats(files)
      yield* process.kill()
      yield* isDead(() => files.size("beat"))
    }).pipe(Effect.provide(layer))),

  promise(
    "leaves an unrefed process of Effect's spawner running until it is killed",
    () =>
      Effect.gen(function* () {
        const files = yield* bench
        const process = yield* Effect.scoped(Effect.gen(function* () {
          const process = yield* tree(files)
          yield* beats(files)
          yield* process.unref
          return process
        }))
        yield* isAlive(() => files.size("beat"))
        yield* process.kill()
        yield* isDead(() => files.size("beat"))
        // It was killed: by itself it would have beaten 600 times.
        assert.ok(files.size("beat") < 500)
      }).pipe(Effect.provide(layer)),
  ),
]
