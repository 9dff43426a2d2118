/** GitHub's own client is the oracle of what is sent: https://github.com/octokit/rest.js */
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { Octokit } from "@octokit/rest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { FetchLeaf } from "../../../src/fetch/mod.ts"
import { Git, GitHubGit } from "../../../src/git/mod.ts"
import { makeRepository, type Repository } from "../repository.ts"
import { requestsOf } from "./compareRequests.ts"
import { serveGitHub } from "./githubServer.ts"
import type { HostServer } from "./hostServer.ts"

const token = "ghp_token-of-the-test"
const site = { owner: "acme", repo: "site" }

let repository: Repository
let server: HostServer
let octokit: Octokit
beforeAll(async () => {
  repository = await makeRepository()
  server = await serveGitHub(repository.root, token)
  octokit = new Octokit({ auth: token, baseUrl: `${server.origin}/api/v3` })
  repository.git("branch", "topic/ä-#1%2f")
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const ours = (program: Effect.Effect<unknown, unknown, Git>, names: Readonly<Record<string, string>> = {}) => {
  const url = `${server.origin}/api/v3`
  const network = FetchLeaf.layer(GitHubGit.fetchOptions({ token: Redacted.make(token), url }))
  const layer = GitHubGit.layer({ repository: "acme/site", url }).pipe(Layer.provide(network))
  return requestsOf(server, () => Effect.runPromise(Effect.provide(program, layer)), names)
}
const theirs = (...[program, names]: [() => Promise<unknown>, Readonly<Record<string, string>>?]) =>
  requestsOf(server, program, names)

const ref = "topic/ä-#1%2f"
const basehead = `main...${ref}`

it("reads as octokit does", async () => {
  const { repos, git } = octokit.rest
  const cases: ReadonlyArray<readonly [Effect.Effect<unknown, unknown, Git>, () => Promise<unknown>]> = [
    [
      Git.log({ revision: ref, paths: ["sub/e.txt"] }),
      () => repos.listCommits({ ...site, sha: ref, path: "sub/e.txt", per_page: 50 }),
    ],
    [Git.branches(), async () => {
      await repos.listBranches({ ...site, per_page: 100 })
      await repos.get(site)
    }],
    [Git.diff({ from: "main", to: ref }), async () => {
      await repos.compareCommitsWithBasehead({ ...site, basehead, per_page: 1 })
      await repos.compareCommitsWithBasehead({ ...site, basehead, mediaType: { format: "diff" } })
    }],
    [Git.files({ revision: ref }), () => git.getTree({ ...site, tree_sha: ref, recursive: "1" })],
    [Git.read("sub/e.txt", { revision: ref }), () => repos.getContent({ ...site, path: "sub/e.txt", ref })],
  ]
  for (const [program, call] of cases) {
    const [sent, expected] = [await ours(program), await theirs(call)]
    expect(sent).toEqual(expected)
    expect(sent.length).toBeGreaterThan(0)
  }
})

it("makes a branch, a commit and a pull request as octokit does", async () => {
  const { git, pulls, repos } = octokit.rest
  const main = repository.git("rev-parse", "main").trim()
  const tree = repository.git("rev-parse", "main^{tree}").trim()
  expect(await ours(Git.createBranch("ours/ä", { from: "main" }), { ours: "theirs" })).toEqual(
    await theirs(async () => {
      await repos.getCommit({ ...site, ref: "main" })
      await git.createRef({ ...site, ref: "refs/heads/theirs/ä", sha: main })
    }),
  )
  const files = [
    { path: "a.txt", content: "text ä" },
    { path: "b.txt", remove: true as const },
    { path: "new.bin", content: Uint8Array.of(0, 255), executable: true },
  ]
  const names = { ours: "theirs" }
  const sent = await ours(Git.commitFiles("ours/ä", "Changes files", files), names)
  const made = repository.git("rev-parse", "ours/ä").trim()
  let commit = ""
  const expected = await theirs(async () => {
    await git.getRef({ ...site, ref: "heads/theirs/ä" })
    await git.getCommit({ ...site, commit_sha: main })
    await git.getTree({ ...site, tree_sha: tree })
    const blob = await git.createBlob({ ...site, content: "AP8=", encoding: "base64" })
    const { data } = await git.createTree({
      ...site,
      base_tree: tree,
      tree: [
        { path: "a.txt", mode: "100644", type: "blob", content: "text ä" },
        { path: "b.txt", mode: "100644", type: "blob", sha: null },
        { path: "new.bin", mode: "100755", type: "blob", sha: blob.data.sha },
      ],
    })
    commit = (await git.createCommit({ ...site, message: "Changes files", tree: data.sha, parents: [main] })).data.sha
    await git.updateRef({ ...site, ref: "heads/theirs/ä", sha: commit, force: false })
  })
  const plain = (all: unknown) => JSON.parse(JSON.stringify(all).replaceAll(made, "MADE").replaceAll(commit, "MADE"))
  expect(plain(sent)).toEqual(plain(expected))

  expect(await ours(Git.openPullRequest("ours/ä", "Title", { body: "Body", draft: true }), names)).toEqual(
    await theirs(async () => {
      const { data } = await repos.get(site)
      const base = data.default_branch
      await pulls.create({ ...site, title: "Title", head: "theirs/ä", base, body: "Body", draft: true })
    }),
  )
})
