/** The page of the site in which the sandbox runs, in Chromium: its bytes, its shell, its files, and its silence. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { buildTry } from "../../../docs/site/buildTry.mjs"
import { hasBrowser, launchBrowser, type Opened, openPage } from "../../support/browser.ts"

const types: Readonly<Record<string, string>> = { css: "text/css", html: "text/html", js: "text/javascript" }
const maxFirstBytes = 300_000

describe.skipIf(!hasBrowser)("the page with the sandbox", { timeout: 60_000 }, () => {
  const scope = Scope.makeUnsafe()
  const within = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const folder = mkdtempSync(join(tmpdir(), "sluice-try-"))
  /** Names of the files that the page has loaded. */
  const loaded = new Set<string>()
  const requests: Array<string> = []
  let opened: Opened
  let url = ""
  let firstBytes = 0

  const server = createServer(({ url: path = "/" }, response) => {
    const name = path === "/try/" ? "index.html" : path.replace(/^\/try\//, "")
    const file = join(folder, name)
    if (!existsSync(file)) return void response.writeHead(404).end()
    loaded.add(name)
    response.writeHead(200, { "content-type": types[name.replace(/^.*\./, "")] ?? "text/plain" }).end(
      readFileSync(file),
    )
  })

  const sizeOf = (names: Iterable<string>) =>
    Array.from(names).reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0)

  beforeAll(async () => {
    firstBytes = await buildTry(folder)
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
    const address = server.address()
    if (address === null || typeof address === "string") throw new Error("no port")
    url = `http://127.0.0.1:${address.port}/try/`
    const browser = await within(launchBrowser)
    browser.context.on("request", (request) => requests.push(request.url()))
    opened = await within(openPage(browser, url))
    await opened.page.waitForSelector("body[data-state=ready]")
  }, 60_000)

  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(folder, { recursive: true, force: true })
  })

  /** The lines of the terminal, without those that are empty. */
  const screen = async (): Promise<ReadonlyArray<string>> => {
    const rows = await opened.page.locator("#terminal .xterm-rows > div").allTextContents()
    return rows.map((row) => row.replaceAll("\u00a0", " ").trimEnd()).filter((row) => row !== "")
  }
  const type = async (text: string): Promise<void> => {
    await opened.page.locator("#terminal textarea").focus()
    await opened.page.keyboard.type(text)
  }
  /** Clears the screen, runs a line, and returns the screen once a new prompt is there. */
  const run = async (line: string): Promise<ReadonlyArray<string>> => {
    await opened.page.locator("#terminal textarea").focus()
    await opened.page.keyboard.press("Control+l")
    await expect.poll(screen).toHaveLength(1)
    await type(`${line}\n`)
    await expect.poll(async () => (await screen()).filter((row) => / \$$/.test(row)).length).toBe(1)
    return (await screen()).slice(1, -1)
  }

  it("loads less than 300 KB before a lazy tool is used", () => {
    expect(firstBytes).toBeLessThan(maxFirstBytes)
    expect(sizeOf(loaded)).toBe(firstBytes)
  })

  it("runs a pipeline, and keeps the session", async () => {
    expect(await run("seq 1000 | grep 7 | wc -l")).toEqual(["271"])
    expect(await run("cd /tmp && x=42")).toEqual([])
    expect((await screen()).at(-1)).toBe("/tmp $")
    expect(await run("echo $x; cd")).toEqual(["42"])
  })

  it("loads jq and awk when they are used", async () => {
    const before = loaded.size
    expect(await run("jq -r '.[].name' people.json")).toEqual(["Ada", "Grace"])
    expect(loaded.size).toBeGreaterThan(before)
    const withJq = loaded.size
    expect(await run("awk -f sum.awk costs.csv")).toEqual(["5.6"])
    expect(loaded.size).toBeGreaterThan(withJq)
  })

  it("edits a file in the panel, which the shell sees, and the other way round", async () => {
    const { page } = opened
    const tree = page.getByRole("navigation", { name: "Tree" })
    await tree.getByRole("button", { name: "costs.csv" }).click()
    await expect.poll(() => page.getByLabel("Content").inputValue()).toContain("tea,2.50")
    await page.getByLabel("Content").fill("item,cost\ntea,40\n")
    await page.getByRole("button", { name: "Save" }).click()
    await expect.poll(() => page.locator("#status").textContent()).toBe("Saved /home/user/costs.csv.")
    expect(await run("awk -f sum.awk costs.csv")).toEqual(["40"])
    await run("mkdir made && echo inside > made/new.txt")
    await tree.getByRole("button", { name: "made" }).click()
    await tree.getByRole("button", { name: "new.txt" }).click()
    await expect.poll(() => page.getByLabel("Content").inputValue()).toBe("inside\n")
    await page.getByRole("button", { name: "Remove" }).click()
    expect(await run("ls made | wc -l")).toEqual(["0"])
  })

  it("uploads and downloads", async () => {
    const { page } = opened
    await page.getByLabel("Upload").setInputFiles({
      name: "up.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("b\na\n"),
    })
    await expect.poll(() => page.locator("#status").textContent()).toBe("Uploaded up.txt into /home/user.")
    expect(await run("sort up.txt > down.txt; cat down.txt")).toEqual(["a", "b"])
    await page.getByRole("navigation", { name: "Tree" }).getByRole("button", { name: "down.txt" }).click()
    await expect.poll(() => page.getByLabel("Path").inputValue()).toBe("/home/user/down.txt")
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Download" }).click(),
    ])
    expect(download.suggestedFilename()).toBe("down.txt")
    expect(readFileSync(await download.path(), "utf8")).toBe("a\nb\n")
  })

  it("ends an endless command at Ctrl-C, and stays responsive meanwhile", async () => {
    const { page } = opened
    await type("yes\n")
    await expect.poll(async () => (await screen()).filter((row) => row === "y").length).toBeGreaterThan(5)
    await page.keyboard.press("Control+c")
    await expect.poll(async () => (await screen()).at(-1)).toBe("~ $")
    expect(await run("echo alive; while :; do :; done &")).toEqual(["alive"])
    await run("kill %1")
    await type("while :; do :; done\n")
    await page.keyboard.press("Control+c")
    await expect.poll(async () => (await screen()).at(-1)).toBe("~ $")
    // What scrolled away is bounded.
    expect(await page.evaluate("performance.memory.usedJSHeapSize")).toBeLessThan(200_000_000)
  })

  it("passes typed text to a program that reads it", async () => {
    await type("cat | tr a-z A-Z\nhello\n")
    await opened.page.keyboard.press("Control+d")
    await expect.poll(async () => (await screen()).slice(-2)).toEqual(["HELLO", "~ $"])
  })

  it("continues a command on the next line, recalls it, and completes names", async () => {
    const { page } = opened
    await run("clear")
    await type("for i in 1 2; do\necho n$i\ndone\n")
    await expect.poll(async () => (await screen()).slice(-3)).toEqual(["n1", "n2", "~ $"])
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")
    await expect.poll(async () => (await screen()).filter((row) => row === "n2").length).toBe(2)
    await type("whoa")
    await page.keyboard.press("Backspace")
    await page.keyboard.press("Tab")
    await type("; cat peo")
    await page.keyboard.press("Tab")
    await expect.poll(async () => (await screen()).at(-1)).toMatch(/^~ \$ whoami ; cat people\.json$/)
    await page.keyboard.press("Control+c")
  })

  it("sends nothing: every request is for a file of the page", async () => {
    expect(await run("curl -s https://example.org || echo $?")).not.toEqual([])
    expect(requests.filter((each) => !each.startsWith(url) && !/^(data|blob):/.test(each))).toEqual([])
    expect(requests.filter((each) => each.includes("?"))).toEqual([])
    const blocked = await opened.page.evaluate("fetch('./index.html').then(() => 'sent', () => 'blocked')")
    expect(blocked).toBe("blocked")
    expect(opened.errors.filter((each) => !each.includes("Content Security Policy"))).toEqual([])
  })
})
