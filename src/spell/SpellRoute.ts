/**
 * Declares which requests a spell sends to which branch. A spell gets `Files` and `Shell` only through its routes, which
 * take no other request.
 *
 * @module
 */
import type * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { Message, RequestService, ServiceBranch } from "../branch/ServiceBranch.ts"
import type { FileRequest } from "../files/FileRequest.ts"
import type { Files } from "../files/Files.ts"
import type { Shell } from "../shell/Shell.ts"
import { limited, replace, routeToCommands, routeToFiles, type SpellRoute } from "./provideRoutes.ts"

export type { RoutedCall, SpellRoute } from "./provideRoutes.ts"

/** A service with one function, for any kind of request. */
interface BranchService<Request> {
  readonly Service: { readonly request: (request: Request) => Stream.Stream<unknown, unknown> }
}

/**
 * Selects, from some services, those of branches, for which a spell declares its requests: `Shell`, and each class of
 * `Context.Service` whose service is a `RequestService`.
 */
export type RoutedService<R> = R extends Shell ? R
  : R extends BranchService<infer Request> ? [Request] extends [Message] ? R : never
  : never

/**
 * Makes a route to a branch with a service of one function.
 *
 * @example
 * ```ts
 * import { Git, GitBranch } from "@sluice/shell/git"
 * import { Spell, SpellRoute } from "@sluice/shell/spell"
 * import { Effect, Schema } from "effect"
 *
 * const currentBranch = Spell.make({
 *   name: "current_branch",
 *   description: "The branch that is checked out.",
 *   parameters: Schema.Struct({}),
 *   success: Schema.NullOr(Schema.String),
 *   routes: [SpellRoute.make(Git, GitBranch, "GitStatus")],
 *   cast: () => Effect.map(Effect.orDie(Git.status()), ({ branch = null }) => branch),
 * })
 * console.log(currentBranch.routes[0]?.branch) // git
 * ```
 */
export const make = <Id, Request extends Message, Event extends Message, Fault extends Message>(
  service: Context.Key<Id, RequestService<Request, Event, Fault>>,
  { name: branch }: Pick<ServiceBranch<Request, Event, Fault>, "name">,
  ...requests: ReadonlyArray<NoInfer<Request>["_tag"]>
): SpellRoute<Id> => ({
  branch,
  requests,
  provide: (to, from, call) => replace(to, from, service, (leaf) => limited(leaf, branch, requests, call)),
})

/**
 * Makes a route to the FileSystem branch.
 *
 * @example
 * ```ts
 * import { SpellRoute } from "@sluice/shell/spell"
 *
 * console.log(SpellRoute.files("FileRead", "FileWrite").requests.length) // 2
 * ```
 */
export const files = (...requests: ReadonlyArray<FileRequest["_tag"]>): SpellRoute<Files> => routeToFiles(requests)

/**
 * The route to the Compute branch, of a spell that runs commands.
 *
 * @example
 * ```ts
 * import { SpellRoute } from "@sluice/shell/spell"
 *
 * console.log(SpellRoute.commands.requests.join()) // ShellExec
 * ```
 */
export const commands: SpellRoute<Shell> = routeToCommands(["ShellExec"])
