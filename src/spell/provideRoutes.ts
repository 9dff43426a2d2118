/** Limits the services of a call to the routes that its spell declares, and derives the ids of its requests from the call. */
import * as Context from "effect/Context"
import * as Option from "effect/Option"
import { hasProperty } from "effect/Predicate"
import * as Stream from "effect/Stream"
import { ParentSpan } from "effect/Tracer"
import type * as Types from "effect/Types"
import type { Message, RequestService } from "../branch/ServiceBranch.ts"
import { ShellExec } from "../command/ShellExec.ts"
import type { FileRequest } from "../files/FileRequest.ts"
import { Files } from "../files/Files.ts"
import { Shell } from "../shell/Shell.ts"

/** The call for which a route gives a service. */
export interface RoutedCall {
  /** The name of the spell. */
  readonly spell: string
  /** The id of its next request, which begins with the id of its invocation, so that a journal shows the requests of a call. */
  readonly nextId: () => string
}

/** A route from a spell to a branch, whose service is `R`. */
export interface SpellRoute<out R = unknown> {
  /** Its service, for types. */
  readonly "~service"?: Types.Covariant<R> | undefined
  /** The name of the branch to which requests go. */
  readonly branch: string
  /** The tags of these requests. */
  readonly requests: ReadonlyArray<string>
  /** Puts the service of one context into another, where it takes only these requests. */
  readonly provide: <C>(to: Context.Context<C>, from: Context.Context<C>, call: RoutedCall) => Context.Context<C>
}

/** Refuses a request that no route of the spell declares. This is a defect: the spell is wrong, not the call. */
const undeclared = ({ spell }: RoutedCall, branch: string, tag: string): Stream.Stream<never> =>
  Stream.die(new Error(`spell ${spell}: it sent ${tag} to the branch "${branch}"; add ${tag} to its routes`))

const isMessage = (value: unknown): value is Message =>
  hasProperty(value, "_tag") && typeof value._tag === "string" &&
  hasProperty(value, "correlationId") && typeof value.correlationId === "string"

/**
 * A service that takes no requests of a branch, if it is a branch's service: its requests decide, because a program's own
 * service may have a function of that name. The rest of the service works as before, including private fields of its class.
 */
const closed = (service: unknown, key: string, { spell }: RoutedCall): unknown => {
  if (typeof service !== "object" || !hasProperty(service, "request")) return service
  const { request } = service
  if (typeof request !== "function") return service
  const guarded = (...args: ReadonlyArray<unknown>): unknown => {
    if (!isMessage(args[0])) return Reflect.apply(request, service, args)
    const { _tag: tag } = args[0]
    const what = `it sent ${tag} to the service "${key}", to which it has no route`
    const route = `SpellRoute.make(…, …, "${tag}") with this service and its branch`
    return Stream.die(new Error(`spell ${spell}: ${what}; add ${route} to its routes`))
  }
  // A proxy must return the value of a frozen property.
  return new Proxy(Object.isFrozen(service) ? { ...service } : service, {
    get: (_, name) => {
      const value: unknown = name === "request" ? guarded : Reflect.get(service, name)
      return typeof value === "function" ? value.bind(service) : value
    },
  })
}

/** Takes requests of some tags, each with an id of the call. */
export const limited = <Request extends Message, Event, Fault>(
  { request }: RequestService<Request, Event, Fault>,
  branch: string,
  tags: ReadonlyArray<string>,
  call: RoutedCall,
): RequestService<Request, Event, Fault> => ({
  request: (message, options) =>
    tags.includes(message._tag)
      ? request({ ...message, correlationId: call.nextId() }, options)
      : undeclared(call, branch, message._tag),
})

export const replace = <C, Id, Service>(
  to: Context.Context<C>,
  from: Context.Context<C>,
  key: Context.Key<Id, Service>,
  change: (service: Service) => Service,
): Context.Context<C> => {
  const service = Context.getOption(from, key)
  return Option.isNone(service) ? to : Context.add(to, key, change(service.value))
}

export const routeToFiles = (requests: ReadonlyArray<FileRequest["_tag"]>): SpellRoute<Files> => ({
  branch: "filesystem",
  requests,
  provide: (to, from, call) =>
    replace(to, from, Files, (leaf) => ({
      ...leaf,
      ...limited(leaf, "filesystem", requests, call),
      // These reveal names, as a list does.
      ...(requests.includes("FileList") ? undefined : { findCandidates: undefined, watch: undefined }),
    })),
})

export const routeToCommands = (requests: ReadonlyArray<"ShellExec">): SpellRoute<Shell> => ({
  branch: "compute",
  requests,
  provide: (to, from, call) => {
    const renamed = (exec: ShellExec): ShellExec => ShellExec.with(exec, { commandId: call.nextId() })
    const refused = () => undeclared(call, "compute", "ShellExec")
    return replace(to, from, Shell, (leaf) =>
      requests.length === 0 ? { ...leaf, exec: refused, bytes: refused } : {
        ...leaf,
        exec: (exec, options) => leaf.exec(renamed(exec), options),
        bytes: (exec, options) => leaf.bytes(renamed(exec), options),
      })
  },
})

/** The routes of a spell that declares none. */
const none: ReadonlyArray<SpellRoute> = [routeToFiles([]), routeToCommands([])]

/** The context of a call, in which `Files`, `Shell` and the services of routes take the requests of the routes alone. */
export const provideRoutes = <R>(
  { name, routes }: { readonly name: string; readonly routes: ReadonlyArray<SpellRoute> },
  context: Context.Context<R>,
  correlationId: string,
): Context.Context<R> => {
  let count = 0
  const call: RoutedCall = { spell: name, nextId: () => `${correlationId}/${++count}` }
  const start = Context.makeUnsafe<R>(
    new Map(
      Array.from(context.mapUnsafe, ([key, service]) => [key, closed(service, key, call)] as const)
        // Spans of the requests of a call are children of the call's span, not of the span in which the service was
        // made.
        .filter(([key]) => key !== ParentSpan.key),
    ),
  )
  return [...none, ...routes].reduce((to, route) => route.provide(to, context, call), start)
}
