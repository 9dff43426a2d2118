/** The client that GitLab's documentation names is the oracle of what is sent: https://github.com/jdalrymple/gitbeaker */
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { Gitlab } from "@gitbeaker/rest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { FetchLeaf } from "../../../src/fetch/mod.ts"
import { Git, GitLabGit } from "../../../src/git/mod.ts"
import { makeRepository, type Repository } from "../repository.ts"
import { requestsOf } from "./compareRequests.ts"
import { serveGitLab } from "./gitlabServer.ts"
import type { HostServer } from "./hostServer.ts"

const token = "glpat-token-of-the-test"
const project = "acme/site"

let repository: Repository
let server: HostServer
let gitlab: InstanceType<typeof Gitlab>
beforeAll(async () => {
  repository = await makeRepository()
  server = await serveGitLab(repository.root, token)
  gitlab = new Gitlab({ host: server.origin, oauthToken: token })
  repository.git("branch", "topic/ä-#1%2f")
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await repository[Symbol.asyncDispose]()
})

const ours = (program: Effect.Effect<unknown, unknown, Git>, names: Readonly<Record<string, string>> = {}) => {
  const url = `${server.origin}/api/v4`
  const network = FetchLeaf.layer(GitLabGit.fetchOptions({ token: Redacted.make(token), url }))
  const layer = GitLabGit.layer({ project, url }).pipe(Layer.provide(network))
  return requestsOf(server, () => Effect.runPromise(Effect.provide(program, layer)), names)
}
const theirs = (program: () => Promise<unknown>) => requestsOf(server, program)

const ref = "topic/ä-#1%2f"

it("reads as gitbeaker does", async () => {
  const { Branches, Commits, Repositories, RepositoryFiles } = gitlab
  const cases: ReadonlyArray<readonly [Effect.Effect<unknown, unknown, Git>, () => Promise<unknown>]> = [
    [
      Git.log({ revision: ref, paths: ["sub/e.txt"] }),
      () => Commits.all(project, { refName: ref, path: "sub/e.txt", perPage: 50, maxPages: 1 }),
    ],
    [Git.branches(), () => Branches.all(project, { perPage: 100, maxPages: 1 })],
    [Git.diff({ from: "main", to: ref }), () => Repositories.compare(project, "main", ref, { straight: true })],
    [
      Git.files({ revision: ref }),
      () => Repositories.allRepositoryTrees(project, { recursive: true, ref, pagination: "keyset", perPage: 100 }),
    ],
    [Git.read("sub/e.txt", { revision: ref }), () => RepositoryFiles.show(project, "sub/e.txt", ref)],
  ]
  for (const [program, call] of cases) {
    const [sent, expected] = [await ours(program), await theirs(call)]
    expect(sent).toEqual(expected)
    expect(sent.length).toBeGreaterThan(0)
  }
})

it("makes a branch, a commit and a merge request as gitbeaker does", async () => {
  const { Branches, Commits, MergeRequests, Projects } = gitlab
  const names = { ours: "theirs" }
  const main = repository.git("rev-parse", "main").trim()
  expect(await ours(Git.createBranch("ours/ä", { from: "main" }), names)).toEqual(
    await theirs(() => Branches.create(project, "theirs/ä", "main")),
  )
  const files = [
    { path: "a.txt", content: "text ä" },
    { path: "b.txt", remove: true as const },
    { path: "new.bin", content: Uint8Array.of(0, 255), executable: true },
  ]
  const actions = [
    { action: "update" as const, filePath: "a.txt", content: "dGV4dCDDpA==", encoding: "base64", lastCommitId: main },
    { action: "delete" as const, filePath: "b.txt", lastCommitId: main },
    { action: "create" as const, filePath: "new.bin", content: "AP8=", encoding: "base64" },
    { action: "chmod" as const, filePath: "new.bin", execute_filemode: true },
  ]
  // gitbeaker does not ask for a file by HEAD.
  const withoutHead = (all: Awaited<ReturnType<typeof ours>>) => all.filter(({ method }) => method !== "HEAD")
  expect(withoutHead(await ours(Git.commitFiles("ours/ä", "Changes files", files), names))).toEqual(
    await theirs(async () => {
      await Branches.show(project, "theirs/ä")
      await Commits.create(project, "theirs/ä", "Changes files", actions)
    }),
  )
  expect(withoutHead(await ours(Git.commitFiles("ours/b", "Changes files", files, { from: "main" }), names))).toEqual(
    await theirs(async () => {
      await Commits.show(project, "main")
      await Commits.create(project, "theirs/b", "Changes files", actions, { startSha: main })
    }),
  )
  expect(repository.git("diff", "ours/b", "theirs/b")).toBe("")
  expect(await ours(Git.openPullRequest("ours/ä", "Title", { body: "Body", draft: true }), names)).toEqual(
    await theirs(async () => {
      const { default_branch: into } = await Projects.show(project)
      await MergeRequests.create(project, "theirs/ä", String(into), "Draft: Title", { description: "Body" })
    }),
  )
})
