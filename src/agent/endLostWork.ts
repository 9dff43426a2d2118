/** Ends the open requests and running commands that a killed agent run left in its journal. */
import * as Effect from "effect/Effect"
import { endLostRequests } from "../branch/endLostRequests.ts"
import type { Message, ServiceBranch } from "../branch/ServiceBranch.ts"
import { ComputeBranch } from "../compute/ComputeBranch.ts"
import { makeLastEvent } from "../compute/makeLastEvent.ts"
import { recoverOrphans } from "../compute/recoverOrphans.ts"
import { HttpBranch } from "../fetch/HttpBranch.ts"
import { FileSystemBranch } from "../files/FileSystemBranch.ts"
import { GitBranch } from "../git/GitBranch.ts"
import type { Position } from "../journal/Entry.ts"
import type { JournalError } from "../journal/JournalError.ts"
import type { JournalService } from "../journal/JournalService.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { ApprovalBranch } from "../spell/ApprovalBranch.ts"

/**
 * Ends the requests that the process of a run left open. The run itself ends or recasts its spells when it reaches
 * them.
 */
export const endLostWork = (
  journal: JournalService,
  shell: ShellService | undefined,
  run: { readonly id: string; readonly begun: Position },
): Effect.Effect<void, JournalError> => {
  const where = { after: run.begun, isMeant: (id: string) => id.startsWith(`${run.id}/`) }

  const endIn = <Request extends Message, Event extends Message, Fault extends Message>(
    branch: ServiceBranch<Request, Event, Fault>,
  ) =>
    endLostRequests(journal, branch, {
      ...where,
      makeLastEvent: (request, { host: { pid } }) =>
        Effect.sync(() =>
          branch.makeFault(request, { kind: "HostLost", what: `the process that made it was lost (process ${pid})` })
        ),
    })

  const endCommands = endLostRequests(journal, ComputeBranch, {
    ...where,
    makeLastEvent: (exec, lost) =>
      Effect.flatMap(
        recoverOrphans(shell, exec, lost),
        (recovered) => makeLastEvent(journal)(exec, { _tag: "HostLost", lost, recovered, attempts: 1 }),
      ),
  })

  return Effect.all([
    endCommands,
    endIn(FileSystemBranch),
    endIn(HttpBranch),
    endIn(GitBranch),
    endIn(ApprovalBranch),
  ], { discard: true })
}
