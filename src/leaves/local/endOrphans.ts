/**
 * Ends what is left of a command whose host was killed. Nobody knows its processes any more: they carry the mark of
 * its id in their environment, or descend from one who does.
 *
 * What cannot be found so: processes of other users (only root reads their environment), programs that nobody may look
 * into (setuid; proc_pid_environ(5)), processes of another pid namespace or machine, and who has lost both its parent
 * and its environment. macOS shows nobody the environment of its own programs.
 *
 * @module
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ShellFault } from "../../command/ShellFault.ts"
import type { OrphanReport } from "../../shell/ShellService.ts"
import { liveMarkers } from "./liveRuns.ts"
import { markOf } from "./runMarker.ts"
import { endMembers, Members, type Tree } from "./terminateTree.ts"

/** Nobody was left. */
export const noOrphans: OrphanReport = { ended: 0, pids: [], survivors: [] }

/** Ends them. `self` is the id of this process; `hostPid` that of the process that was lost, if it is known. */
export const endOrphans = (
  seen: Pick<Tree, "table" | "signal">,
  self: number,
  commandId: string,
  grace: Duration.Duration,
  hostPid?: number,
): Effect.Effect<OrphanReport, ShellFault> =>
  Effect.gen(function* () {
    const marker = markOf(commandId, hostPid)
    const tree: Tree = { table: seen.table, signal: seen.signal, marker, others: () => liveMarkers(marker) }
    const members = new Members(tree)
    const { alive } = yield* Effect.promise(() => members.look())
    if (alive.includes(self)) return yield* Effect.fail(isOneOfThem(commandId))
    if (alive.length === 0) return noOrphans
    const left = yield* endMembers(tree, members, grace)
    const pids = [...members.found].filter((pid) => !left.includes(pid))
    return { ended: pids.length, pids, survivors: left }
  }).pipe(Effect.uninterruptible)

const isOneOfThem = (commandId: string): ShellFault =>
  ShellFault.because(
    commandId,
    { _tag: "NotAllowed", policy: "orphans" },
    "exec: what is left of a command cannot be ended by one of its own processes, as this one is (EPERM)",
  )
