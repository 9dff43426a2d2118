/**
 * Makes the leaf of the Git branch that calls GitHub, or GitHub Enterprise, over the `Fetch` of the context.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { attemptOptions } from "../base/attemptOptions.ts"
import { OptionError, refuseUnknownOptions } from "../base/OptionError.ts"
import { Fetch } from "../fetch/Fetch.ts"
import type { FetchLeafOptions } from "../fetch/FetchLeaf.ts"
import { Git, type GitService } from "./Git.ts"
import { answerGitHub } from "./answerGitHub.ts"
import { apiPath } from "./hostClient.ts"
import { type HostAccess, hostFetchOptions, type HostGitOptions, requireHost } from "./hostOptions.ts"
import { makeHostGit } from "./makeHostGit.ts"

export type { HostAccess, HostGitOptions } from "./hostOptions.ts"

/** Options of a leaf. */
export interface GitHubGitOptions extends HostGitOptions {
  /** The repository: `"owner/name"`. */
  readonly repository: string
}

const names: Readonly<Record<keyof GitHubGitOptions, true>> = {
  repository: true,
  url: true,
  maxBytes: true,
  maxItems: true,
}

const publicUrl = "https://api.github.com"

/**
 * Options of a `FetchLeaf` that calls GitHub with a token, which needs the rights Contents (write, to commit) and Pull
 * requests. The token is sent only to this host, and no journal has it. `url` of GitHub Enterprise is
 * `https://HOST/api/v3`.
 *
 * @throws {OptionError} for an address that is not encrypted, and a token that is not Redacted.
 *
 * @example
 * ```ts
 * import { GitHubGit } from "@sluice/shell/git"
 * import { Redacted } from "effect"
 *
 * const { hosts } = GitHubGit.fetchOptions({ token: Redacted.make("github_pat_x") })
 * console.log(hosts.join()) // api.github.com
 * ```
 */
export const fetchOptions = (access: HostAccess): FetchLeafOptions => hostFetchOptions("GitHubGit", access, publicUrl)

/**
 * Makes the service. Requests that need a working tree fail with `Unsupported`. The current branch of a list is the
 * default branch. A diff must start from an ancestor. Reading a link returns the file that it leads to.
 */
export const make = (options: GitHubGitOptions): Effect.Effect<GitService, OptionError, Fetch> =>
  Effect.flatMap(Fetch, (web) =>
    attemptOptions(() => {
      refuseUnknownOptions("GitHubGit", options, names)
      const host = requireHost("GitHubGit", options, publicUrl)
      const [, owner, name] = /^([\w.-]{1,100})\/([\w.-]{1,100})$/.exec(options.repository) ?? []
      if (owner === undefined || name === undefined || [owner, name].some((part) => /^\.\.?$/.test(part))) {
        throw new OptionError("repository", 'GitHubGit: repository is "owner/name"')
      }
      const headers = { accept: "application/vnd.github+json", "x-github-api-version": "2022-11-28" }
      const root = apiPath`/repos/${owner}/${name}`
      return makeHostGit({ ...host, root, web, name: "GitHub", headers }, answerGitHub)
    }))

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { FetchLeaf } from "@sluice/shell/fetch"
 * import { Git, GitHubGit } from "@sluice/shell/git"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const network = FetchLeaf.layer(GitHubGit.fetchOptions({ token: Redacted.make("github_pat_x") }))
 * const git = GitHubGit.layer({ repository: "acme/site" }).pipe(Layer.provide(network))
 * const { faultKind } = await Effect.runPromise(Effect.provide(Effect.flip(Git.status()), git))
 * console.log(faultKind) // Unsupported
 * ```
 */
export const layer = (options: GitHubGitOptions): Layer.Layer<Git, OptionError, Fetch> =>
  Layer.effect(Git, make(options))
