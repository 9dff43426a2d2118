/** Runs commands of a shell, and appends each request, its output and its last event to a journal. */
import * as Channel from "effect/Channel"
import * as Stream from "effect/Stream"
import { sortKeys } from "../base/canonicalJson.ts"
import { draftOwnLease } from "../branch/BranchEntry.ts"
import type { HostIdentity } from "../branch/HostIdentity.ts"
import type { ShellOutput, ShellOutputChunk } from "../command/ShellEvent.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { JournalService } from "../journal/JournalService.ts"
import * as Redactor from "../journal/redaction/Redactor.ts"
import { redactorOf } from "../journal/redaction/RememberedSecrets.ts"
import type { ShellBytes, ShellService } from "../shell/ShellService.ts"
import { ComputeBranch } from "./ComputeBranch.ts"
import { describeExecution } from "./describeExecution.ts"
import { type JournaledShellOptions, journaledShellSettings } from "./JournaledShellOptions.ts"
import { type RecordedCommand, recordRun, type RunJournal } from "./recordRun.ts"

/**
 * Runs commands of a shell, each journaled under a lease of this process, so that no daemon takes them, and a daemon
 * that finds the process dead ends their remaining processes.
 */
export const makeJournaled = (
  shell: ShellService,
  journal: JournalService,
  host: HostIdentity,
  options: JournaledShellOptions = {},
): ShellService => {
  // Leases differ only in the command id, so this one is encoded once: a Schema's encoding costs more than the append.
  const lease = draftOwnLease({ name: ComputeBranch.name, correlationOf: () => "any" }, undefined, host)
  // Its keys are in the order of the canonical form, so they need not be sorted for each command.
  const body = sortKeys({ ...lease.body, execution: null })
  const { durability, once, outageTimeoutMillis, recordInput, redactor: own } = journaledShellSettings(options)
  const runs: RunJournal = {
    shell,
    journal: { ...journal, append: (drafts, { condition } = {}) => journal.append(drafts, { durability, condition }) },
    outageTimeoutMillis,
    recordInput,
    redactor: () => {
      const shared = redactorOf(journal)
      return own === undefined || shared === undefined ? own ?? shared : Redactor.combine(own, shared)
    },
    leaseOf: (exec, resolved, redaction) => ({
      ...lease,
      correlationId: exec.commandId,
      body: { ...body, _tag: lease.body._tag, execution: { ...describeExecution(resolved, redaction?.text) } },
    }),
    conditionOf: ({ commandId: correlationId }) =>
      once
        ? { after: 0, noneOf: { branch: ComputeBranch.name, correlationId, tags: ComputeBranch.request.tags } }
        : undefined,
  }
  const record = <Element extends ShellOutputChunk | ShellBytes>(
    command: RecordedCommand<Element>,
  ): Stream.Stream<Element | ShellOutput, ShellFault> =>
    Stream.fromChannel(Channel.fromTransform((_, scope) => recordRun(runs, command, scope)))

  return {
    ...shell,
    exec: (exec, runOptions) =>
      record({ exec, what: "text", runOptions, run: (settings) => shell.exec(exec, settings) }),
    bytes: (exec, runOptions) =>
      record({ exec, what: "bytes", runOptions, run: (settings) => shell.bytes(exec, settings) }),
  }
}
