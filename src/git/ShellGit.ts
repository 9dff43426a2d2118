/**
 * The leaf of the Git branch that runs the program git through the `Shell` of the context, in one repository.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type DurationInput, durationOf } from "../base/duration.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import type { ShellOutput } from "../command/ShellEvent.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { Git, type GitService } from "./Git.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitEvent, GitFault, GitFaultKind, GitRequest } from "./GitEntry.ts"
import { hardenedGit, programSettings } from "./hardenedGit.ts"
import { parseBranches, parseLog, parseStatus } from "./parseGit.ts"

/**
 * Options of a leaf.
 *
 * @stability experimental
 */
export interface ShellGitOptions {
  /** The top folder of the repository, as the shell names it. */
  readonly root: string
  /** Bytes of an answer; a larger one fails with `TooLarge`. Default: 4,194,304. */
  readonly maxBytes?: number | undefined
  /** Time of one command. Default: 1 min. */
  readonly timeout?: DurationInput | undefined
}

const names: Readonly<Record<keyof ShellGitOptions, true>> = { root: true, maxBytes: true, timeout: true }

/** Messages of git, in English since `LC_ALL` is C. */
const kinds: ReadonlyArray<readonly [pattern: RegExp, kind: GitFaultKind]> = [
  [/not a git repository/i, "NotARepository"],
  [/nothing (added )?to commit|no changes added to commit/i, "NothingToCommit"],
  [/already exists/i, "AlreadyExists"],
  [/unknown revision|bad revision|invalid reference|did not match any file|does not have any commits/i, "NotFound"],
]

/** Names of revisions and branches: none looks like an option. */
const revision = /^[^\s\-~^:?*[\\][^\s?*[\\]{0,250}$/

/** The commits of submodules are compared, and not their files: git would start itself there, with their own settings. */
const withoutSubmodules = ["--ignore-submodules=dirty"]

const diffFlags = ["--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", ...withoutSubmodules]

const statusFlags = ["--porcelain=v2", "-z", "--branch", "--untracked-files=all", ...withoutSubmodules]

const isOutside = (path: string): boolean =>
  path === "" || path.includes("\0") || path.startsWith("/") || path.split("/").includes("..")

/** What is wrong with a request; `undefined` if nothing is. */
const invalidity = (request: GitRequest): string | undefined => {
  const revisions = request._tag === "GitDiff"
    ? [request.from, request.to]
    : request._tag === "GitLog"
    ? [request.revision]
    : request._tag === "GitSwitch"
    ? [request.branch]
    : []
  const wrong = revisions.find((name) => name !== undefined && !revision.test(name))
  if (wrong !== undefined) return `${JSON.stringify(wrong.slice(0, 100))} is not the name of a revision`
  const path = "paths" in request ? request.paths.find(isOutside) : undefined
  if (path !== undefined) return `${JSON.stringify(path.slice(0, 100))} is not a path below the repository`
  return request._tag === "GitCommit" && request.message.trim() === "" ? "a commit has a message" : undefined
}

interface ShellGitSettings {
  readonly root: string
  readonly maxBytes: number
  readonly timeout: DurationInput
}

const serve = (shell: ShellService, { maxBytes, root, timeout }: ShellGitSettings): GitService => {
  const run = (
    request: GitRequest,
    args: ReadonlyArray<string>,
    options: {
      readonly input?: string
      readonly overridden?: ReadonlyArray<string>
      readonly codes?: ReadonlyArray<number>
    } = {},
  ): Effect.Effect<ShellOutput, GitFault> => {
    const { codes = [0], ...rest } = options
    const exec = hardenedGit(root, args, { ...rest, timeout, maxOutputBytes: maxBytes })
    return Shell.run(exec).pipe(
      Effect.provideService(Shell, shell),
      Effect.mapError((fault) =>
        gitFault(request, fault.reason._tag === "Timeout" ? "Timeout" : "Failed", fault.message)
      ),
      Effect.flatMap((output: ShellOutput) => {
        if (output.stdoutBytesOmitted > 0) {
          return Effect.fail(gitFault(request, "TooLarge", `the answer is larger than ${maxBytes} bytes`))
        }
        if (codes.includes(output.exitCode)) return Effect.succeed(output)
        const said = (output.stderr.trim() || output.stdout.trim()).slice(0, 1_000)
        const kind = kinds.find(([pattern]) => pattern.test(said))?.[1] ?? "Failed"
        return Effect.fail(gitFault(request, kind, said === "" ? `git exited with ${output.exitCode}` : said))
      }),
    )
  }

  /** The repository's settings by which a file's attributes would run a program. */
  const ownPrograms = (request: GitRequest) =>
    Effect.map(
      run(request, ["config", "-z", "--includes", "--show-scope", "--name-only", "--get-regexp", programSettings], {
        codes: [0, 1],
      }),
      ({ stdout }) => {
        const words = stdout.split("\0")
        return words.flatMap((word, at) =>
          at % 2 === 1 && words[at - 1] !== "global" && words[at - 1] !== "system" ? [word] : []
        )
      },
    )

  const answer = (request: GitRequest): Effect.Effect<GitEvent, GitFault> =>
    Effect.gen(function* () {
      const invalid = invalidity(request)
      if (invalid !== undefined) return yield* Effect.fail(gitFault(request, "InvalidRequest", invalid))
      const overridden = yield* ownPrograms(request)
      const git = (args: ReadonlyArray<string>, input?: string): Effect.Effect<string, GitFault> =>
        Effect.map(
          run(request, args, { overridden, ...(input === undefined ? undefined : { input }) }),
          ({ stdout }) => stdout,
        )
      /** Whether a command exits with 0. */
      const asks = (...args: ReadonlyArray<string>) =>
        Effect.map(run(request, args, { overridden, codes: [0, 1] }), ({ exitCode }) => exitCode === 0)

      /** Stages the changes of paths, file by file: `git add` starts itself in every submodule. */
      const stage = (paths: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const { files } = parseStatus(yield* git(["status", ...statusFlags, "--no-renames", "--", ...paths]))
          const changed = files.filter(({ worktree }) => worktree !== ".").map(({ path }) => path.replace(/\/$/, ""))
          const isChanged = (path: string) => changed.some((one) => one === path || one.startsWith(`${path}/`))
          const others = paths.filter((path) => path !== "." && !isChanged(path))
          if (others.length > 0) yield* git(["ls-files", "--error-unmatch", "-z", "--", ...others])
          const input = changed.map((path) => `${path}\0`).join("")
          if (input !== "") yield* git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], input)
        })
      const { correlationId } = request
      switch (request._tag) {
        case "GitStatus": {
          const text = yield* git(["status", ...statusFlags])
          return { _tag: "GitStatusResult", correlationId, ...parseStatus(text) }
        }
        case "GitDiff": {
          const revisions = [request.from, request.to].filter((name) => name !== undefined)
          const staged = request.staged ? ["--cached"] : []
          const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"]
          const diff = yield* git(["diff", ...diffFlags, ...prefixes, ...staged, ...revisions, "--", ...request.paths])
          return { _tag: "GitDiffResult", correlationId, diff }
        }
        case "GitLog": {
          const named = request.revision === undefined ? [] : [request.revision]
          const format = "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%B"
          const limit = `--max-count=${request.limit}`
          const text = yield* git([
            "log",
            "-z",
            "--no-color",
            "--no-show-signature",
            format,
            limit,
            ...named,
            "--",
            ...request.paths,
          ])
          return { _tag: "GitLogResult", correlationId, commits: parseLog(text) }
        }
        case "GitCommit": {
          if (request.paths.length > 0) yield* stage(request.paths)
          // `git commit` would say what is changed, also in submodules.
          const isNothing = (yield* asks("diff", "--cached", "--quiet", ...diffFlags)) &&
            !(yield* asks("rev-parse", "--quiet", "--verify", "MERGE_HEAD"))
          if (isNothing) return yield* Effect.fail(gitFault(request, "NothingToCommit", "nothing is staged"))
          yield* git(
            ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=whitespace", "--file=-"],
            request.message,
          )
          const commit = yield* git(["rev-parse", "--verify", "HEAD"])
          return { _tag: "GitCommitted", correlationId, commit: commit.trim() }
        }
        case "GitBranches": {
          const format = "--format=%(HEAD)%00%(refname:lstrip=2)%00%(objectname)"
          const text = yield* git(["for-each-ref", format, "refs/heads"])
          return { _tag: "GitBranchList", correlationId, ...parseBranches(text) }
        }
        case "GitSwitch": {
          const { branch, create } = request
          const named = create ? ["--create", branch] : [branch]
          yield* git(["switch", "--quiet", "--no-guess", "--no-recurse-submodules", ...named])
          return { _tag: "GitSwitched", correlationId, branch }
        }
      }
    })

  return { request: (request) => Stream.fromEffect(answer(request)) }
}

/**
 * Makes the service. Only a repository whose top folder is `root` is asked: no folder above it is searched. No program that its
 * settings, or those of its submodules, name is run, so its owner does not matter either (`safe.directory`). Of a submodule
 * only the commit counts, not its files.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { Git, ShellGit } from "@sluice/shell/git"
 * import { Effect, Layer } from "effect"
 *
 * const git = ShellGit.layer({ root: "/" }).pipe(Layer.provide(LocalShell.layer))
 * const { faultKind } = await Effect.runPromise(Effect.provide(Effect.flip(Git.status()), git))
 * console.assert(faultKind === "NotARepository")
 * ```
 *
 * @stability experimental
 */
export const make = (options: ShellGitOptions): Effect.Effect<GitService, OptionError, Shell> =>
  Effect.gen(function* () {
    const settings = yield* attemptOptions(() => {
      refuseUnknownOptions("ShellGit", options, names)
      if (typeof options.root !== "string" || options.root === "") {
        throw new OptionError("root", "ShellGit: root is the top folder of a repository")
      }
      const { maxBytes = 4_194_304, root, timeout = "1 minute" } = options
      return {
        root,
        timeout: durationOf("timeout", timeout),
        maxBytes: requireCount("ShellGit", "maxBytes", maxBytes, 1),
      }
    })
    return serve(yield* Shell, settings)
  })

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
 * console.assert(branches.length === 0)
 * ```
 *
 * @stability experimental
 */
export const layer = (options: ShellGitOptions): Layer.Layer<Git, OptionError, Shell> =>
  Layer.effect(Git, make(options))
