/** Declares the `Git` service, and operators on the repository of the context. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { attemptRequest } from "../branch/attemptRequest.ts"
import { requestOne } from "../branch/requestOne.ts"
import type { RequestService } from "../branch/ServiceBranch.ts"
import { CommandId } from "../command/CommandId.ts"
import { gitFault } from "./GitBranch.ts"
import { GitBranches, GitCommit, GitCommitFiles, GitCreateBranch, GitDiff, GitFiles, GitLog } from "./GitEntry.ts"
import { GitOpenPullRequest, GitRead, GitStatus, GitSwitch } from "./GitEntry.ts"
import type { GitEvent, GitFault, GitFileChange, GitRequest } from "./GitEntry.ts"

/** A service for one repository. */
export interface GitService extends RequestService<GitRequest, GitEvent, GitFault> {}

const Base: Context.ServiceClass<Git, "@sluice/shell/Git", GitService> = Context.Service<Git, GitService>()(
  "@sluice/shell/Git",
)

type Answer<Tag extends GitEvent["_tag"]> = Effect.Effect<Extract<GitEvent, { _tag: Tag }>, GitFault, Git>

const ask = <Tag extends GitEvent["_tag"]>(
  _tag: GitRequest["_tag"],
  makeRequest: () => GitRequest,
  tag: Tag,
): Answer<Tag> =>
  Effect.gen(function* () {
    const request = yield* attemptRequest(makeRequest, (message) =>
      gitFault({ _tag, correlationId: CommandId.make() }, "InvalidRequest", message))
    return yield* Effect.filterOrFail(
      requestOne(yield* Git, request),
      (event): event is Extract<GitEvent, { _tag: Tag }> =>
        event._tag === tag,
      (event) => gitFault(request, "Failed", `the answer was ${event._tag}`),
    )
  })

type Fields<Request> = Partial<Omit<Request, "_tag">>

/**
 * Reads a repository, commits, and switches branches. The layer decides which repository: `ShellGit` by the program git,
 * `GitHubGit` and `GitLabGit` over their APIs, `MockGit` by a script.
 *
 * @example
 * ```ts
 * import { Git, MockGit } from "@sluice/shell/git"
 * import { Effect } from "effect"
 *
 * const files = [{ path: "a.txt", index: ".", worktree: "M" }]
 * const git = MockGit.layer([{ request: "GitStatus", answer: { _tag: "GitStatusResult", branch: "main", files } }])
 * const { branch } = await Effect.runPromise(Effect.provide(Git.status(), git))
 * console.log(branch) // main
 * ```
 */
export class Git extends Base {
  /** The changes in the working tree and in the index. */
  static status(): Answer<"GitStatusResult"> {
    return ask("GitStatus", () => GitStatus.make({}), "GitStatusResult")
  }

  /** A unified diff: of the working tree, of the index, or of two revisions. */
  static diff(fields: Fields<typeof GitDiff.Type> = {}): Answer<"GitDiffResult"> {
    return ask("GitDiff", () => GitDiff.make(fields), "GitDiffResult")
  }

  /** Commits, the newest first. */
  static log(fields: Fields<typeof GitLog.Type> = {}): Answer<"GitLogResult"> {
    return ask("GitLog", () => GitLog.make(fields), "GitLogResult")
  }

  /** Stages all changes of `paths`, and commits the index. */
  static commit(message: string, fields: Fields<typeof GitCommit.Type> = {}): Answer<"GitCommitted"> {
    return ask("GitCommit", () => GitCommit.make({ ...fields, message }), "GitCommitted")
  }

  /** The branches, and the current one. */
  static branches(): Answer<"GitBranchList"> {
    return ask("GitBranches", () => GitBranches.make({}), "GitBranchList")
  }

  /** Switches to a branch. */
  static switchTo(branch: string, fields: Fields<typeof GitSwitch.Type> = {}): Answer<"GitSwitched"> {
    return ask("GitSwitch", () => GitSwitch.make({ ...fields, branch }), "GitSwitched")
  }

  /** The files of a commit. */
  static files(fields: Fields<typeof GitFiles.Type> = {}): Answer<"GitFileList"> {
    return ask("GitFiles", () => GitFiles.make(fields), "GitFileList")
  }

  /** The content of a file of a commit. */
  static read(path: string, fields: Fields<typeof GitRead.Type> = {}): Answer<"GitFileContent"> {
    return ask("GitRead", () => GitRead.make({ ...fields, path }), "GitFileContent")
  }

  /** Makes a branch, without switching to it. */
  static createBranch(branch: string, fields: Fields<typeof GitCreateBranch.Type> = {}): Answer<"GitBranchCreated"> {
    return ask("GitCreateBranch", () => GitCreateBranch.make({ ...fields, branch }), "GitBranchCreated")
  }

  /** Commits changes of files on a branch, without a working tree: all of them, or none. */
  static commitFiles(
    branch: string,
    message: string,
    files: ReadonlyArray<GitFileChange>,
    fields: Fields<typeof GitCommitFiles.Type> = {},
  ): Answer<"GitCommitted"> {
    return ask("GitCommitFiles", () => GitCommitFiles.make({ ...fields, branch, message, files }), "GitCommitted")
  }

  /** Opens a pull request (GitLab: a merge request) of a branch; only on a host. */
  static openPullRequest(
    branch: string,
    title: string,
    fields: Fields<typeof GitOpenPullRequest.Type> = {},
  ): Answer<"GitPullRequestOpened"> {
    return ask(
      "GitOpenPullRequest",
      () => GitOpenPullRequest.make({ ...fields, branch, title }),
      "GitPullRequestOpened",
    )
  }
}
