/** Schemas of the messages of the Git branch: operations on a repository, their results, their fault. */
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type EventSchema, eventSchema, type RequestSchema, requestSchema } from "../branch/messageSchemas.ts"
import { CommandId } from "../command/CommandId.ts"
import { GitCommitFiles, GitCreateBranch, GitFiles, GitOpenPullRequest, GitRead } from "./GitTreeEntry.ts"

export * from "./GitTreeEntry.ts"

const text = Schema.String
const maybe = Schema.optionalKey(text)
const no = Schema.Boolean.pipe(Schema.withConstructorDefault(Effect.succeed(false)))
const maxCount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })).pipe(
  Schema.withConstructorDefault(Effect.succeed(50)),
)
const all = Schema.Array(text).pipe(Schema.withConstructorDefault(Effect.succeed([])))

/** Schema of a request for the changes in the working tree and in the index. */
export const GitStatus: RequestSchema<"GitStatus", {}> = requestSchema("GitStatus", {})

/** Schema of a request for a unified diff: of the working tree, of the index (`staged`), or of `from` and `to`. */
export const GitDiff: RequestSchema<"GitDiff", {
  readonly from: Schema.optionalKey<typeof Schema.String>
  readonly to: Schema.optionalKey<typeof Schema.String>
  readonly staged: Schema.withConstructorDefault<typeof Schema.Boolean>
  readonly paths: Schema.withConstructorDefault<Schema.$Array<typeof Schema.String>>
}> = requestSchema("GitDiff", { from: maybe, to: maybe, staged: no, paths: all })

/** Schema of a request for commits, the newest first. */
export const GitLog: RequestSchema<"GitLog", {
  readonly revision: Schema.optionalKey<typeof Schema.String>
  readonly maxCount: Schema.withConstructorDefault<typeof Schema.Int>
  readonly paths: Schema.withConstructorDefault<Schema.$Array<typeof Schema.String>>
}> = requestSchema("GitLog", { revision: maybe, maxCount, paths: all })

/** Schema of a request to commit: it stages all changes of `paths` (`["."]`: all) and commits the index. */
export const GitCommit: RequestSchema<"GitCommit", {
  readonly message: typeof Schema.String
  readonly paths: Schema.withConstructorDefault<Schema.$Array<typeof Schema.String>>
}> = requestSchema("GitCommit", { message: text, paths: all })

/** Schema of a request for the branches of a repository. */
export const GitBranches: RequestSchema<"GitBranches", {}> = requestSchema("GitBranches", {})

/** Schema of a request to switch to a branch; with `create` the branch is made at the current commit. */
export const GitSwitch: RequestSchema<"GitSwitch", {
  readonly branch: typeof Schema.String
  readonly create: Schema.withConstructorDefault<typeof Schema.Boolean>
}> = requestSchema("GitSwitch", { branch: text, create: no })

/** Schema of all requests. */
export const GitRequest: Schema.Union<
  readonly [
    typeof GitStatus,
    typeof GitDiff,
    typeof GitLog,
    typeof GitCommit,
    typeof GitBranches,
    typeof GitSwitch,
    typeof GitFiles,
    typeof GitRead,
    typeof GitCreateBranch,
    typeof GitCommitFiles,
    typeof GitOpenPullRequest,
  ]
> = Schema.Union([
  GitStatus,
  GitDiff,
  GitLog,
  GitCommit,
  GitBranches,
  GitSwitch,
  GitFiles,
  GitRead,
  GitCreateBranch,
  GitCommitFiles,
  GitOpenPullRequest,
])

/** A request of the Git branch. */
export type GitRequest = typeof GitRequest.Type

const ChangedFile = Schema.Struct({ path: text, index: text, worktree: text, from: maybe })
const person = { author: text, email: text }
const Commit = Schema.Struct({ commit: text, parents: Schema.Array(text), ...person, date: text, message: text })
const Head = Schema.Struct({ name: text, commit: text })
const File = Schema.Struct({ path: text, mode: text, hash: text })

/**
 * Schema of an answer: `GitStatusResult`, `GitDiffResult`, `GitLogResult`, `GitCommitted`, `GitBranchList`, `GitSwitched`,
 * `GitFileList`, `GitFileContent`, `GitBranchCreated` or `GitPullRequestOpened`. `index` and `worktree` of a changed file are
 * letters of git-status(1); `.` is unchanged, `?` untracked. `mode` is that of git: `100644`, `100755`, `120000` (a link),
 * `160000` (a submodule).
 */
export const GitEvent: Schema.Union<
  readonly [
    EventSchema<"GitStatusResult", {
      readonly branch: Schema.optionalKey<typeof Schema.String>
      readonly commit: Schema.optionalKey<typeof Schema.String>
      readonly files: Schema.$Array<
        Schema.Struct<{
          readonly path: typeof Schema.String
          readonly index: typeof Schema.String
          readonly worktree: typeof Schema.String
          readonly from: Schema.optionalKey<typeof Schema.String>
        }>
      >
    }>,
    EventSchema<"GitDiffResult", { readonly diff: typeof Schema.String }>,
    EventSchema<"GitLogResult", {
      readonly commits: Schema.$Array<
        Schema.Struct<{
          readonly commit: typeof Schema.String
          readonly parents: Schema.$Array<typeof Schema.String>
          readonly author: typeof Schema.String
          readonly email: typeof Schema.String
          readonly date: typeof Schema.String
          readonly message: typeof Schema.String
        }>
      >
    }>,
    EventSchema<"GitCommitted", { readonly commit: typeof Schema.String }>,
    EventSchema<
      "GitBranchList",
      {
        readonly current: Schema.optionalKey<typeof Schema.String>
        readonly branches: Schema.$Array<
          Schema.Struct<{ readonly name: typeof Schema.String; readonly commit: typeof Schema.String }>
        >
      }
    >,
    EventSchema<"GitSwitched", { readonly branch: typeof Schema.String }>,
    EventSchema<"GitFileList", {
      readonly files: Schema.$Array<
        Schema.Struct<{
          readonly path: typeof Schema.String
          readonly mode: typeof Schema.String
          readonly hash: typeof Schema.String
        }>
      >
    }>,
    EventSchema<"GitFileContent", {
      readonly path: typeof Schema.String
      readonly content: typeof Schema.Uint8ArrayFromBase64
    }>,
    EventSchema<
      "GitBranchCreated",
      { readonly branch: typeof Schema.String; readonly commit: typeof Schema.String }
    >,
    EventSchema<"GitPullRequestOpened", { readonly number: typeof Schema.Int; readonly url: typeof Schema.String }>,
  ]
> = Schema.Union([
  eventSchema("GitStatusResult", { branch: maybe, commit: maybe, files: Schema.Array(ChangedFile) }),
  eventSchema("GitDiffResult", { diff: text }),
  eventSchema("GitLogResult", { commits: Schema.Array(Commit) }),
  eventSchema("GitCommitted", { commit: text }),
  eventSchema("GitBranchList", { current: maybe, branches: Schema.Array(Head) }),
  eventSchema("GitSwitched", { branch: text }),
  eventSchema("GitFileList", { files: Schema.Array(File) }),
  eventSchema("GitFileContent", { path: text, content: Schema.Uint8ArrayFromBase64 }),
  eventSchema("GitBranchCreated", { branch: text, commit: text }),
  eventSchema("GitPullRequestOpened", { number: Schema.Int, url: text }),
])

/** An event of the Git branch. */
export type GitEvent = typeof GitEvent.Type

const gitFaultKinds = [
  "NotARepository",
  "NotFound",
  "AlreadyExists",
  "NothingToCommit",
  "InvalidRequest",
  "TooLarge",
  "Unsupported",
  "Denied",
  "Conflict",
  "Throttled",
  "Unreachable",
  "Timeout",
  "Failed",
] as const

/**
 * Schema of the reason why a request failed. `Unsupported`: this leaf cannot do it, such as a host without a working
 * tree. `Conflict`: the branch or a file has changed meanwhile, and nothing was committed. `Throttled`: a limit of the
 * host, until `retryAfterMillis`.
 */
export const GitFaultKind: Schema.Literals<typeof gitFaultKinds> = Schema.Literals(gitFaultKinds)

/** The kind of a failure. */
export type GitFaultKind = typeof GitFaultKind.Type

const Base: Schema.Class<
  GitFault,
  EventSchema<"GitFault", {
    readonly faultKind: typeof GitFaultKind
    readonly message: typeof Schema.String
    readonly retryAfterMillis: Schema.optionalKey<typeof Schema.Int>
  }>,
  Cause.YieldableError
> = Schema.TaggedError<GitFault>()("GitFault", {
  correlationId: CommandId,
  faultKind: GitFaultKind,
  message: text,
  retryAfterMillis: Schema.optionalKey(Schema.Int),
})

/**
 * A request that failed. `message` has the message of git, or of the host. `retryAfterMillis` is the time until a host takes
 * requests again.
 */
export class GitFault extends Base {}
