/** A browser for tests: Debian's Chromium, without a window. Nothing of it outlives its scope. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { type BrowserContext, chromium, type Page } from "playwright-core"

/** Where it is; `undefined` where there is none. */
const program = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "chromium")).find(existsSync)

/** Whether there is a browser here: tests without one are skipped, but not in CI. */
export const hasBrowser: boolean = program !== undefined

if (!hasBrowser && process.env["CI"] !== undefined) throw new Error("install chromium: CI runs the tests of browsers")

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
]

/** A browser, and the folder where it keeps what it knows. */
export interface Browser {
  readonly context: BrowserContext
  readonly folder: string
}

const launch = async (): Promise<Browser> => {
  if (program === undefined) throw new Error("there is no chromium here")
  const folder = await mkdtemp(join(tmpdir(), "sluice-browser-"))
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: program,
    headless: true,
    args,
    // The test's own process is not the browser's to end.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
  return { context, folder }
}

/** Launches a browser that knows nothing yet. Its processes and its folder are gone when the scope is closed. */
export const launchBrowser: Effect.Effect<Browser, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(launch),
  ({ context, folder }) =>
    Effect.promise(async () => {
      await context.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    }),
)

/** A page and its errors: uncaught ones, and lines on its console's error channel. */
export interface Opened {
  readonly page: Page
  readonly errors: ReadonlyArray<string>
}

/** Opens a page, and waits until it has loaded. It is closed with the scope. */
export const openPage = ({ context }: Browser, url: string): Effect.Effect<Opened, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(() => context.newPage()), (page) => Effect.promise(() => page.close())).pipe(
    Effect.flatMap((page) =>
      Effect.promise(async () => {
        const errors: Array<string> = []
        page.on("pageerror", (error) => errors.push(error.message))
        page.on("console", (message) => {
          if (message.type() === "error") errors.push(message.text())
        })
        await page.goto(url)
        return { page, errors }
      })
    ),
  )
