/**
 * Makes the mock leaf of the Git branch, which answers requests by rules, for tests.
 *
 * @module
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ScriptedService, type ScriptOptions, scriptRequests } from "../branch/scriptRequests.ts"
import { Git } from "./Git.ts"
import { GitBranch, gitFault } from "./GitBranch.ts"
import type { GitEvent, GitFault, GitFaultKind, GitRequest } from "./GitEntry.ts"

type WithoutId<Event> = Event extends GitEvent ? Omit<Event, "correlationId"> : never

/** A rule of the mock: the requests that it matches, and the event or fault that answers them. */
export interface MockGitRule extends ScriptOptions {
  /** The kind of request. Default: every kind. */
  readonly request?: GitRequest["_tag"] | undefined
  /** The answer, or the kind of its fault. */
  readonly answer: WithoutId<GitEvent> | GitFaultKind
}

/**
 * Makes a mock: the service, the requests it has seen, and the check of its expectations.
 *
 * @example
 * ```ts
 * import { Git, MockGit } from "@sluice/shell/git"
 * import { Effect } from "effect"
 *
 * const git = MockGit.make([{ request: "GitCommit", answer: "NothingToCommit", times: 1, expected: true }])
 * const commit = Effect.flip(Git.commit("Adds a test")).pipe(Effect.tap(git.verify), Effect.provideService(Git, git))
 * console.log((await Effect.runPromise(commit)).faultKind) // NothingToCommit
 * ```
 */
export const make = (rules: ReadonlyArray<MockGitRule>): ScriptedService<GitRequest, GitEvent, GitFault> =>
  scriptRequests(
    GitBranch,
    rules.map(({ answer, request: tag, ...options }) => ({
      ...options,
      name: tag ?? "any request",
      matches: ({ _tag }) => tag === undefined || tag === _tag,
      answer: (request) =>
        typeof answer === "string"
          ? Effect.fail(gitFault(request, answer, "a rule of the mock fails this request"))
          : Effect.succeed({ ...answer, correlationId: request.correlationId }),
    })),
  )

/**
 * {@link make} as a layer.
 *
 * @example
 * ```ts
 * import { Git, MockGit } from "@sluice/shell/git"
 * import { Effect } from "effect"
 *
 * const git = MockGit.layer([{ answer: { _tag: "GitBranchList", current: "main", branches: [] } }])
 * const { current } = await Effect.runPromise(Effect.provide(Git.branches(), git))
 * console.log(current) // main
 * ```
 */
export const layer = (rules: ReadonlyArray<MockGitRule>): Layer.Layer<Git> => Layer.succeed(Git, make(rules))
