/**
 * Checks that each entry of a route graph has exactly one handler, and that no request goes round in a circle.
 *
 * @module
 */
import { findNearest } from "../base/findNearest.ts"
import { OptionError } from "../base/OptionError.ts"
import type { Route, RouteHandler } from "./Route.ts"
import type { RoutedBranch } from "./RoutedBranch.ts"

/** The name that a branch has in code: `SpellcastingBranch`. */
const constantOf = (name: string): string =>
  `${name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase())}Branch`

const fail = (message: string): never => {
  throw new OptionError("routes", `routes: ${message}`)
}

const lineOf = ({ _tag, from, tag, to }: Route): string =>
  `Route.${_tag === "RequestRoute" ? "request" : "answer"}(${constantOf(from.name)}, "${tag}", ${
    constantOf(to.name)
  }, …)`

/** In plain JavaScript a tag may be misspelt. */
const checkTag = (route: Route): void => {
  const tags = route._tag === "RequestRoute" ? route.from.requests : route.from.answers
  if (tags.includes(route.tag)) return
  const near = findNearest(route.tag, tags)
  const hint = near === undefined ? `it has ${tags.join(", ")}` : `did you mean "${near}"?`
  fail(`${lineOf(route)}: the branch "${route.from.name}" has no such entry; ${hint}`)
}

const checkRequest = (
  branch: RoutedBranch,
  tag: string,
  routes: ReadonlyArray<Route>,
  handlers: ReadonlyArray<RouteHandler>,
): void => {
  const lines = [
    ...routes.filter((route) => route._tag === "RequestRoute" && route.from.name === branch.name && route.tag === tag)
      .map(lineOf),
    ...handlers.filter((handler) => handler.branch.name === branch.name).map(() =>
      `Route.handle(${constantOf(branch.name)}, …)`
    ),
  ]
  if (lines.length > 1) fail(`${tag} has ${lines.length} handlers; keep one of: ${lines.join("; ")}`)
  if (lines.length === 0) {
    fail(
      `nobody handles ${tag}; add Route.handle(${constantOf(branch.name)}, service) to the handlers, or ` +
        `Route.request(${constantOf(branch.name)}, "${tag}", …) to the routes`,
    )
  }
}

/** The answers of a branch that requests of another were routed to. */
const checkAnswers = (from: RoutedBranch, to: RoutedBranch, routes: ReadonlyArray<Route>): void => {
  for (const tag of to.answers) {
    const back = routes.filter((route) =>
      route._tag === "AnswerRoute" && route.from.name === to.name && route.to.name === from.name && route.tag === tag
    )
    const line = `Route.answer(${constantOf(to.name)}, "${tag}", ${constantOf(from.name)}, (answer, request) => …)`
    if (back.length === 0) fail(`nobody handles ${tag}; add ${line} to the routes`)
    if (back.length > 1) fail(`${tag} has ${back.length} handlers; keep one line ${line}`)
  }
}

const checkCircle = (routes: ReadonlyArray<Route>): void => {
  const visit = (path: ReadonlyArray<Route>, name: string): void => {
    for (const route of routes) {
      if (route._tag !== "RequestRoute" || route.from.name !== name) continue
      const start = [...path, route].findIndex(({ from }) => from.name === route.to.name)
      if (start >= 0) {
        const circle = [...path, route].slice(start)
        const names = [...circle.map(({ from }) => from.name), route.to.name].join(" -> ")
        fail(`requests go round in a circle: ${names}; remove one of: ${circle.map(lineOf).join("; ")}`)
      }
      visit([...path, route], route.to.name)
    }
  }
  for (const { from } of routes) visit([], from.name)
}

/**
 * Checks a graph.
 *
 * @throws {OptionError} with the line to add or to remove.
 */
export const checkRoutes = (routes: ReadonlyArray<Route>, handlers: ReadonlyArray<RouteHandler>): void => {
  const requests = routes.filter(({ _tag }) => _tag === "RequestRoute")
  const branches = new Map<string, RoutedBranch>()
  for (const { from, to } of requests) branches.set(from.name, from).set(to.name, to)
  for (const { branch } of handlers) branches.set(branch.name, branch)
  for (const route of routes) checkTag(route)
  checkCircle(requests)
  for (const branch of branches.values()) {
    for (const tag of branch.requests) checkRequest(branch, tag, routes, handlers)
  }
  for (const { from, to } of requests) checkAnswers(from, to, routes)
  for (const route of routes) {
    if (route._tag === "RequestRoute") continue
    const { from, to } = route
    if (!requests.some((each) => each.from.name === to.name && each.to.name === from.name)) {
      fail(`${lineOf(route)} is never used; add Route.request(${constantOf(to.name)}, …, ${constantOf(from.name)}, …)`)
    }
  }
}
