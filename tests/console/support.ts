/** A server with the console, and a browser that looks at it. Runs on Node, where the browser's driver does. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Hono } from "hono"
import { consoleRoutes } from "../../src/console/Console.ts"
import { shellRoutes, type ShellRoutesOptions } from "../../src/http/Http.ts"
import { layer } from "../../src/leaves/local/LocalShell.ts"
import { serve } from "../http/serve.ts"
import { Proxy } from "../support/proxy.ts"
import { type Browser, type Opened, openPage } from "../support/browser.ts"

/** A server, behind something that can cut every connection. */
export interface Console {
  readonly url: string
  readonly cut: () => void
}

const released = <A>(acquire: () => Promise<A>, release: (a: A) => unknown): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(acquire), (a) => Effect.promise(async () => await release(a)))

/** Serves the console and the routes that it asks. */
export const consoleServer = (
  options: Partial<Pick<ShellRoutesOptions, "tokens">> = {},
): Effect.Effect<Console, never, Scope.Scope> =>
  Effect.gen(function* () {
    const access = options.tokens === undefined ? { token: "t0ken" } : { tokens: options.tokens }
    const routes = yield* released(() => Promise.resolve(shellRoutes({ layer, ...access })), (all) => all.dispose())
    const app = new Hono().route("/", consoleRoutes()).route("/", routes)
    const server = yield* released(() => serve(app.fetch), (one) => one.stop())
    const proxy = yield* released(() => Proxy.make(server.port), (one) => one.close())
    return { url: `http://127.0.0.1:${proxy.port}/`, cut: () => proxy.cut() }
  })

/** Opens the console with a token. */
export const openConsole = (
  browser: Browser,
  { url }: Console,
  token = "t0ken",
): Effect.Effect<Opened, never, Scope.Scope> => openPage(browser, `${url}#token=${token}`)
