/** Tests terminals on the console page in Chromium: typing, sizes, pasting, detaching, other clients, and tokens that read. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { Hono } from "hono"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { listen } from "../../src/cli/listen.ts"
import { consoleRoutes } from "../../src/console/mod.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { hasBrowser } from "../support/browser.ts"
import { type EchoTerminals, echoTerminals } from "../support/echoTerminal.ts"
import { Proxy } from "../support/proxy.ts"
import { serve } from "../http/serve.ts"
import { type Console, exec, openConsole, suite } from "./support.ts"

interface TerminalConsole extends Console {
  readonly terminals: EchoTerminals
}

/** Serves the console over programs on terminals, on a server with WebSockets or without. */
const terminalConsole = (hasSockets = true): Effect.Effect<TerminalConsole, never, Scope.Scope> =>
  Effect.gen(function* () {
    const terminals = echoTerminals()
    const tokens = [{ name: "all", token: "t0ken" }, { name: "reads", token: "reads", rights: ["read"] as const }]
    const routes = shellRoutes({ context: Context.make(Shell, terminals.shell), tokens })
    const app = new Hono().route("/", consoleRoutes()).route("/", routes)
    yield* Effect.addFinalizer(() => Effect.promise(() => routes.dispose()))
    const port = hasSockets
      ? (yield* Effect.acquireRelease(
        Effect.promise(() => listen({ host: "127.0.0.1", port: 0 }, (request, env) => app.fetch(request, env))),
        (server) => Effect.promise(() => server.closeNow()),
      )).port
      : (yield* Effect.acquireRelease(
        Effect.promise(() => serve(app.fetch)),
        (server) => Effect.promise(() => server.stop()),
      )).port
    const proxy = yield* Effect.acquireRelease(
      Effect.promise(() => Proxy.make(port)),
      (one) => Effect.promise(() => one.close()),
    )
    return { url: `http://127.0.0.1:${proxy.port}/`, cut: () => proxy.cut(), terminals }
  })

describe.skipIf(!hasBrowser)("terminals on the console page in Chromium", () => {
  const { browser, within } = suite("one")

  const open = async (server: TerminalConsole, token?: string): Promise<Page> =>
    (await within(openConsole(browser(), server, token))).page
  const keyboard = (page: Page) => page.getByLabel(/^Terminal of the command/)
  const shown = (page: Page): Promise<string> =>
    page.locator("#terminal .xterm-rows").evaluate((rows) =>
      [...rows.children].map((row) => row.textContent?.trimEnd() ?? "").join("\n").trimEnd()
    )
  const status = (page: Page) => page.locator("#terminal-status")
  const sees = (page: Page, text: string) => expect.poll(() => shown(page)).toContain(text)
  const startOnTerminal = async (page: Page): Promise<void> => {
    await page.getByLabel("Command", { exact: true }).fill("shell")
    await page.getByLabel("on a terminal").check()
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await sees(page, "$")
    await expect.poll(() => status(page).textContent()).toContain("Attached: choose the terminal and type.")
  }

  it("starts a command on a terminal, types, takes the size of the page, and shows the end", async () => {
    const server = await within(terminalConsole())
    const page = await open(server)
    await startOnTerminal(page)
    await keyboard(page).focus()
    await page.keyboard.type("size")
    await page.keyboard.press("Enter")
    await expect.poll(() => shown(page)).toMatch(/size\n\d+ \d+/)
    const [, rows, cols] = /size\n(\d+) (\d+)/.exec(await shown(page)) ?? []
    await page.setViewportSize({ width: 900, height: 600 })
    await page.keyboard.press("Control+c")
    await page.keyboard.type("size")
    await page.keyboard.press("Enter")
    await expect.poll(async () => /size\n(?:.*\n)*.*size\n(\d+) (\d+)/.exec(await shown(page))?.[2]).toBeTruthy()
    const [, newRows, newCols] = /size\n(?:.*\n)*.*size\n(\d+) (\d+)/.exec(await shown(page)) ?? []
    expect([newRows, newCols]).not.toEqual([rows, cols])
    await page.keyboard.type("exit 5")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.locator("#facts dd").first().textContent()).toBe("exited with 5")
    await expect.poll(() => status(page).textContent()).toBe("The command has ended.")
    expect(await keyboard(page).count()).toBe(0)
    expect(await page.locator("#attach").isHidden()).toBe(true)
  })

  it("releases the keyboard, pastes, and resumes after the page detached or lost its connection", async () => {
    const server = await within(terminalConsole())
    const page = await open(server)
    await startOnTerminal(page)
    await keyboard(page).focus()
    // Tab is the program's; Ctrl+] leaves.
    await page.keyboard.press("Tab")
    expect(await keyboard(page).evaluate((element) => element === document.activeElement)).toBe(true)
    await page.keyboard.press("Control+]")
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("attach")
    await keyboard(page).evaluate((element) => {
      const data = new DataTransfer()
      data.setData("text/plain", "pasted")
      element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }))
    })
    await sees(page, "pasted")
    await page.getByRole("button", { name: "Detach" }).click()
    await expect.poll(() => status(page).textContent()).toContain("Detached")
    expect(await keyboard(page).count()).toBe(0)
    const [id = ""] = (await (await fetch(`${server.url}commands?state=open`, {
      headers: { authorization: "Bearer t0ken" },
    })).json()).commands.map((command: { readonly commandId: string }) => command.commandId)
    await fetch(`${server.url}commands/${id}/input`, {
      method: "POST",
      headers: { "authorization": "Bearer t0ken", "content-type": "application/octet-stream" },
      body: "-meanwhile",
    })
    await page.getByRole("button", { name: "Attach again" }).click()
    await sees(page, "pasted-meanwhile")
    server.cut()
    await expect.poll(() => status(page).textContent()).toContain("Attached")
    await keyboard(page).focus()
    await page.keyboard.type("-after")
    await sees(page, "pasted-meanwhile-after")
    expect((await shown(page)).match(/pasted/g)?.length).toBe(1)
  })

  it("is read-only for a token that may not type, follows the size of another client, and says how many there are", async () => {
    const server = await within(terminalConsole())
    const accepted = await exec(server, { command: "shell", detached: true, terminal: { cols: 70, rows: 15 } })
    expect(accepted).toMatchObject({ links: {} })
    const reader = await open(server, "reads")
    await reader.getByRole("option", { name: /shell/ }).click()
    await sees(reader, "$")
    await expect.poll(() => status(reader).textContent()).toContain("Read only: your token may not type here.")
    expect(await keyboard(reader).count()).toBe(0)
    const writer = await open(server)
    await writer.getByRole("option", { name: /shell/ }).click()
    await expect.poll(() => status(reader).textContent()).toContain("2 clients are attached.")
    await keyboard(writer).focus()
    await writer.keyboard.type("hello")
    await sees(reader, "hello")
    const cols = (page: Page) => page.locator("#terminal .xterm-rows").evaluate((rows) => rows.children.length)
    await expect.poll(async () => await cols(reader) === await cols(writer)).toBe(true)
  })

  it("shows the recording of a terminal, with input and new sizes, in the last of its sizes", async () => {
    const server = await within(terminalConsole())
    const commandId = "recorded"
    const post = (path: string, type: string, body: string) =>
      fetch(`${server.url}commands/${commandId}/${path}`, {
        method: "POST",
        headers: { "authorization": "Bearer t0ken", "content-type": type },
        body,
      })
    await exec(server, { command: "shell", commandId, detached: true, terminal: { cols: 70, rows: 15 } })
    expect((await post("resize", "application/json", `{"cols":50,"rows":12}`)).status).toBe(204)
    // In raw mode a newline keeps its column.
    await post("input", "application/octet-stream", "ab\ncd\rexit 3\r")
    const { errors, page } = await within(openConsole(browser(), server))
    await page.getByRole("option", { name: /shell/ }).click()
    await expect.poll(() => page.locator("#facts dd").first().textContent()).toBe("exited with 3")
    await expect.poll(() => shown(page)).toMatch(/^\$ \[50x12\]ab\n {11}cd\n/)
    expect(await page.locator("#terminal .xterm-rows").evaluate((rows) => rows.children.length)).toBe(12)
    expect(errors()).toEqual([])
  })

  it("works without WebSockets", async () => {
    const server = await within(terminalConsole(false))
    const page = await open(server)
    await page.getByLabel("Command", { exact: true }).fill("shell")
    await page.getByLabel("on a terminal").check()
    await page.getByRole("button", { name: "Run", exact: true }).click()
    await expect.poll(() => status(page).textContent()).toContain("Attached without a WebSocket")
    await keyboard(page).focus()
    await page.keyboard.type("hello")
    await sees(page, "hello")
    await page.keyboard.press("Enter")
    await page.keyboard.type("exit 2")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.locator("#facts dd").first().textContent()).toBe("exited with 2")
  })
})
