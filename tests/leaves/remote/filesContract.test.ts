import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { MemoryFileSystem } from "../../../src/leaves/files/mod.ts"
import { filesContract } from "../../support/filesContract.ts"
import { fileServer, filesOf } from "./filesSupport.ts"

filesContract(
  "RemoteFileSystem, over a server with the local leaf",
  () => Layer.unwrap(Effect.map(fileServer(), ({ direct }) => filesOf(direct))),
)

filesContract(
  "RemoteFileSystem, over a server with files in memory",
  () => Layer.unwrap(Effect.map(fileServer({ layer: MemoryFileSystem.layer }), ({ direct }) => filesOf(direct))),
)
