/** Declares the Git branch: operations on a repository are its requests; results and faults its events. */
import { defined } from "../base/defined.ts"
import { messagesOf } from "../branch/messageSchemas.ts"
import { makeServiceBranch, type ServiceBranch } from "../branch/ServiceBranch.ts"
import { GitEvent, GitFault, type GitFaultKind, GitRequest } from "./GitEntry.ts"

export const gitFault = (
  { _tag, correlationId }: Pick<GitRequest, "_tag" | "correlationId">,
  faultKind: GitFaultKind,
  what: string,
  retryAfterMillis?: number,
): GitFault => {
  const name = _tag.slice("Git".length).replace(/(?<=.)[A-Z]/g, " $&").toLowerCase()
  const retry = defined({ retryAfterMillis })
  return new GitFault({ correlationId, faultKind, message: `git ${name}: ${what}`, ...retry })
}

const reads: ReadonlySet<GitRequest["_tag"]> = new Set([
  "GitStatus",
  "GitDiff",
  "GitLog",
  "GitBranches",
  "GitFiles",
  "GitRead",
])

/**
 * The Git branch.
 *
 * @example
 * ```ts
 * import { GitBranch, GitCommit, GitStatus } from "@sluice/shell/git"
 *
 * console.log(GitBranch.canRerun(GitStatus.make({}))) // true
 * console.log(GitBranch.canRerun(GitCommit.make({ message: "Adds a test" }))) // false
 * ```
 */
export const GitBranch: ServiceBranch<GitRequest, GitEvent, GitFault> = makeServiceBranch({
  name: "git",
  request: messagesOf(GitRequest),
  event: messagesOf(GitEvent),
  fault: { tags: ["GitFault"], schema: GitFault },
  makeFault: (request, { kind, what }) => gitFault(request, kind === "NotTaken" ? "Timeout" : "Failed", what),
  bytes: ["content"],
  canRerun: ({ _tag }) => reads.has(_tag),
})
