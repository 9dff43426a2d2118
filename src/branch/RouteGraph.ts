/**
 * Builds an application of branches from routes and handlers; refuses graphs with unhandled entries, duplicate handlers or
 * cycles.
 *
 * @module
 */
import type * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { quote } from "../base/quote.ts"
import { attemptOptions } from "../base/attemptOptions.ts"
import { OptionError } from "../base/OptionError.ts"
import { checkRoutes } from "./checkRoutes.ts"
import type { Route, RouteHandler } from "./Route.ts"
import type { Message, RequestContent, RequestService, ServiceBranch } from "./ServiceBranch.ts"

/** The routes of an application, and the services that answer where they end. */
export interface RouteGraphOptions {
  /** The routes between branches. */
  readonly routes: ReadonlyArray<Route>
  /** The services that answer the requests of branches. */
  readonly handlers: ReadonlyArray<RouteHandler>
}

/** Branches, connected by routes. */
export interface RouteGraph {
  /**
   * The service of a branch, which sends requests along the routes.
   *
   * @throws {OptionError} when the graph does not have the branch
   */
  readonly service: <Request extends Message, Event extends Message, Fault extends Message>(
    branch: ServiceBranch<Request, Event, Fault>,
  ) => RequestService<Request, Event, Fault>
}

/**
 * Builds a graph. Fails when an entry has no handler or several, or when routes form a cycle; the message has the line
 * to add or to remove.
 *
 * @example
 * ```ts
 * import { ToolCallBranch, toolRoutes } from "@sluice/shell/agent"
 * import { RouteGraph } from "@sluice/shell/branch"
 * import { Effect } from "effect"
 *
 * // Tool calls become spells, and nothing casts them.
 * const error = await Effect.runPromise(Effect.flip(RouteGraph.make({ routes: toolRoutes, handlers: [] })))
 * console.log(error.message.includes("Route.handle(SpellcastingBranch, service)")) // true
 * console.log(ToolCallBranch.name) // agent
 * ```
 */
export const make = ({ handlers, routes }: RouteGraphOptions): Effect.Effect<RouteGraph, OptionError> =>
  attemptOptions(() => {
    checkRoutes(routes, handlers)

    const pass = (branch: string, request: Message, content?: RequestContent): Stream.Stream<Message, Message> => {
      const handler = handlers.find((each) => each.branch.name === branch)
      if (handler !== undefined) return handler.request(request, content)
      const route = routes.find(({ _tag, from, tag }) =>
        _tag === "RequestRoute" && from.name === branch && tag === request._tag
      )
      if (route === undefined) {
        return Stream.die(new Error(`routes: ${request._tag} of the branch ${quote(branch)} has no handler`))
      }
      return Stream.suspend(() => pass(route.to.name, route.map(request, request), content)).pipe(
        Stream.map((event) => back(route, event, request)),
        Stream.catch((fault) => Stream.fail(back(route, fault, request))),
      )
    }
    const back = ({ from, to }: Route, answer: Message, request: Message): Message => {
      const route = routes.find((each) =>
        each._tag === "AnswerRoute" && each.from.name === to.name && each.to.name === from.name &&
        each.tag === answer._tag
      )
      if (route === undefined) throw new Error(`routes: ${answer._tag} of the branch "${to.name}" has no handler`)
      return route.map(answer, request)
    }

    return {
      service: (branch) => {
        const isKnown = [...routes.map(({ from }) => from), ...handlers.map((handler) => handler.branch)].some(
          ({ name }) => name === branch.name,
        )
        if (!isKnown) {
          throw new OptionError("branch", `routes: the branch ${quote(branch.name)} is in no route and no handler`)
        }
        return {
          request: (request, content) => sort(branch, pass(branch.name, request, content)),
        }
      },
    }
  })

/** The parts of a spell that a graph draws: its name, and the requests that it sends to other branches. */
export interface DrawnSpell {
  /** Its name. */
  readonly name: string
  /** The branches to which it sends requests, and the tags of these. */
  readonly routes: ReadonlyArray<{ readonly branch: string; readonly requests: ReadonlyArray<string> }>
}

/**
 * Draws routes, and the spells of a book with theirs, as a flowchart of Mermaid.
 *
 * @example
 * ```ts
 * import { RouteGraph } from "@sluice/shell/branch"
 * import { editFile, Spellbook } from "@sluice/shell/spell"
 *
 * const chart = RouteGraph.draw([], Spellbook.make(editFile).spells.values())
 * console.log(chart === `flowchart LR
 *   spellcasting --> edit_file(edit_file)
 *   edit_file -->|"FileRead, FileWrite"| filesystem
 * `) // true
 * ```
 *
 * @see https://mermaid.js.org/syntax/flowchart.html
 */
export const draw = (routes: ReadonlyArray<Route>, spells: Iterable<DrawnSpell> = []): string => {
  const arrow = (from: string, tags: string, to: string): string => `${from} -->|"${tags}"| ${to}`
  return [
    "flowchart LR",
    ...routes.map(({ from, tag, to }) => arrow(from.name, tag, to.name)),
    ...[...spells].flatMap(({ name, routes }) => [
      `spellcasting --> ${name}(${name})`,
      ...routes.map(({ branch, requests }) => arrow(name, requests.join(", "), branch)),
    ]),
  ].join("\n  ") + "\n"
}

/** Sorts the messages of an answer into events and one fault of the branch: a route may turn a fault into an event. */
const sort = <Request extends Message, Event extends Message, Fault extends Message>(
  branch: ServiceBranch<Request, Event, Fault>,
  answer: Stream.Stream<Message, Message>,
): Stream.Stream<Event, Fault> => {
  const isAnswer = (message: Message): message is Event | Fault =>
    message._tag !== "StreamEnd" && branch.event.tags.includes(message._tag)
  const one = (message: Message): Stream.Stream<Event, Fault> => {
    if (!isAnswer(message)) {
      return Stream.die(new Error(`routes: ${message._tag} is not an answer of the ${branch.name} branch`))
    }
    return branch.isFault(message) ? Stream.fail(message) : Stream.succeed(message)
  }
  return Stream.flatMap(Stream.catch(answer, (message) => Stream.succeed(message)), one)
}
