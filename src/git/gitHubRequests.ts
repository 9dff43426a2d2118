/**
 * Answers requests by GitHub's REST API.
 *
 * Source: https://docs.github.com/en/rest
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import type { GitCommitFiles, GitFault, GitRead } from "./GitEntry.ts"
import { apiPath, contentOf, type HostClient, isBelow } from "./hostClient.ts"
import type { HostAnswer } from "./makeHostGit.ts"
import { foldersAbove, planCommit, type PlannedFile } from "./planCommit.ts"
import { diffOf } from "./unifiedDiff.ts"

const text = Schema.String
const Hash = Schema.Struct({ sha: text })
const Person = Schema.Struct({
  name: Schema.optionalKey(text),
  email: Schema.optionalKey(text),
  date: Schema.optionalKey(text),
})
const Commit = Schema.Struct({
  sha: text,
  parents: Schema.Array(Hash),
  commit: Schema.Struct({ message: text, author: Schema.NullOr(Person), tree: Hash }),
})
const Tree = Schema.Struct({
  sha: text,
  tree: Schema.Array(Schema.Struct({ path: text, mode: text, type: text, sha: text })),
  truncated: Schema.optionalKey(Schema.Boolean),
})
const Content = Schema.Union([
  Schema.Struct({ type: text, size: Schema.Int, sha: text, encoding: text, content: text }),
  Schema.Struct({ type: text }),
  Schema.Array(Schema.Unknown),
])
const Blob = Schema.Struct({ encoding: Schema.Literal("base64"), content: text })
const Compared = Schema.Struct({ base_commit: Hash, merge_base_commit: Hash })
const Repository = Schema.Struct({ default_branch: text })
const Branch = Schema.Struct({ name: text, commit: Hash })
const Ref = Schema.Struct({ ref: text, object: Hash })
const GitCommit = Schema.Struct({ sha: text, tree: Hash })
const Pull = Schema.Struct({ number: Schema.Int, html_url: text })

/** The calls of one repository: `repos` is its path. */
export const answerGitHub = (repos: string, maxBytes: number): HostAnswer => {
  const read = (client: HostClient, { path, revision }: typeof GitRead.Type) =>
    Effect.gen(function* () {
      const query = { ref: revision }
      const found = yield* client.json(Content, { path: `${repos}${apiPath`/contents/${path}`}`, query })
      if (!("encoding" in found) || found.type !== "file") {
        return yield* client.fail("InvalidRequest", "this is no file")
      }
      if (found.size > maxBytes) return yield* client.fail("TooLarge", `the file is larger than ${maxBytes} bytes`)
      // Files of more than 1 MB come as blobs only.
      const isWhole = found.encoding === "base64" && (found.content !== "" || found.size === 0)
      const blob = isWhole ? found : yield* client.json(Blob, { path: `${repos}${apiPath`/git/blobs/${found.sha}`}` })
      return yield* contentOf(client, blob.content, maxBytes)
    })

  /** The modes of what is in the folders of some files, of a tree that may be too large for one answer. */
  const modesOf = (client: HostClient, tree: string, files: ReadonlyArray<{ readonly path: string }>) =>
    Effect.gen(function* () {
      const modes = new Map<string, string>()
      const trees = new Map([["", tree]])
      const folders = new Set(["", ...files.flatMap(({ path }) => foldersAbove(path))])
      for (const folder of [...folders].toSorted((a, b) => a.split("/").length - b.split("/").length)) {
        const sha = trees.get(folder)
        if (sha === undefined) continue
        const { tree: entries, truncated } = yield* client.json(Tree, { path: `${repos}${apiPath`/git/trees/${sha}`}` })
        if (truncated === true) return yield* client.fail("TooLarge", `GitHub lists only a part of ${folder || "/"}`)
        for (const entry of entries) {
          const path = folder === "" ? entry.path : `${folder}/${entry.path}`
          modes.set(path, entry.mode)
          if (entry.type === "tree") trees.set(path, entry.sha)
        }
      }
      return modes
    })

  /** An entry of a new tree: text goes in it, other content is a blob before. */
  const entryOf = (client: HostClient, { content, mode, path }: PlannedFile): Effect.Effect<object, GitFault> => {
    const entry = { path, mode, type: "blob" }
    if (content === undefined) return Effect.succeed({ ...entry, sha: null })
    if (typeof content === "string" && !content.includes("\0")) return Effect.succeed({ ...entry, content })
    const body = { content: Base64.encode(content), encoding: "base64" }
    const made = client.json(Hash, { method: "POST", path: `${repos}/git/blobs`, body })
    return Effect.map(made, ({ sha }) => ({ ...entry, sha }))
  }

  const commitFiles = (client: HostClient, request: typeof GitCommitFiles.Type) =>
    Effect.gen(function* () {
      const { branch, files, from, message, parent } = request
      const ref = apiPath`/git/refs/${`heads/${branch}`}`
      const tip = from === undefined
        ? (yield* client.json(Ref, { path: `${repos}${apiPath`/git/ref/${`heads/${branch}`}`}` })).object
        : yield* client.json(Commit, { path: `${repos}${apiPath`/commits/${from}`}` })
      if (parent !== undefined && parent !== tip.sha) {
        return yield* client.fail("Conflict", `the branch is at ${tip.sha}: read it again`)
      }
      const { tree: base } = yield* client.json(GitCommit, { path: `${repos}${apiPath`/git/commits/${tip.sha}`}` })
      const planned = yield* planCommit(request, yield* modesOf(client, base.sha, files))
      const tree = yield* Effect.forEach(planned, (file) => entryOf(client, file), { concurrency: 4 })
      const post = (path: string, body: object) => client.json(Hash, { method: "POST", path: `${repos}${path}`, body })
      const made = yield* post("/git/trees", { base_tree: base.sha, tree })
      if (made.sha === base.sha) return yield* client.fail("NothingToCommit", "the files are so already")
      const commit = yield* post("/git/commits", { message, tree: made.sha, parents: [tip.sha] })
      // Until here nothing is seen: no branch has what was made.
      const { sha } = commit
      yield* from === undefined
        ? client.json(Ref, { method: "PATCH", path: `${repos}${ref}`, body: { sha, force: false } })
        : client.json(Ref, { method: "POST", path: `${repos}/git/refs`, body: { ref: `refs/heads/${branch}`, sha } })
      return sha
    })

  const defaultBranch = (client: HostClient) =>
    Effect.map(client.json(Repository, { path: repos }), (repository) => repository.default_branch)

  return (client, request) =>
    Effect.gen(function* () {
      const { correlationId } = request
      switch (request._tag) {
        case "GitLog": {
          const { limit, paths: [path, ...others], revision } = request
          if (others.length > 0) return yield* client.fail("Unsupported", "GitHub logs one path at a time")
          const query = { sha: revision, path: path === "." ? undefined : path }
          const found = yield* client.list(Commit, { path: `${repos}/commits`, query }, limit).pipe(
            Effect.catchIf(
              ({ message }) => revision === undefined && /repository is empty/i.test(message),
              () => Effect.succeed([]),
            ),
          )
          const commits = found.map(({ commit: { author, message }, parents, sha }) => ({
            commit: sha,
            parents: parents.map((parent) => parent.sha),
            author: author?.name ?? "",
            email: author?.email ?? "",
            date: author?.date ?? "",
            message: message.trimEnd(),
          }))
          return { _tag: "GitLogResult", correlationId, commits }
        }
        case "GitDiff": {
          const { from = "", paths, to = "" } = request
          const path = `${repos}${apiPath`/compare/${`${from}...${to}`}`}`
          const { base_commit: base, merge_base_commit: merge } = yield* client.json(Compared, {
            path,
            query: { per_page: 1 },
          })
          if (merge.sha !== base.sha) {
            const what = `GitHub compares with the common ancestor, which is not ${from}: diff from ${merge.sha}`
            return yield* client.fail("Unsupported", what)
          }
          const { body } = yield* client.send({ path, accept: "application/vnd.github.diff" })
          return { _tag: "GitDiffResult", correlationId, diff: diffOf(new TextDecoder().decode(body), paths) }
        }
        case "GitBranches": {
          const found = yield* client.list(Branch, { path: `${repos}/branches` })
          const branches = found.map(({ commit: { sha }, name }) => ({ name, commit: sha }))
          return { _tag: "GitBranchList", correlationId, branches, current: yield* defaultBranch(client) }
        }
        case "GitFiles": {
          const { paths, revision = "HEAD" } = request
          const path = `${repos}${apiPath`/git/trees/${revision}`}`
          const { tree, truncated } = yield* client.json(Tree, { path, query: { recursive: 1 } })
          if (truncated === true) return yield* client.fail("TooLarge", "GitHub lists only a part of the files")
          const files = tree.filter(({ path, type }) => type !== "tree" && isBelow(path, paths))
            .map(({ mode, path, sha }) => ({ path, mode, hash: sha }))
          return { _tag: "GitFileList", correlationId, files }
        }
        case "GitRead":
          return { _tag: "GitFileContent", correlationId, path: request.path, content: yield* read(client, request) }
        case "GitCreateBranch": {
          const { branch, from = "HEAD" } = request
          const { sha } = yield* client.json(Commit, { path: `${repos}${apiPath`/commits/${from}`}` })
          const body = { ref: `refs/heads/${branch}`, sha }
          yield* client.json(Ref, { method: "POST", path: `${repos}/git/refs`, body })
          return { _tag: "GitBranchCreated", correlationId, branch, commit: sha }
        }
        case "GitCommitFiles":
          return { _tag: "GitCommitted", correlationId, commit: yield* commitFiles(client, request) }
        case "GitOpenPullRequest": {
          const { body, branch, draft, into, title } = request
          const pull = { title, head: branch, base: into ?? (yield* defaultBranch(client)), body, draft }
          const made = yield* client.json(Pull, { method: "POST", path: `${repos}/pulls`, body: pull })
          return { _tag: "GitPullRequestOpened", correlationId, number: made.number, url: made.html_url }
        }
      }
    })
}
