/**
 * Ends the remaining processes of a command whose host was killed; finds them by the marker of its id in their
 * environment.
 *
 * It cannot find processes of other users (only root can read their environment), setuid programs (proc_pid_environ(5)),
 * processes of another pid namespace or machine, and those that have lost both their parent and their environment. macOS
 * hides the environment of its own programs.
 */
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { ShellFault } from "../../../command/plain/ShellFault.ts"
import type { OrphanReport } from "../../../shell/ShellService.ts"
import { liveMarkers } from "./liveMarkers.ts"
import { markOf } from "../../../host/runMarker.ts"
import { endMembers } from "./terminateTree.ts"
import { type ProcessTree, TreeMembers } from "./TreeMembers.ts"

/** No process was left. */
export const emptyOrphanReport: OrphanReport = { ended: 0, pids: [], survivors: [] }

/** Ends them. `self` is the id of this process, `hostPid` that of the lost host, if it is known. */
export const endOrphans = (
  processes: Pick<ProcessTree, "table" | "signal">,
  self: number,
  commandId: string,
  grace: Duration.Duration,
  hostPid?: number,
): Effect.Effect<OrphanReport, ShellFault> =>
  Effect.gen(function* () {
    const marker = markOf(commandId, hostPid)
    const tree: ProcessTree = {
      table: processes.table,
      signal: processes.signal,
      marker,
      others: () => liveMarkers(marker),
    }
    const members = new TreeMembers(tree)
    const { alive } = yield* Effect.promise(() => members.search())
    if (alive.includes(self)) return yield* Effect.fail(ownProcessFault(commandId))
    if (alive.length === 0) return emptyOrphanReport
    const survivors = yield* endMembers(tree, members, grace)
    const pids = [...members.found].filter((pid) => !survivors.includes(pid))
    return { ended: pids.length, pids, survivors }
  }).pipe(Effect.uninterruptible)

const ownProcessFault = (commandId: string): ShellFault =>
  ShellFault.because(
    commandId,
    { _tag: "NotAllowed", policy: "orphans" },
    "exec: the remaining processes of a command cannot be ended by this process, which is one of them (EPERM)",
  )
