/** Effect's own spawner. */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ChildProcess from "effect/process/ChildProcess"
import { ChildProcessSpawner } from "effect/process/ChildProcessSpawner"
import * as Stream from "effect/Stream"

const layer = NodeChildProcessSpawner.layer.pipe(
  Layer.provide(Layer.mergeAll(NodeFileSystem.layer, NodePath.layer)),
)

await Effect.runPromise(
  Effect.flatMap(ChildProcessSpawner, (spawner) =>
    spawner
      .streamLines(ChildProcess.make("git", ["log"]))
      .pipe(Stream.runForEach((line) => Effect.sync(() => console.log(line)))))
    .pipe(Effect.provide(layer)),
)
