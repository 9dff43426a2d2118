/** Answers requests with GitLab's REST API. Source: https://docs.gitlab.com/api/rest/ */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import { encodeUtf8 } from "../base/bytes.ts"
import { defined } from "../base/defined.ts"
import { sha256 } from "../base/sha256.ts"
import type { GitCommitFiles } from "./GitEntry.ts"
import { apiPath, cleanPath, type HostClient, isBelow } from "./hostClient.ts"
import type { HostAnswer } from "./makeHostGit.ts"
import { foldersAbove, planCommit, type PlannedFile, requireParent } from "./planCommit.ts"
import { fileDiff } from "./unifiedDiff.ts"

const text = Schema.String
const flag = Schema.optionalKey(Schema.NullOr(Schema.Boolean))
const Hash = Schema.Struct({ id: text })
const Commit = Schema.Struct({
  id: text,
  parent_ids: Schema.Array(text),
  message: text,
  author_name: text,
  author_email: text,
  authored_date: text,
})
const Entry = Schema.Struct({ id: text, type: text, path: text, mode: text })
const File = Schema.Struct({ encoding: Schema.Literal("base64"), content: text })
const Changed = Schema.Struct({
  old_path: text,
  new_path: text,
  a_mode: text,
  b_mode: text,
  new_file: Schema.Boolean,
  renamed_file: Schema.Boolean,
  deleted_file: Schema.Boolean,
  diff: text,
  collapsed: flag,
  too_large: flag,
})
const Compared = Schema.Struct({ diffs: Schema.Array(Changed), compare_timeout: flag })
const Branch = Schema.Struct({ name: text, default: Schema.Boolean, commit: Hash })
const Project = Schema.Struct({ default_branch: Schema.NullOr(text) })
const Opened = Schema.Struct({ iid: Schema.Int, web_url: text })

interface Found {
  readonly mode: string
  readonly hash: string | undefined
  readonly lastCommit: string | undefined
}

/** An action on a file; GitLab does none of them if a file has changed since `lastCommit`. */
const actionsOf = ({ content, mode, path }: PlannedFile, found: Found | undefined): ReadonlyArray<object> => {
  const file = { file_path: path, ...(found?.lastCommit && { last_commit_id: found.lastCommit }) }
  if (content === undefined) return [{ action: "delete", ...file }]
  const bytes = typeof content === "string" ? encodeUtf8(content) : content
  const isWritten = found === undefined || found.hash !== sha256(bytes)
  const written = { ...file, content: Base64.encode(bytes), encoding: "base64" }
  const chmod = { action: "chmod", file_path: path, execute_filemode: mode === "100755" }
  return [
    ...(isWritten ? [{ action: found === undefined ? "create" : "update", ...written }] : []),
    ...(mode === (found?.mode ?? "100644") ? [] : [chmod]),
  ]
}

const find = (client: HostClient, path: string, ref: string) =>
  client.send(apiPath`/repository/files/${path}`, { method: "HEAD", query: { ref } }).pipe(
    Effect.map(({ headers }): Found => ({
      mode: headers["x-gitlab-execute-filemode"] === "true" ? "100755" : "100644",
      hash: headers["x-gitlab-content-sha256"],
      lastCommit: headers["x-gitlab-last-commit-id"],
    })),
    Effect.catchIf(({ faultKind }) => faultKind === "NotFound", () => Effect.undefined),
  )

const commitFiles = (client: HostClient, request: typeof GitCommitFiles.Type) =>
  Effect.gen(function* () {
    const { branch, files, from, message } = request
    const { id: parent } = from === undefined
      ? (yield* client.json(Branch, apiPath`/repository/branches/${branch}`)).commit
      : yield* client.json(Hash, apiPath`/repository/commits/${from}`)
    yield* requireParent(request, parent)
    const known = new Map<string, Found>()
    const look = (paths: Iterable<string>) =>
      Effect.forEach(
        paths,
        (path) => Effect.map(find(client, path, parent), (one) => one && known.set(path, one)),
        { concurrency: 4, discard: true },
      )
    yield* look(files.map(({ path }) => path))
    // A new file is not below another file.
    yield* look(new Set(files.flatMap(({ path }) => known.has(path) ? [] : foldersAbove(path))))
    const planned = yield* planCommit(request, new Map([...known].map(([path, { mode }]) => [path, mode])))
    const actions = planned.flatMap((file) => actionsOf(file, known.get(file.path)))
    if (actions.length === 0) return yield* client.fail("NothingToCommit", "the files already have this content")
    const body = { branch, commit_message: message, actions, ...(from && { start_sha: parent }) }
    return (yield* client.json(Hash, "/repository/commits", { body })).id
  })

const defaultBranch = (client: HostClient) =>
  Effect.flatMap(
    client.json(Project, ""),
    ({ default_branch: name }) =>
      name === null ? client.fail("NotFound", "the repository is empty") : Effect.succeed(name),
  )

export const answerGitLab: HostAnswer = (client, request) =>
  Effect.gen(function* () {
    const { correlationId } = request
    switch (request._tag) {
      case "GitLog": {
        const { maxCount, paths: [path = ""], revision } = request
        const query = { ref_name: revision, path: cleanPath(path) || undefined }
        const found = yield* client.list(Commit, "/repository/commits", query, maxCount)
        const commits = found.map((commit) => ({
          commit: commit.id,
          parents: commit.parent_ids,
          author: commit.author_name,
          email: commit.author_email,
          date: commit.authored_date,
          message: commit.message.trimEnd(),
        }))
        return { _tag: "GitLogResult", correlationId, commits }
      }
      case "GitDiff": {
        const { from, paths, to } = request
        const compared = yield* client.json(Compared, "/repository/compare", { query: { from, to, straight: true } })
        const diffs = compared.diffs.filter((one) => isBelow(one.new_path, paths) || isBelow(one.old_path, paths))
        const isCut = compared.compare_timeout === true ||
          diffs.some((one) => one.collapsed === true || one.too_large === true)
        if (isCut) return yield* client.fail("TooLarge", "GitLab gives only a part of this diff")
        return { _tag: "GitDiffResult", correlationId, diff: diffs.map(fileDiff).join("") }
      }
      case "GitBranches": {
        const found = yield* client.list(Branch, "/repository/branches")
        const branches = found.map(({ commit: { id }, name }) => ({ name, commit: id }))
        const current = defined({ current: found.find((branch) => branch.default)?.name })
        return { _tag: "GitBranchList", correlationId, branches, ...current }
      }
      case "GitFiles": {
        const { paths, revision } = request
        const query = { recursive: true, ref: revision, pagination: "keyset" }
        const tree = yield* client.list(Entry, "/repository/tree", query)
        const files = tree.filter(({ path, type }) => type !== "tree" && isBelow(path, paths))
          .map(({ id, mode, path }) => ({ path, mode, hash: id }))
        return { _tag: "GitFileList", correlationId, files }
      }
      case "GitRead": {
        const { path, revision: ref = "HEAD" } = request
        const { content } = yield* client.json(File, apiPath`/repository/files/${path}`, { query: { ref } })
        return { _tag: "GitFileContent", correlationId, path, content: yield* client.contentOf(content) }
      }
      case "GitCreateBranch": {
        const { branch, from } = request
        const body = { branch, ref: from ?? (yield* defaultBranch(client)) }
        const { commit } = yield* client.json(Branch, "/repository/branches", { body })
        return { _tag: "GitBranchCreated", correlationId, branch, commit: commit.id }
      }
      case "GitCommitFiles":
        return { _tag: "GitCommitted", correlationId, commit: yield* commitFiles(client, request) }
      case "GitOpenPullRequest": {
        const { body: description, branch, draft, into, title } = request
        const target_branch = into ?? (yield* defaultBranch(client))
        const body = { source_branch: branch, target_branch, title: draft ? `Draft: ${title}` : title, description }
        const { iid: number, web_url: url } = yield* client.json(Opened, "/merge_requests", { body })
        return { _tag: "GitPullRequestOpened", correlationId, number, url }
      }
    }
  })
