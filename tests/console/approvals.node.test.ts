/** Tests the questions of agents on the console page in Chromium. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { Hono } from "hono"
import { afterAll, describe, expect, it, vi } from "vitest"
import { consoleRoutes } from "../../src/console/mod.ts"
import { approvalRoutes, shellRoutes, type TokenOptions } from "../../src/http/mod.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { type ApprovalAnswer, ApprovalRequest, askOne } from "../../src/spell/ApprovalBranch.ts"
import * as OpenQuestions from "../../src/spell/OpenQuestions.ts"
import { serve } from "../http/serve.ts"
import { hasBrowser, launchBrowser } from "../support/browser.ts"
import { openConsole } from "./support.ts"

const question = (id: string, command: string): ApprovalRequest =>
  ApprovalRequest.make({
    correlationId: `${id}/approval`,
    invocationId: id,
    spell: "run_command",
    arguments: { command },
    about: `run_command ${command}`,
    suggestions: [{ decision: "allow", spell: "run_command", command }],
  })

describe.skipIf(!hasBrowser)("the questions of agents on the console page in Chromium", () => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
  const scope = Scope.makeUnsafe()
  const within = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  afterAll(() => Effect.runPromise(Scope.close(scope, Exit.void)))

  /** A console with questions, and a page that is signed in. */
  const open = async (rights: TokenOptions["rights"]) => {
    const routes = shellRoutes({ layer: LocalShell.layer, tokens: [{ name: "ada", token: "t0ken", rights }] })
    const approvals = approvalRoutes({ server: routes, questions: Effect.runSync(OpenQuestions.make()) })
    const app = new Hono().route("/", consoleRoutes({ approvals: true })).route("/", routes).route("/", approvals)
    const server = await serve(app.fetch)
    await within(Effect.addFinalizer(() =>
      Effect.promise(async () => {
        await server.stop()
        await approvals.dispose()
        await routes.dispose()
      })
    ))
    const url = `http://127.0.0.1:${server.port}/`
    const seen = await within(openConsole(await within(launchBrowser), { url, cut: () => {} }))
    const ask = (id: string, command: string): Promise<ApprovalAnswer> =>
      Effect.runPromise(askOne(approvals.questions, question(id, command)))
    return { ...seen, ask, list: () => Effect.runPromise(approvals.questions.list) }
  }

  it("shows the questions of agents, and sends the answers", async () => {
    const { ask, errors, page } = await open(["read", "approve"])
    const section = page.getByRole("region", { name: "Agents ask" })
    expect(await section.isHidden()).toBe(true)
    const [make, test, rm] = [ask("c1", "make"), ask("c2", "npm \u202etest"), ask("c3", "rm")]
    await expect.poll(() => section.getByRole("listitem").count()).toBe(3)
    const item = (text: string) => section.getByRole("listitem").filter({ hasText: text })
    await item("make").getByRole("button", { name: "Allow once" }).click()
    expect(await make).toMatchObject({ decision: "allow", by: "ada" })
    expect(await section.textContent()).toContain("npm \\u202etest")
    await item("npm").getByRole("button", { name: "Allow in this run" }).click()
    expect(await test).toMatchObject({ decision: "allow", remember: "run" })
    await item("rm").getByLabel("Reason, for the model").fill("use trash")
    await item("rm").getByRole("button", { name: "Deny" }).click()
    expect(await rm).toMatchObject({ decision: "deny", reason: "use trash" })
    await expect.poll(() => section.isHidden()).toBe(true)
    expect(errors()).toEqual([])
  })

  it("shows nothing to a token without the right, and sends no request", async () => {
    const { ask, list, page } = await open(["read", "run"])
    const asked: Array<string> = []
    page.on("request", (request) => void asked.push(request.url()))
    void ask("c1", "make")
    await page.getByLabel("Command", { exact: true }).fill("true")
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await expect.poll(() => page.locator("#line").textContent()).toBe("true")
    expect(asked.filter((url) => url.includes("approvals"))).toEqual([])
    expect(await page.locator("#approvals").isHidden()).toBe(true)
    expect((await list()).length).toBe(1)
  })
})
