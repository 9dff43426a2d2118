/** Makes the service of a leaf for GitHub or GitLab: checks requests, and refuses those that need a working tree. */
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { type GitRequestFields, invalidityOf } from "./checkGitRequest.ts"
import type { GitService } from "./Git.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitEvent, GitFault, GitRequest } from "./GitEntry.ts"
import { type Host, type HostClient, hostClient } from "./hostClient.ts"

export type HostRequest = Exclude<GitRequest, { readonly _tag: "GitStatus" | "GitCommit" | "GitSwitch" }>

export type HostAnswer = (client: HostClient, request: HostRequest) => Effect.Effect<GitEvent, GitFault>

const needsTree = (request: GitRequest): request is Exclude<GitRequest, HostRequest> =>
  /^Git(Status|Commit|Switch)$/.test(request._tag)

/** Revisions whose names a URL or the syntax of ranges would misinterpret. */
const unclearName = /\.\.|(^|\/)\.|\/\/|^\/|\/$|\p{Cc}/u

export const makeHostGit = (host: Host, answer: HostAnswer): GitService => {
  const serve = (request: GitRequest): Effect.Effect<GitEvent, GitFault> => {
    const invalid = invalidityOf(request)
    if (invalid !== undefined) return gitFault(request, "InvalidRequest", invalid)
    const isOfTree = request._tag === "GitDiff" && (request.to === undefined || request.staged)
    if (needsTree(request) || isOfTree) {
      const what = `${host.name} has no working tree: use files, read, diff of two revisions, commitFiles`
      return gitFault(request, "Unsupported", what)
    }
    if (request._tag === "GitLog" && request.paths.length > 1) {
      return gitFault(request, "Unsupported", `${host.name} logs one path at a time`)
    }
    const { from, revision, to }: GitRequestFields = request
    const unclear = [from, revision, to].find((name) => name !== undefined && unclearName.test(name))
    if (unclear !== undefined) return gitFault(request, "InvalidRequest", `${quote(unclear)} is not one revision`)
    return answer(hostClient(host, request), request)
  }
  return { request: (request) => Stream.fromEffect(serve(request)) }
}
