/** Starts a server with the console and a browser, on Node, which the browser's driver requires. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Hono } from "hono"
import type { Locator, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, vi } from "vitest"
import { consoleRoutes } from "../../src/console/mod.ts"
import { shellRoutes, type TokenOptions } from "../../src/http/mod.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { serve } from "../http/serve.ts"
import { type Browser, launchBrowser, openPage } from "../support/browser.ts"
import { Proxy } from "../support/proxy.ts"

/** A server, behind something that can cut every connection. */
export interface Console {
  readonly url: string
  readonly cut: () => void
}

const released = <A>(acquire: () => Promise<A>, release: (a: A) => unknown): Effect.Effect<A, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(acquire), (a) => Effect.promise(async () => await release(a)))

/** Serves the console and its routes, to clients with a token or to any client. */
export const consoleServer = (
  tokens: ReadonlyArray<TokenOptions> | "anyone" = [{ name: "all", token: "t0ken" }],
): Effect.Effect<Console, never, Scope.Scope> =>
  Effect.gen(function* () {
    const access = tokens === "anyone" ? { unauthenticated: true as const } : { tokens }
    const routes = yield* released(() => Promise.resolve(shellRoutes({ layer: LocalShell.layer, ...access })), (all) =>
      all.dispose())
    const app = new Hono().route("/", consoleRoutes()).route("/", routes)
    const server = yield* released(() =>
      serve(app.fetch), (one) => one.stop())
    const proxy = yield* released(() => Proxy.make(server.port), (one) => one.close())
    return { url: `http://127.0.0.1:${proxy.port}/`, cut: () => proxy.cut() }
  })

/** A page, and its errors since signing in. */
export interface Seen {
  readonly page: Page
  readonly errors: () => ReadonlyArray<string>
}

/** Gives the page its token. */
export const signIn = async (page: Page, token: string): Promise<void> => {
  await page.getByRole("dialog").getByLabel("Token", { exact: true }).fill(token)
  await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click()
}

/** Waits until the page follows what happens. */
export const isLive = (page: Page): Promise<void> => expect.poll(() => page.locator("#link").textContent()).toBe("Live")

/** Opens the console, and signs in. */
export const openConsole = (
  browser: Browser,
  { url }: Console,
  token = "t0ken",
): Effect.Effect<Seen, never, Scope.Scope> =>
  openPage(browser, url).pipe(
    Effect.tap(({ page }) =>
      Effect.promise(async () => {
        await signIn(page, token)
        await isLive(page)
      })
    ),
    Effect.map(({ errors, page }) => {
      const before = errors.length
      return { page, errors: () => errors.slice(before) }
    }),
  )

/** What the tests of a file share. */
export interface Suite {
  /** Runs with the scope of the file. */
  readonly within: <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Promise<A>
  readonly browser: () => Browser
  readonly server: () => Console
  /** A page that is signed in. */
  readonly seen: () => Seen
}

/** A server and a browser for the tests of a file, and a page: one for each, or one for all of them. */
export const suite = (pages: "each" | "one" = "each"): Suite => {
  // How long a browser takes on a busy machine is no promise of ours.
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
  const scope = Scope.makeUnsafe()
  const within = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  let made: { readonly browser: Browser; readonly server: Console } | undefined
  let seen: Seen | undefined
  const here = <A>(a: A | undefined): A => {
    if (a === undefined) throw new Error("it is there within a test only")
    return a
  }
  beforeAll(async () => {
    made = { server: await within(consoleServer()), browser: await within(launchBrowser) }
  })
  beforeEach(async () => {
    if (pages === "each" || seen === undefined) {
      seen = await within(openConsole(here(made).browser, here(made).server))
    }
  })
  // A browser opens six connections to one server at most, and each page holds one. The blank page of its start stays:
  // without a page its window is closed, and another one costs 1.5 s of processor time.
  afterEach(async () => {
    const others = here(made).browser.context.pages()
      .filter((one) => one.url() !== "about:blank" && (pages === "each" || one !== seen?.page))
    await Promise.all(others.map((one) => one.close()))
  })
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return { within, browser: () => here(made).browser, server: () => here(made).server, seen: () => here(seen) }
}

/** Runs a script by the form. */
export const run = async (page: Page, script: string): Promise<void> => {
  await page.getByLabel("Command", { exact: true }).fill(script)
  await page.getByLabel("as a shell script").check()
  await page.getByRole("button", { name: "Run", exact: true }).click()
  await expect.poll(() => page.locator("#line").textContent()).toBe(script)
}

/** The last 1,000 lines of the output. */
export const textOf = async (page: Page): Promise<string> => {
  await page.getByRole("tab", { name: "Output" }).click()
  return (await page.locator("#lines .content").allTextContents()).join("\n")
}

/** How the command that is shown is. */
export const state = (page: Page): Locator => page.locator("#facts dd").first()

/** Runs a command as another program does. */
export const exec = async ({ url }: Console, command: object): Promise<unknown> => {
  const response = await fetch(`${url}exec`, {
    method: "POST",
    headers: { authorization: "Bearer t0ken", "content-type": "application/json" },
    body: JSON.stringify(command),
  })
  return await response.json()
}
