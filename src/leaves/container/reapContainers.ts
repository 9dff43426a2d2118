/** Removes the containers whose owner died without removing them. */
import * as Effect from "effect/Effect"
import type { Host } from "../../host/Host.ts"
import type { Engine } from "./ContainerSettings.ts"
import { listArguments, removeArguments } from "./engineCommand.ts"
import { hostId, hostLabel, isGone, processLabel } from "./owner.ts"
import { runEngine } from "./runEngine.ts"

/**
 * Removes the containers that dead processes of this machine made, and succeeds with their ids. Containers of other machines
 * and of living processes stay. If the engine fails, nothing is removed; the commands of the leaf report why.
 */
export const reapContainers = (host: Host, engine: Engine): Effect.Effect<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const { stdout } = yield* runEngine(
      host,
      engine.program,
      listArguments(engine, `${hostLabel}=${hostId(host)}`, [processLabel]),
    )
    const removed: Array<string> = []
    for (const line of stdout.split("\n")) {
      const [id = "", process = ""] = line.split("\t")
      if (!/^[0-9a-f]{12,}$/.test(id) || !isGone(host, process)) continue
      const { exitCode } = yield* runEngine(host, engine.program, removeArguments(engine, id))
      if (exitCode === 0) removed.push(id)
    }
    return removed
  })
