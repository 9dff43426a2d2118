/** A sandbox in a page of a browser: Chromium, driven by Node; what is tried is the page. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Browser, hasBrowser, launchBrowser, type Opened, openPage } from "../../../support/browser.ts"
import { canCompileC, compileC } from "../../../support/wasi.ts"
import { bundle } from "../bundle.ts"
import { cases } from "../scripts.ts"
import type { Call } from "./page.ts"

/** With these a page may share memory with its workers. */
const isolation = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" }

const fileOf = async (path: string): Promise<readonly [type: string, body: string | Uint8Array] | undefined> => {
  if (path === "/") {
    return ["text/html", `<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>`]
  }
  if (path === "/page.js") return ["text/javascript", await bundle(new URL("./page.ts", import.meta.url))]
  const name = /^\/([a-z]+)\.wasm$/.exec(path)?.[1]
  return name === undefined ? undefined : ["application/wasm", await compileC(name)]
}

/** Serves the page on a port of this machine; answers with its address. */
const served: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.callback<ReturnType<typeof createServer>>((resume) => {
    const server = createServer(async ({ url = "/" }, response) => {
      const file = await fileOf(url)
      response.writeHead(file === undefined ? 404 : 200, { ...isolation, "content-type": file?.[0] ?? "text/plain" })
      response.end(file?.[1])
    }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  }),
  (server) =>
    Effect.callback<void>((resume) => {
      server.close(() => resume(Effect.void))
      server.closeAllConnections()
    }),
).pipe(Effect.map((server) => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  return `http://127.0.0.1:${address.port}/`
}))

/** Processes that were started with this folder. */
const processesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync("/proc").filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, "utf8").includes(folder)
    } catch {
      // It has just ended.
      return false
    }
  })

describe.skipIf(!hasBrowser || !canCompileC)("a sandbox in a page", () => {
  const scope = Scope.makeUnsafe()
  const within = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  let browser: Browser
  let opened: Opened

  beforeAll(async () => {
    const url = await within(served)
    browser = await within(launchBrowser)
    opened = await within(openPage(browser, url))
    await opened.page.waitForFunction("globalThis.page")
  })

  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  const call = (what: Call, script = ""): Promise<unknown> =>
    opened.page.evaluate(`page.${what}(${JSON.stringify(script)})`)

  it("is a page, with nothing of a runtime in it", async () => {
    expect(await call("hosts")).toEqual([])
  })

  for (const { answers, script, what } of cases) {
    it(`in a page: ${what}`, async () => expect(await call("run", script)).toMatchObject(answers))
  }

  it("lets a page's timers fire during a saturated pipeline", async () => {
    expect(await call("run", "yes | cat | head -c 200000000 | wc -c"))
      .toMatchObject({ exitCode: 0, stdout: "200000000\n", ticked: true })
  })

  it("ends programs that never wait in a page at their timeout, or by a signal", async () => {
    for (const script of ["yes | cat > /dev/null", "produce | relay > /dev/null", "while :; do :; done"]) {
      expect(await call("limited", script)).toMatchObject({ failed: "Timeout", ticked: true })
    }
    expect(await call("killed", "produce | cat > /dev/null")).toMatchObject({ exitCode: 143, signal: "SIGTERM" })
  })

  it("kills a program that waits in a page", async () => {
    expect(await call("killed", "sleep 100 | tally")).toMatchObject({ exitCode: 143, signal: "SIGTERM", stdout: "" })
  })

  it("stops a writer in a page at 65,536 bytes while the page does not read", async () => {
    expect(await call("ahead")).toEqual([65_536, 65_536, 65_536])
  })

  it("runs programs of a page in workers, and ends one that only computes", async () => {
    for (const { answers, script } of cases) expect(await call("isolated", script)).toMatchObject(answers)
    expect(await call("isolatedLimited", "compute loop > /dev/null")).toMatchObject({ failed: "Timeout", ticked: true })
  })

  it("leaves no error in the page, and no process and no folder of the browser when its scope is closed", async () => {
    expect(opened.errors).toEqual([])
    expect(processesOf(browser.folder)).not.toEqual([])
    await Effect.runPromise(Scope.close(scope, Exit.void))
    await expect.poll(() => processesOf(browser.folder)).toEqual([])
    expect(existsSync(browser.folder)).toBe(false)
  })
})
