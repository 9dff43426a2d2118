/** Commits files on a branch that is not checked out, with git commands that touch no working tree. */
import * as Effect from "effect/Effect"
import { quote } from "../base/quote.ts"
import { gitFault } from "./GitBranch.ts"
import type { GitCommitFiles, GitFault } from "./GitEntry.ts"
import { importBlobs, importCommit } from "./importStream.ts"
import { parseTree } from "./parseGit.ts"
import { foldersAbove, planCommit, requireParent } from "./planCommit.ts"
import type { Words } from "./runGit.ts"

const fastImport = ["fast-import", "--quiet", "--date-format=raw"]

/** Returns the name of the commit. */
export const commitGitFiles = (
  request: typeof GitCommitFiles.Type,
  git: (args: Words, input?: Uint8Array) => Effect.Effect<string, GitFault>,
): Effect.Effect<string, GitFault> =>
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
