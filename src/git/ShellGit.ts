/**
 * Makes the leaf of the Git branch that runs the program git through the `Shell` of the context, in one repository.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { attemptOptions } from "../base/attemptOptions.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import { Shell } from "../shell/Shell.ts"
import { invalidityOf } from "./checkGitRequest.ts"
import { commitGitFiles } from "./commitGitFiles.ts"
import { Git, type GitService } from "./Git.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitCommit, GitEvent, GitFault, GitRequest } from "./GitEntry.ts"
import { parseBranches, parseLog, parseStatus, parseTree } from "./parseGit.ts"
import { type GitRepository, ownPrograms, readGitBytes, runGit, type Words } from "./runGit.ts"

/** Options of a leaf. */
export interface ShellGitOptions {
  /** The top folder of the repository, by the shell's path. Requires git 2.31 or later there. */
  readonly root: string
  /** Bytes of an answer; a larger one fails with `TooLarge`. Default: 4,194,304. */
  readonly maxBytes?: number | undefined
  /** Time of one command. Default: 1 min. */
  readonly timeout?: DurationInput | undefined
}

const names: Readonly<Record<keyof ShellGitOptions, true>> = { root: true, maxBytes: true, timeout: true }

/** Bytes or milliseconds that replace `Infinity`, because a command has finite limits. */
const maxLimit = 2_147_483_647

/**
 * The commits of submodules are compared, but not their files: git would start another git there, with the submodule's
 * own settings.
 */
const withoutSubmodules = ["--ignore-submodules=dirty"]

const diffFlags = ["--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", ...withoutSubmodules]

const statusFlags = ["--porcelain=v2", "-z", "--branch", "--untracked-files=all", ...withoutSubmodules]

const logFlags = ["-z", "--no-color", "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%B"]

const listBranches = ["for-each-ref", "--format=%(HEAD)%00%(refname:lstrip=2)%00%(objectname)", "refs/heads"]

/** Runs git, and returns its stdout. */
type RunGit = (args: Words, input?: string | Uint8Array) => Effect.Effect<string, GitFault>

/** Runs git, and returns whether it exited with 0 rather than 1. */
type AskGit = (...args: Words) => Effect.Effect<boolean, GitFault>

/** Commits the index, or the files of paths, and returns the name of the commit. */
const commitStaged = (request: typeof GitCommit.Type, git: RunGit, asks: AskGit): Effect.Effect<string, GitFault> =>
  Effect.gen(function* () {
    const { message, paths } = request
    if (paths.length > 0) {
      // Adds file by file, because `git add` starts another git in every submodule.
      const { files } = parseStatus(yield* git(["status", ...statusFlags, "--no-renames", "--", ...paths]))
      const changed = files.filter(({ worktree }) => worktree !== ".").map(({ path }) => path.replace(/\/$/, ""))
      const isChanged = (path: string) => changed.some((one) => one === path || one.startsWith(`${path}/`))
      const others = paths.filter((path) => path !== "." && !isChanged(path))
      if (others.length > 0) yield* git(["ls-files", "--error-unmatch", "-z", "--", ...others])
      const input = changed.map((path) => `${path}\0`).join("")
      if (input !== "") yield* git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], input)
    }
    // `git commit` would also list the changes, including those in submodules.
    const isNothing = (yield* asks("diff", "--cached", "--quiet", ...diffFlags)) &&
      !(yield* asks("rev-parse", "--quiet", "--verify", "MERGE_HEAD"))
    if (isNothing) return yield* gitFault(request, "NothingToCommit", "nothing is staged")
    yield* git(["commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-"], message)
    const commit = yield* git(["rev-parse", "--verify", "HEAD"])
    return commit.trim()
  })

const answer = (repository: GitRepository, request: GitRequest): Effect.Effect<GitEvent, GitFault> =>
  Effect.gen(function* () {
    const invalid = invalidityOf(request)
    if (invalid !== undefined) return yield* gitFault(request, "InvalidRequest", invalid)
    const disabled = yield* ownPrograms(repository, request)
    const git: RunGit = (args, input) =>
      Effect.map(runGit(repository, request, disabled, args, [0], input), ({ stdout }) => stdout)
    const asks: AskGit = (...args) =>
      Effect.map(runGit(repository, request, disabled, args, [0, 1]), ({ exitCode }) => exitCode === 0)

    const { correlationId } = request
    switch (request._tag) {
      case "GitStatus":
        return { _tag: "GitStatusResult", correlationId, ...parseStatus(yield* git(["status", ...statusFlags])) }
      case "GitDiff": {
        const revisions = [request.from, request.to].filter((name) => name !== undefined)
        const flags = [...diffFlags, "--src-prefix=a/", "--dst-prefix=b/", ...(request.staged ? ["--cached"] : [])]
        const diff = yield* git(["diff", ...flags, ...revisions, "--", ...request.paths])
        return { _tag: "GitDiffResult", correlationId, diff }
      }
      case "GitLog": {
        const named = request.revision === undefined ? [] : [request.revision]
        const text = yield* git(["log", ...logFlags, `-n${request.maxCount}`, ...named, "--", ...request.paths]).pipe(
          // Git's message for a branch without commits. For a missing named revision git has a different message.
          Effect.catchIf(({ message }) => message.includes("does not have any commits"), () => Effect.succeed("")),
        )
        return { _tag: "GitLogResult", correlationId, commits: parseLog(text) }
      }
      case "GitCommit":
        return { _tag: "GitCommitted", correlationId, commit: yield* commitStaged(request, git, asks) }
      case "GitBranches":
        return { _tag: "GitBranchList", correlationId, ...parseBranches(yield* git(listBranches)) }
      case "GitSwitch": {
        const { branch, create } = request
        yield* git(["switch", "--quiet", "--no-guess", ...(create ? ["--create"] : []), branch])
        return { _tag: "GitSwitched", correlationId, branch }
      }
      case "GitFiles": {
        const files = parseTree(
          yield* git(["ls-tree", "-r", "-z", request.revision ?? "HEAD", "--", ...request.paths]),
        )
        return { _tag: "GitFileList", correlationId, files }
      }
      case "GitRead": {
        const { path, revision = "HEAD" } = request
        const content = yield* readGitBytes(repository, request, disabled, ["cat-file", "blob", `${revision}:${path}`])
        return { _tag: "GitFileContent", correlationId, path, content }
      }
      case "GitCreateBranch": {
        const { branch, from = "HEAD" } = request
        yield* git(["branch", "--no-track", branch, from])
        const commit = yield* git(["rev-parse", "--verify", `refs/heads/${branch}`])
        return { _tag: "GitBranchCreated", correlationId, branch, commit: commit.trim() }
      }
      case "GitCommitFiles":
        return { _tag: "GitCommitted", correlationId, commit: yield* commitGitFiles(request, git) }
      case "GitOpenPullRequest":
        return yield* gitFault(request, "Unsupported", "git has none: use GitHubGit or GitLabGit")
    }
  })

/**
 * Makes the service. Only a repository whose top folder is `root` is used: no folder above it is searched. No program named
 * by its settings, or by its submodules' settings, is run, so its owner does not matter either (`safe.directory`). For a
 * submodule only the commit is reported, not its files.
 */
export const make = (options: ShellGitOptions): Effect.Effect<GitService, OptionError, Shell> =>
  Effect.flatMap(Shell, (shell) =>
    attemptOptions(() => {
      refuseUnknownOptions("ShellGit", options, names)
      const { maxBytes = 4_194_304, root, timeout = "1 minute" } = options
      if (typeof root !== "string" || root === "") {
        throw new OptionError("root", "ShellGit: root is the top folder of a repository")
      }
      const bytes = Math.min(requireCount("ShellGit", "maxBytes", maxBytes, { min: 1 }), maxLimit)
      const repository: GitRepository = {
        shell,
        root,
        maxBytes: bytes,
        timeout: Math.min(positiveMillisOf("timeout", timeout), maxLimit),
      }
      return { request: (request) => Stream.fromEffect(answer(repository, request)) }
    }))

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { MockRun, MockShell } from "@sluice/shell/testing"
 * import { Git, ShellGit } from "@sluice/shell/git"
 * import { Effect, Layer } from "effect"
 *
 * // On any shell: here on one that follows a script.
 * const shell = MockShell.layer([MockShell.on("git", MockRun.stdout(""))])
 * const git = ShellGit.layer({ root: "/work" }).pipe(Layer.provide(shell))
 * const { branches } = await Effect.runPromise(Effect.provide(Git.branches(), git))
 * console.log(branches.length) // 0
 * ```
 */
export const layer = (options: ShellGitOptions): Layer.Layer<Git, OptionError, Shell> =>
  Layer.effect(Git, make(options))
