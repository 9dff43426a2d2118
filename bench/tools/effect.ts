/** Effect's own spawner for Node, which its users on Deno and Bun have too. */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as ChildProcess from "effect/process/ChildProcess"
import * as ChildProcessSpawner from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"
import { type Command, expect, type Tool } from "./Tool.ts"

const runtime = ManagedRuntime.make(
  NodeChildProcessSpawner.layer.pipe(
    Layer.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)),
  ),
)
const { ChildProcessSpawner: Spawner } = ChildProcessSpawner

const make = (
  { file, args }: Command,
  grace?: number,
): ChildProcess.StandardCommand =>
  ChildProcess.make(file, args, {
    stdin: "ignore",
    ...(grace === undefined ? undefined : { forceKillAfter: grace }),
  })

export const tool: Tool = {
  spawn: (c, times, concurrency) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const spawner = yield* Spawner
        const one = spawner.exitCode(make(c)).pipe(
          Effect.map((code) => expect(code === 0, "the exit code")),
        )
        yield* Effect.replicateEffect(one, times, {
          concurrency,
          discard: true,
        })
      }),
    ),
  bytes: (c, meter) =>
    runtime.runPromise(
      Effect.gen(function* () {
        const handle = yield* (yield* Spawner).spawn(make(c))
        yield* Stream.runForEachArray(
          Stream.drainFork(handle.stdout, handle.stderr),
          (chunks) => {
            let wait: Promise<void> | undefined
            for (const chunk of chunks) wait = meter(chunk.length) ?? wait
            return wait === undefined ? Effect.void : Effect.promise(() => wait)
          },
        )
        expect((yield* handle.exitCode) === 0, "the exit code")
      }).pipe(Effect.scoped),
    ),
  lines: (c, meter) =>
    runtime.runPromise(
      Effect.flatMap(Spawner, (spawner) =>
        // By arrays: Effect's fastest way to go over lines.
        Stream.runForEachArray(spawner.streamLines(make(c)), (lines) => {
          let length = 0
          for (const line of lines) length += line.length + 1
          const wait = meter(length)
          return wait === undefined ? Effect.void : Effect.promise(() => wait)
        })),
    ),
  text: (c) =>
    runtime.runPromise(
      Effect.flatMap(Spawner, (spawner) => spawner.string(make(c))),
    ),
  timeout: (c, milliseconds, grace) =>
    runtime.runPromise(
      Effect.flatMap(Spawner, (spawner) => spawner.exitCode(make(c, grace)))
        .pipe(Effect.timeoutOption(milliseconds)),
    ),
}
