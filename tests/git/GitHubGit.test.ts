import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { FetchLeaf } from "../../src/fetch/mod.ts"
import { GitHubGit } from "../../src/git/mod.ts"
import { serveGitHub } from "./hosts/githubServer.ts"
import { treeContract } from "./treeContract.ts"

const token = Redacted.make("ghp_token-of-the-test")

treeContract("GitHubGit", async ({ root }) => {
  const server = await serveGitHub(root, Redacted.value(token))
  const url = `${server.origin}/api/v3`
  const network = FetchLeaf.layer(GitHubGit.fetchOptions({ token, url }))
  const layer = GitHubGit.layer({ repository: "acme/site", url }).pipe(Layer.provide(network))
  return { layer, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}, { isHost: true })
