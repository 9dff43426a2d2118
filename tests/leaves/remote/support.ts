/** Servers of this runtime, and ways to them that can be cut. */
import { LocalShell, type OptionError, type Shell } from "@sluice/shell"
import { shellRoutes, type ShellRoutesOptions } from "@sluice/shell/http"
import { RemoteShell } from "@sluice/shell/remote"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { RemoteShellOptions } from "../../../src/leaves/remote/RemoteShellOptions.ts"
import { serve } from "../../http/serve.ts"
import { Proxy } from "../../support/proxy.ts"

export const token = "t0ken"

/** A server that runs commands here, behind something that can cut every connection. */
export interface Remote {
  readonly url: string
  /** Its address without that: what is between takes all it can get. */
  readonly direct: string
  readonly cut: () => void
}

type Options = Pick<ShellRoutesOptions, "journal" | "maxConcurrency" | "maxBodyBytes">

const released = <A>(acquire: () => Promise<A>, release: (a: A) => unknown): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(acquire), (a) => Effect.promise(async () => await release(a)))

/** Serves the local leaf. */
export const remote = (options: Options = {}): Effect.Effect<Remote, never, Scope.Scope> =>
  Effect.gen(function* () {
    const routes = yield* released(
      () => Promise.resolve(shellRoutes({ layer: LocalShell.layer, token, ...options })),
      (all) => all.dispose(),
    )
    const server = yield* released(() => serve(routes.fetch), (one) => one.stop())
    const proxy = yield* released(() => Proxy.make(server.port), (one) => one.close())
    const [url, direct] = [proxy.port, server.port].map((port) => `http://127.0.0.1:${port}/`)
    return { url: url ?? "", direct: direct ?? "", cut: () => proxy.cut() }
  })

/** Runs a program with the Shell of a server. */
export const on = (
  { url }: Pick<Remote, "url">,
  options: Partial<RemoteShellOptions> = {},
): <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | OptionError, Exclude<R, Shell>> =>
  Effect.provide(RemoteShell.layer({ url, token, ...options }))
