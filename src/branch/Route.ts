/**
 * Declares routes between branches: a request to one branch becomes a request to another, whose answer becomes the first
 * one's.
 *
 * @module
 */
import * as Stream from "effect/Stream"
import { isRequestOf, type RoutedBranch, routedBranch } from "./RoutedBranch.ts"
import type { Message, RequestContent, RequestService, ServiceBranch } from "./ServiceBranch.ts"

export type { RoutedBranch } from "./RoutedBranch.ts"

/** A route: maps one kind of entry of a branch to an entry of another. */
export interface Route {
  /** Whether it takes requests, or answers to them. */
  readonly _tag: "RequestRoute" | "AnswerRoute"
  /** The branch from which entries come. */
  readonly from: RoutedBranch
  /** The tag of the entries that it takes. */
  readonly tag: string
  /** The branch to which entries go. */
  readonly to: RoutedBranch
  /** Maps an entry. An answer comes with its request. */
  readonly map: (message: Message, request: Message) => Message
}

/** A service that answers the requests of a branch. */
export interface RouteHandler {
  /** The branch whose requests it answers. */
  readonly branch: RoutedBranch
  /** Answers a request. */
  readonly request: (request: Message, options?: RequestContent) => Stream.Stream<Message, Message>
}

/** Whether a message has a tag, and so has the type of its branch's messages with that tag. */
const hasTag =
  <M extends Message, Tag extends M["_tag"]>(tag: Tag) => (message: Message): message is Extract<M, { _tag: Tag }> =>
    message._tag === tag

/** The defect for a message that the branch does not have, which the function of a route made. */
const strange = (where: string, { _tag }: Message): Error => new Error(`routes: ${where} got a ${_tag}`)

/**
 * Makes a route from a kind of request of a branch to requests of another.
 *
 * @example
 * ```ts
 * import { ToolCallBranch } from "@sluice/shell/agent"
 * import { Route } from "@sluice/shell/branch"
 * import { SpellcastingBranch, SpellInvocation } from "@sluice/shell/spell"
 *
 * const route = Route.request(
 *   ToolCallBranch,
 *   "AgentToolCall",
 *   SpellcastingBranch,
 *   ({ arguments: input, correlationId, name }) => SpellInvocation.make({ correlationId, name, arguments: input }),
 * )
 * console.log(route.from.name, route.to.name) // agent spellcasting
 * ```
 */
export const request = <
  Request extends Message,
  Event extends Message,
  Fault extends Message,
  Tag extends Request["_tag"],
  ToRequest extends Message,
  ToEvent extends Message,
  ToFault extends Message,
>(
  from: ServiceBranch<Request, Event, Fault>,
  tag: Tag,
  to: ServiceBranch<ToRequest, ToEvent, ToFault>,
  map: (request: Extract<Request, { _tag: NoInfer<Tag> }>) => NoInfer<ToRequest>,
): Route => {
  const isTaken = hasTag<Request, Tag>(tag)
  return {
    _tag: "RequestRoute",
    from: routedBranch(from),
    tag,
    to: routedBranch(to),
    map: (message) => {
      if (isTaken(message)) return map(message)
      throw strange(`the route of ${tag}`, message)
    },
  }
}

/**
 * Makes a route from a kind of event or fault of a branch to an answer of the branch whose request it is for.
 *
 * @example
 * ```ts
 * import { AgentToolCallResult, ToolCallBranch } from "@sluice/shell/agent"
 * import { Route } from "@sluice/shell/branch"
 * import { SpellcastingBranch } from "@sluice/shell/spell"
 *
 * const route = Route.answer(
 *   SpellcastingBranch,
 *   "SpellResult",
 *   ToolCallBranch,
 *   ({ result }, call) => AgentToolCallResult.make({ ...call, _tag: "AgentToolCallResult", result, isFailure: false }),
 * )
 * console.log(route.tag, route.to.name) // SpellResult agent
 * ```
 */
export const answer = <
  Request extends Message,
  Event extends Message,
  Fault extends Message,
  Tag extends (Event | Fault)["_tag"],
  ToRequest extends Message,
  ToEvent extends Message,
  ToFault extends Message,
>(
  from: ServiceBranch<Request, Event, Fault>,
  tag: Tag,
  to: ServiceBranch<ToRequest, ToEvent, ToFault>,
  map: (
    answer: Extract<Event | Fault, { _tag: NoInfer<Tag> }>,
    request: NoInfer<ToRequest>,
  ) => NoInfer<ToEvent> | NoInfer<ToFault>,
): Route => {
  const isTaken = hasTag<Event | Fault, Tag>(tag)
  const isRequest = isRequestOf(to)
  return {
    _tag: "AnswerRoute",
    from: routedBranch(from),
    tag,
    to: routedBranch(to),
    map: (message, request) => {
      if (isTaken(message) && isRequest(request)) return map(message, request)
      throw strange(`the route of ${tag}`, message)
    },
  }
}

/**
 * Makes the handler of a branch: a service that answers its requests.
 *
 * @example
 * ```ts
 * import { Route, RouteGraph } from "@sluice/shell/branch"
 * import { Spellbook, SpellcastingBranch } from "@sluice/shell/spell"
 * import { Effect } from "effect"
 *
 * const program = Effect.gen(function* () {
 *   const spells = yield* Spellbook.service(Spellbook.make())
 *   return yield* RouteGraph.make({ routes: [], handlers: [Route.handle(SpellcastingBranch, spells)] })
 * })
 * console.log((await Effect.runPromise(program)).service(SpellcastingBranch) !== undefined) // true
 * ```
 */
export const handle = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  service: RequestService<Request, Event, Fault>,
): RouteHandler => {
  const isRequest = isRequestOf(branch)
  return {
    branch: routedBranch(branch),
    request: (request, options) =>
      isRequest(request)
        ? service.request(request, options)
        : Stream.die(strange(`the ${branch.name} branch`, request)),
  }
}
