/** Checks that each entry of a route graph has exactly one handler, and that routes form no cycle. */
import { didYouMean, findNearest } from "../base/findNearest.ts"
import { OptionError } from "../base/OptionError.ts"
import type { Route, RouteHandler } from "./Route.ts"
import type { RoutedBranch } from "./RoutedBranch.ts"

const fail = (message: string): never => {
  throw new OptionError("routes", `routes: ${message}`)
}

const lineOf = ({ _tag, from, tag, to }: Route): string =>
  `Route.${_tag === "RequestRoute" ? "request" : "answer"}(${from.constantName}, "${tag}", ${to.constantName}, …)`

/** Checks the tag of a route: in plain JavaScript it may be misspelt. */
const checkTag = (route: Route): void => {
  const tags = route._tag === "RequestRoute" ? route.from.requests : route.from.answers
  if (tags.includes(route.tag)) return
  fail(`${lineOf(route)}: the branch "${route.from.name}" has no such entry${didYouMean(findNearest(route.tag, tags))}`)
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
      `Route.handle(${branch.constantName}, …)`
    ),
  ]
  if (lines.length > 1) fail(`${tag} has ${lines.length} handlers; keep one of: ${lines.join("; ")}`)
  if (lines.length === 0) {
    fail(
      `${tag} has no handler; add Route.handle(${branch.constantName}, service) to the handlers, or ` +
        `Route.request(${branch.constantName}, "${tag}", …) to the routes`,
    )
  }
}

const checkAnswers = (from: RoutedBranch, to: RoutedBranch, routes: ReadonlyArray<Route>): void => {
  for (const tag of to.answers) {
    const back = routes.filter((route) =>
      route._tag === "AnswerRoute" && route.from.name === to.name && route.to.name === from.name && route.tag === tag
    )
    const line = `Route.answer(${to.constantName}, "${tag}", ${from.constantName}, (answer, request) => …)`
    if (back.length === 0) fail(`${tag} has no handler; add ${line} to the routes`)
    if (back.length > 1) fail(`${tag} has ${back.length} handlers; keep one line ${line}`)
  }
}

const checkCircle = (routes: ReadonlyArray<Route>): void => {
  const done = new Set<string>()
  const visit = (path: ReadonlyArray<Route>, name: string): void => {
    for (const route of routes) {
      if (route.from.name !== name) continue
      const start = [...path, route].findIndex(({ from }) => from.name === route.to.name)
      if (start >= 0) {
        const circle = [...path, route].slice(start)
        const names = [...circle.map(({ from }) => from.name), route.to.name].join(" -> ")
        fail(`requests go round in a circle: ${names}; remove one of: ${circle.map(lineOf).join("; ")}`)
      }
      // Many routes may lead to one branch: each is entered once.
      if (!done.has(route.to.name)) visit([...path, route], route.to.name)
    }
    done.add(name)
  }
  for (const { from } of routes) visit([], from.name)
}

const tagsOf = ({ answers, requests }: RoutedBranch): string => [...requests, ...answers].join(", ")

const branchesOf = (all: ReadonlyArray<RoutedBranch>): ReadonlyMap<string, RoutedBranch> => {
  const branches = new Map<string, RoutedBranch>()
  for (const branch of all) {
    const known = branches.get(branch.name) ?? branch
    if (tagsOf(known) !== tagsOf(branch)) {
      const both = `one has ${tagsOf(known)}; the other ${tagsOf(branch)}`
      fail(`two branches have the name "${branch.name}": ${both}; give each a name of its own`)
    }
    branches.set(branch.name, known)
  }
  return branches
}

/**
 * Checks a graph.
 *
 * @throws {OptionError} with the line to add or to remove.
 */
export const checkRoutes = (routes: ReadonlyArray<Route>, handlers: ReadonlyArray<RouteHandler>): void => {
  const requests = routes.filter(({ _tag }) => _tag === "RequestRoute")
  branchesOf([...routes.flatMap(({ from, to }) => [from, to]), ...handlers.map(({ branch }) => branch)])
  const branches = branchesOf([
    ...requests.flatMap(({ from, to }) => [from, to]),
    ...handlers.map(({ branch }) => branch),
  ])
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
      fail(`${lineOf(route)} is never used; add Route.request(${to.constantName}, …, ${from.constantName}, …)`)
    }
  }
}
