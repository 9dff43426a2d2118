import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { FetchLeaf } from "../../src/fetch/mod.ts"
import { GitLabGit } from "../../src/git/mod.ts"
import { serveGitLab } from "./hosts/gitlabServer.ts"
import { treeContract } from "./treeContract.ts"

const token = Redacted.make("glpat-token-of-the-test")

treeContract("GitLabGit", async ({ root }) => {
  const server = await serveGitLab(root, Redacted.value(token))
  const url = `${server.origin}/api/v4`
  const network = FetchLeaf.layer(GitLabGit.fetchOptions({ token, url }))
  const layer = GitLabGit.layer({ project: "acme/site", url }).pipe(Layer.provide(network))
  return { layer, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}, { isHost: true })
