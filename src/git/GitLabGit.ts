/**
 * Makes the leaf of the Git branch that calls GitLab, or your own server, over the `Fetch` of the context.
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
import { answerGitLab } from "./answerGitLab.ts"
import { apiPath } from "./hostClient.ts"
import { type HostAccess, hostFetchOptions, type HostGitOptions, requireHost } from "./hostOptions.ts"
import { makeHostGit } from "./makeHostGit.ts"

export type { HostAccess, HostGitOptions } from "./hostOptions.ts"

/** Options of a leaf. */
export interface GitLabGitOptions extends HostGitOptions {
  /** The project: its path, `"group/sub/name"`, or its number. */
  readonly project: string | number
}

const names: Readonly<Record<keyof GitLabGitOptions, true>> = {
  project: true,
  url: true,
  maxBytes: true,
  maxItems: true,
}

const publicUrl = "https://gitlab.com/api/v4"

/**
 * Options of a `FetchLeaf` that calls GitLab with a token of the scope `api` (`read_api` to read). The token is sent
 * only to this host, and no journal has it. `url` of your own GitLab is `https://HOST/api/v4`.
 *
 * @throws {OptionError} for an address that is not encrypted, and a token that is not Redacted.
 *
 * @example
 * ```ts
 * import { GitLabGit } from "@sluice/shell/git"
 * import { Redacted } from "effect"
 *
 * const { hosts } = GitLabGit.fetchOptions({ token: Redacted.make("glpat-x") })
 * console.log(hosts.join()) // gitlab.com
 * ```
 */
export const fetchOptions = (access: HostAccess): FetchLeafOptions => hostFetchOptions("GitLabGit", access, publicUrl)

/**
 * Makes the service. Requests that need a working tree fail with `Unsupported`. The current branch of a list is the
 * default branch. A commit with a `parent` fails if the branch is at another commit when it is read, or if one of the
 * commit's files has changed when it is made; other files may change in between.
 */
export const make = (options: GitLabGitOptions): Effect.Effect<GitService, OptionError, Fetch> =>
  Effect.flatMap(Fetch, (web) =>
    attemptOptions(() => {
      refuseUnknownOptions("GitLabGit", options, names)
      const host = requireHost("GitLabGit", options, publicUrl)
      const { project } = options
      const isPath = typeof project === "string" && project.split("/").length > 1 &&
        project.split("/").every((part) => /^[\w.-]{1,255}$/.test(part) && !/^\.\.?$/.test(part))
      if (!isPath && !(Number.isSafeInteger(project) && Number(project) > 0)) {
        throw new OptionError("project", 'GitLabGit: project is "group/name", or its number')
      }
      const root = apiPath`/projects/${String(project)}`
      return makeHostGit({ ...host, root, web, name: "GitLab", headers: { accept: "application/json" } }, answerGitLab)
    }))

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { FetchLeaf } from "@sluice/shell/fetch"
 * import { Git, GitLabGit } from "@sluice/shell/git"
 * import { Effect, Layer, Redacted } from "effect"
 *
 * const network = FetchLeaf.layer(GitLabGit.fetchOptions({ token: Redacted.make("glpat-x") }))
 * const git = GitLabGit.layer({ project: "acme/site" }).pipe(Layer.provide(network))
 * const { faultKind } = await Effect.runPromise(Effect.provide(Effect.flip(Git.status()), git))
 * console.log(faultKind) // Unsupported
 * ```
 */
export const layer = (options: GitLabGitOptions): Layer.Layer<Git, OptionError, Fetch> =>
  Layer.effect(Git, make(options))
