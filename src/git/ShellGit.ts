/**
 * The leaf of the Git branch that runs the program git through the `Shell` of the context, in one repository.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { ByteBuffer } from "../base/ByteBuffer.ts"
import { type DurationInput, positiveMillisOf } from "../base/duration.ts"
import { listSettings, programsOf, readSettings } from "../base/gitPrograms.ts"
import { OptionError, refuseUnknownOptions, requireCount } from "../base/OptionError.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import { Shell } from "../shell/Shell.ts"
import type { ShellService } from "../shell/ShellService.ts"
import { invalidityOf } from "./checkGitRequest.ts"
import { Git, type GitService } from "./Git.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitCommitFiles, GitEvent, GitFault, GitFaultKind, GitRequest } from "./GitEntry.ts"
import { hardenedGit } from "./hardenedGit.ts"
import { importBlobs, importCommit } from "./importStream.ts"
import { parseBranches, parseLog, parseStatus, parseTree } from "./parseGit.ts"
import { foldersAbove, planCommit, requireParent } from "./planCommit.ts"

/** Options of a leaf. */
export interface ShellGitOptions {
  /** The top folder of the repository, as the shell names it. Its git is of version 2.31 or later. */
  readonly root: string
  /** Bytes of an answer; a larger one fails with `TooLarge`. Default: 4,194,304. */
  readonly maxBytes?: number | undefined
  /** Time of one command. Default: 1 min. */
  readonly timeout?: DurationInput | undefined
}

const names: Readonly<Record<keyof ShellGitOptions, true>> = { root: true, maxBytes: true, timeout: true }

/** Bytes, or milliseconds, where an option is `Infinity`: a command has finite limits. */
const maxLimit = 2_147_483_647

/** Messages of git, in English since `LC_ALL` is C. */
const kinds: ReadonlyArray<readonly [pattern: RegExp, kind: GitFaultKind]> = [
  [/not a git repository/i, "NotARepository"],
  [/already exists/i, "AlreadyExists"],
  [/unknown revision|bad revision|invalid reference|did not match any file|needed a single revision/i, "NotFound"],
  [
    /(not a valid|invalid) object name|does not exist in|exists on disk, but not in|could not get object info/i,
    "NotFound",
  ],
  [/not updating refs|cannot lock ref/i, "Conflict"],
  [/bad file$/i, "InvalidRequest"],
]

/** The commits of submodules are compared, and not their files: git would start itself there, with their own settings. */
const withoutSubmodules = ["--ignore-submodules=dirty"]

const diffFlags = ["--no-color", "--no-ext-diff", "--no-textconv", "--submodule=short", ...withoutSubmodules]

const statusFlags = ["--porcelain=v2", "-z", "--branch", "--untracked-files=all", ...withoutSubmodules]

const logFlags = ["-z", "--no-color", "--format=%H%x00%P%x00%an%x00%ae%x00%aI%x00%B"]

const listBranches = ["for-each-ref", "--format=%(HEAD)%00%(refname:lstrip=2)%00%(objectname)", "refs/heads"]

const fastImport = ["fast-import", "--quiet", "--date-format=raw"]

type Words = ReadonlyArray<string>

const shellFault = (request: GitRequest, { message, reason }: ShellFault): GitFault =>
  gitFault(request, reason._tag === "Timeout" ? "Timeout" : "Failed", message)

const exitFault = (request: GitRequest, text: string, exitCode: number | null): GitFault => {
  const said = text.trim().slice(0, 1_000)
  const kind = kinds.find(([pattern]) => pattern.test(said))?.[1] ?? "Failed"
  return gitFault(request, kind, said || `git exited with ${exitCode}`)
}

const serve = (shell: ShellService, root: string, maxBytes: number, timeout: number): GitService => {
  const tooLarge = (request: GitRequest) => gitFault(request, "TooLarge", `the answer is larger than ${maxBytes} bytes`)

  /** Runs git, which may exit with one of `codes`, without the programs of settings that are `disabled`. */
  const run = (request: GitRequest, disabled: Words, args: Words, codes = [0], input?: string | Uint8Array) =>
    Shell.run(hardenedGit(root, args, disabled, { input, timeout, maxOutputBytes: maxBytes })).pipe(
      Effect.provideService(Shell, shell),
      Effect.mapError((fault) => shellFault(request, fault)),
      Effect.filterOrFail(({ stdoutBytesOmitted }) => stdoutBytesOmitted === 0, () => tooLarge(request)),
      Effect.filterOrFail(
        ({ exitCode }) => codes.includes(exitCode),
        ({ exitCode, stderr, stdout }) => exitFault(request, stderr.trim() || stdout.trim(), exitCode),
      ),
    )

  /** The bytes that git prints: a file need not be text. */
  const readBytes = (request: GitRequest, disabled: Words, args: Words) =>
    Effect.gen(function* () {
      const stdout = new ByteBuffer(maxBytes)
      const stderr = new ByteBuffer(10_000)
      const exec = hardenedGit(root, args, disabled, { timeout })
      let exitCode: number | null = null
      yield* Stream.runForEach(Stream.mapError(shell.bytes(exec), (fault) => shellFault(request, fault)), (event) => {
        if (event._tag === "ShellOutput") exitCode = event.exitCode
        else if (event.stream === "stderr") stderr.push(event.bytes)
        else if (!stdout.push(event.bytes)) return tooLarge(request)
        return Effect.void
      })
      if (exitCode === 0) return stdout.bytes
      return yield* exitFault(request, new TextDecoder().decode(stderr.bytes), exitCode)
    })

  /** The repository's settings that run programs, and not the user's. */
  const ownPrograms = (request: GitRequest) =>
    Effect.map(run(request, [], listSettings, [0]), ({ stdout }) => programsOf(readSettings(stdout)))

  /** Commits files on a branch that is not checked out, and returns the name of the commit. */
  const commitFiles = (
    request: typeof GitCommitFiles.Type,
    git: (args: Words, input?: Uint8Array) => Effect.Effect<string, GitFault>,
  ) =>
    Effect.gen(function* () {
      const { branch, files, from, message } = request
      const found = yield* git(["for-each-ref", "--format=%(objectname)%00%(worktreepath)", `refs/heads/${branch}`])
      const [tip = "", folder = ""] = found.trim().split("\0")
      if (from !== undefined && tip !== "") {
        return yield* gitFault(request, "AlreadyExists", `${quote(branch)} is there`)
      }
      if (from === undefined && tip === "") {
        return yield* gitFault(request, "NotFound", `there is no branch ${quote(branch)}: write from, to make it`)
      }
      if (folder !== "") {
        return yield* gitFault(
          request,
          "InvalidRequest",
          `${quote(branch)} is checked out: use Git.commit, or another branch`,
        )
      }
      const parent = from === undefined ? tip : (yield* git(["rev-parse", "--verify", `${from}^{commit}`])).trim()
      yield* requireParent(request, parent)
      const above = new Set(files.flatMap(({ path }) => [...foldersAbove(path), path]))
      const entries = parseTree(yield* git(["ls-tree", "-t", "-z", parent, "--", ...above]))
      const planned = yield* planCommit(request, new Map(entries.map(({ mode, path }) => [path, mode])))
      const contents = planned.flatMap(({ content }) => content === undefined ? [] : [content])
      const hashes = (yield* git(fastImport, importBlobs(contents))).split("\n").values()
      const changes = planned.map(({ content, mode, path }) => ({
        path,
        mode,
        hash: content === undefined ? undefined : hashes.next().value,
      }))
      const isSame = (file: (typeof changes)[number]) =>
        entries.some(({ hash, mode, path }) => path === file.path && hash === file.hash && mode === file.mode)
      if (changes.every(isSame)) {
        return yield* gitFault(request, "NothingToCommit", "the files already have this content")
      }
      const author = (yield* git(["var", "GIT_AUTHOR_IDENT"])).trim()
      const committer = (yield* git(["var", "GIT_COMMITTER_IDENT"])).trim()
      const commit = importCommit({ branch, parent, author, committer, message, files: changes })
      return (yield* git(fastImport, commit)).trim()
    })

  const answer = (request: GitRequest): Effect.Effect<GitEvent, GitFault> =>
    Effect.gen(function* () {
      const invalid = invalidityOf(request)
      if (invalid !== undefined) return yield* gitFault(request, "InvalidRequest", invalid)
      const disabled = yield* ownPrograms(request)
      const git = (args: Words, input?: string | Uint8Array) =>
        Effect.map(run(request, disabled, args, [0], input), ({ stdout }) => stdout)
      const asks = (...args: Words) =>
        Effect.map(run(request, disabled, args, [0, 1]), ({ exitCode }) => exitCode === 0)

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
            // What git says of a branch without commits. A revision that is named and missing is another message.
            Effect.catchIf(({ message }) => message.includes("does not have any commits"), () => Effect.succeed("")),
          )
          return { _tag: "GitLogResult", correlationId, commits: parseLog(text) }
        }
        case "GitCommit": {
          const { message, paths } = request
          if (paths.length > 0) {
            // File by file: `git add` starts itself in every submodule.
            const { files } = parseStatus(yield* git(["status", ...statusFlags, "--no-renames", "--", ...paths]))
            const changed = files.filter(({ worktree }) => worktree !== ".").map(({ path }) => path.replace(/\/$/, ""))
            const isChanged = (path: string) => changed.some((one) => one === path || one.startsWith(`${path}/`))
            const others = paths.filter((path) => path !== "." && !isChanged(path))
            if (others.length > 0) yield* git(["ls-files", "--error-unmatch", "-z", "--", ...others])
            const input = changed.map((path) => `${path}\0`).join("")
            if (input !== "") yield* git(["update-index", "--add", "--remove", "--replace", "-z", "--stdin"], input)
          }
          // `git commit` would say what is changed, also in submodules.
          const isNothing = (yield* asks("diff", "--cached", "--quiet", ...diffFlags)) &&
            !(yield* asks("rev-parse", "--quiet", "--verify", "MERGE_HEAD"))
          if (isNothing) return yield* gitFault(request, "NothingToCommit", "nothing is staged")
          yield* git(["commit", "--quiet", "--no-verify", "--cleanup=whitespace", "--file=-"], message)
          const commit = yield* git(["rev-parse", "--verify", "HEAD"])
          return { _tag: "GitCommitted", correlationId, commit: commit.trim() }
        }
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
          const content = yield* readBytes(request, disabled, ["cat-file", "blob", `${revision}:${path}`])
          return { _tag: "GitFileContent", correlationId, path, content }
        }
        case "GitCreateBranch": {
          const { branch, from = "HEAD" } = request
          yield* git(["branch", "--no-track", branch, from])
          const commit = yield* git(["rev-parse", "--verify", `refs/heads/${branch}`])
          return { _tag: "GitBranchCreated", correlationId, branch, commit: commit.trim() }
        }
        case "GitCommitFiles":
          return { _tag: "GitCommitted", correlationId, commit: yield* commitFiles(request, git) }
        case "GitOpenPullRequest":
          return yield* gitFault(request, "Unsupported", "git has none: use GitHubGit or GitLabGit")
      }
    })

  return { request: (request) => Stream.fromEffect(answer(request)) }
}

/**
 * Makes the service. Only a repository whose top folder is `root` is asked: no folder above it is searched. No program that its
 * settings, or those of its submodules, name is run, so its owner does not matter either (`safe.directory`). Of a submodule
 * only the commit counts, not its files.
 */
export const make = (options: ShellGitOptions): Effect.Effect<GitService, OptionError, Shell> =>
  Effect.flatMap(Shell, (shell) =>
    attemptOptions(() => {
      refuseUnknownOptions("ShellGit", options, names)
      const { maxBytes = 4_194_304, root, timeout = "1 minute" } = options
      if (typeof root !== "string" || root === "") {
        throw new OptionError("root", "ShellGit: root is the top folder of a repository")
      }
      const bytes = Math.min(requireCount("ShellGit", "maxBytes", maxBytes, 1), maxLimit)
      return serve(shell, root, bytes, Math.min(positiveMillisOf("timeout", timeout), maxLimit))
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
