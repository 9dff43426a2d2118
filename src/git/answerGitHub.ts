/** Answers requests with GitHub's REST API. Source: https://docs.github.com/en/rest */
import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as Schema from "effect/Schema"
import type { GitCommitFiles, GitFault, GitRead } from "./GitEntry.ts"
import { apiPath, cleanPath, type HostClient, isBelow } from "./hostClient.ts"
import type { HostAnswer } from "./makeHostGit.ts"
import { foldersAbove, planCommit, type PlannedFile, requireParent } from "./planCommit.ts"
import { diffOf } from "./unifiedDiff.ts"

const text = Schema.String
const maybe = Schema.optionalKey(text)
const Hash = Schema.Struct({ sha: text })
const Person = Schema.Struct({ name: maybe, email: maybe, date: maybe })
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

const read = (client: HostClient, { path, revision }: typeof GitRead.Type) =>
  Effect.gen(function* () {
    const found = yield* client.json(Content, apiPath`/contents/${path}`, { query: { ref: revision } })
    if (!("encoding" in found) || found.type !== "file") {
      return yield* client.fail("InvalidRequest", "this is not a file")
    }
    // Files of more than 1 MB are only available as blobs.
    const isWhole = found.encoding === "base64" && (found.content !== "" || found.size === 0)
    const blob = isWhole ? found : yield* client.json(Blob, apiPath`/git/blobs/${found.sha}`)
    return yield* client.contentOf(blob.content)
  })

/** The modes of the entries in the folders of some files; the whole tree may be too large for one answer. */
const modesOf = (client: HostClient, tree: string, files: ReadonlyArray<{ readonly path: string }>) =>
  Effect.gen(function* () {
    const modes = new Map<string, string>()
    const trees = new Map([["", tree]])
    const folders = new Set(["", ...files.flatMap(({ path }) => foldersAbove(path))])
    for (const folder of [...folders].toSorted((a, b) => a.split("/").length - b.split("/").length)) {
      const sha = trees.get(folder)
      if (sha === undefined) continue
      const { tree: entries, truncated } = yield* client.json(Tree, apiPath`/git/trees/${sha}`)
      if (truncated === true) return yield* client.fail("TooLarge", `GitHub lists only a part of ${folder || "/"}`)
      for (const entry of entries) {
        const path = folder === "" ? entry.path : `${folder}/${entry.path}`
        modes.set(path, entry.mode)
        if (entry.type === "tree") trees.set(path, entry.sha)
      }
    }
    return modes
  })

/** An entry of a new tree: text is part of the entry, other content is uploaded as a blob first. */
const entryOf = (client: HostClient, { content, mode, path }: PlannedFile): Effect.Effect<object, GitFault> => {
  const entry = { path, mode, type: "blob" }
  if (content === undefined) return Effect.succeed({ ...entry, sha: null })
  if (typeof content === "string" && !content.includes("\0")) return Effect.succeed({ ...entry, content })
  const body = { content: Base64.encode(content), encoding: "base64" }
  return Effect.map(client.json(Hash, "/git/blobs", { body }), ({ sha }) => ({ ...entry, sha }))
}

const commitFiles = (client: HostClient, request: typeof GitCommitFiles.Type) =>
  Effect.gen(function* () {
    const { branch, files, from, message } = request
    const { sha: parent } = from === undefined
      ? (yield* client.json(Ref, apiPath`/git/ref/${`heads/${branch}`}`)).object
      : yield* client.json(Commit, apiPath`/commits/${from}`)
    yield* requireParent(request, parent)
    const { tree: base } = yield* client.json(GitCommit, apiPath`/git/commits/${parent}`)
    const planned = yield* planCommit(request, yield* modesOf(client, base.sha, files))
    const tree = yield* Effect.forEach(planned, (file) => entryOf(client, file), { concurrency: 4 })
    const made = yield* client.json(Hash, "/git/trees", { body: { base_tree: base.sha, tree } })
    if (made.sha === base.sha) return yield* client.fail("NothingToCommit", "the files already have this content")
    const { sha } = yield* client.json(Hash, "/git/commits", { body: { message, tree: made.sha, parents: [parent] } })
    // Up to this point nothing is visible: no branch refers to the new objects.
    yield* from === undefined
      ? client.json(Ref, apiPath`/git/refs/${`heads/${branch}`}`, { method: "PATCH", body: { sha, force: false } })
      : client.json(Ref, "/git/refs", { body: { ref: `refs/heads/${branch}`, sha } })
    return sha
  })

const defaultBranch = (client: HostClient) =>
  Effect.map(client.json(Repository, ""), (repository) => repository.default_branch)

export const answerGitHub: HostAnswer = (client, request) =>
  Effect.gen(function* () {
    const { correlationId } = request
    switch (request._tag) {
      case "GitLog": {
        const { maxCount, paths: [path = ""], revision } = request
        const query = { sha: revision, path: cleanPath(path) || undefined }
        const isEmpty = ({ message }: GitFault) => revision === undefined && /repository is empty/i.test(message)
        const listed = client.list(Commit, "/commits", query, maxCount)
        const found = yield* Effect.catchIf(listed, isEmpty, () => Effect.succeed([]))
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
        const path = apiPath`/compare/${`${from}...${to}`}`
        const { base_commit: base, merge_base_commit: merge } = yield* client.json(Compared, path, {
          query: { per_page: 1 },
        })
        if (merge.sha !== base.sha) {
          const what = `GitHub compares with the common ancestor, which is not ${from}: diff from ${merge.sha}`
          return yield* client.fail("Unsupported", what)
        }
        const { body } = yield* client.send(path, { accept: "application/vnd.github.diff" })
        return { _tag: "GitDiffResult", correlationId, diff: diffOf(new TextDecoder().decode(body), paths) }
      }
      case "GitBranches": {
        const found = yield* client.list(Branch, "/branches")
        const branches = found.map(({ commit: { sha }, name }) => ({ name, commit: sha }))
        return { _tag: "GitBranchList", correlationId, branches, current: yield* defaultBranch(client) }
      }
      case "GitFiles": {
        const { paths, revision = "HEAD" } = request
        const query = { recursive: 1 }
        const { tree, truncated } = yield* client.json(Tree, apiPath`/git/trees/${revision}`, { query })
        if (truncated === true) return yield* client.fail("TooLarge", "GitHub lists only a part of the files")
        const files = tree.filter(({ path, type }) => type !== "tree" && isBelow(path, paths))
          .map(({ mode, path, sha }) => ({ path, mode, hash: sha }))
        return { _tag: "GitFileList", correlationId, files }
      }
      case "GitRead":
        return { _tag: "GitFileContent", correlationId, path: request.path, content: yield* read(client, request) }
      case "GitCreateBranch": {
        const { branch, from = "HEAD" } = request
        const { sha } = yield* client.json(Commit, apiPath`/commits/${from}`)
        yield* client.json(Ref, "/git/refs", { body: { ref: `refs/heads/${branch}`, sha } })
        return { _tag: "GitBranchCreated", correlationId, branch, commit: sha }
      }
      case "GitCommitFiles":
        return { _tag: "GitCommitted", correlationId, commit: yield* commitFiles(client, request) }
      case "GitOpenPullRequest": {
        const { body: text, branch, draft, into, title } = request
        const body = { title, head: branch, base: into ?? (yield* defaultBranch(client)), body: text, draft }
        const { html_url: url, number } = yield* client.json(Pull, "/pulls", { body })
        return { _tag: "GitPullRequestOpened", correlationId, number, url }
      }
    }
  })
