/**
 * The contract is Effect's: its own Node spawner keeps it too. Run on Node alone (see vitest.config.ts), as it is.
 */
import * as NodeChildProcessSpawner from "@effect/platform-node-shared/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node-shared/NodeFileSystem"
import * as NodePath from "@effect/platform-node-shared/NodePath"
import * as Layer from "effect/Layer"
import { spawnerContract } from "./contract.ts"

const layer = Layer.provide(NodeChildProcessSpawner.layer, Layer.mergeAll(NodeFileSystem.layer, NodePath.layer))

spawnerContract("Effect's own spawner", {
  layer,
  does: {
    wholeTrees: false,
    readsOn: false,
    typedThrows: false,
    argv0: true,
    hearsLastWords: false,
    endsWriters: false,
  },
})
