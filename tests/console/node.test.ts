/** The console in Chromium, against real routes and real commands. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { type Browser, hasBrowser, launchBrowser } from "../support/browser.ts"
import { type Console, consoleServer, openConsole } from "./support.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

it("is built of what is in its folder", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/console.mjs", "--check"], { encoding: "utf8" })
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" })
})

const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

/** Runs a script by the form. */
const run = async (page: Page, script: string): Promise<void> => {
  await page.getByLabel("Command", { exact: true }).fill(script)
  await page.getByLabel("as a script of the shell").check()
  await page.getByRole("button", { name: "Run", exact: true }).click()
}

/** The last 1,000 lines of the output. */
const textOf = async (page: Page): Promise<string> => {
  const button = page.getByRole("button", { name: "As text" })
  if (await button.getAttribute("aria-expanded") === "true") await button.click()
  await button.click()
  return await page.getByLabel("The last 1,000 lines").textContent() ?? ""
}

const state = (page: Page) => page.locator("#facts dd").first()

if (hasBrowser) {
  const scope = Scope.makeUnsafe()
  const within = <A>(effect: Effect.Effect<A, never, Scope.Scope>) => Effect.runPromise(Scope.provide(effect, scope))
  const folder = mkdtempSync(join(tmpdir(), "sluice-console-"))
  const file = (name: string): string => join(folder, name)
  let browser: Browser
  let server: Console
  let page: Page
  let errors: ReadonlyArray<string>

  beforeAll(async () => {
    server = await within(consoleServer())
    browser = await within(launchBrowser)
  })

  beforeEach(async () => {
    ;({ errors, page } = await within(openConsole(browser, server)))
  })

  // A browser opens six connections to one server at most, and each page holds one.
  afterEach(() => Promise.all(browser.context.pages().map((one) => one.close())))

  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  it("runs a command, and shows what it writes as it comes, in its colours", async () => {
    const go = file("go")
    await run(
      page,
      `printf '\\033[32mgreen\\033[0m\\n'; until [ -e '${go}' ]; do sleep 0.02; done; echo oops >&2; exit 3`,
    )
    await expect.poll(() => page.locator("#terminal .xterm-fg-2").textContent()).toContain("green")
    await expect.poll(() => state(page).textContent()).toBe("running")
    spawnSync("touch", [go])
    await expect.poll(() => state(page).textContent()).toBe("exited 3")
    expect(await textOf(page)).toBe("green\noops")
    await page.getByRole("tab", { name: "Windows" }).click()
    await expect.poll(() => page.locator("#windows-rows tr").allTextContents()).toHaveLength(2)
    expect(await page.locator("#windows-rows .stderr").textContent()).toBe("stderr")
    await page.getByRole("tab", { name: "Timeline" }).click()
    expect(await page.locator("#timeline-drawing rect").count()).toBe(2)
    expect(errors).toEqual([])
  })

  it("shows what others run, and what they did before", async () => {
    const exec = (command: object) =>
      fetch(`${server.url}exec`, {
        method: "POST",
        headers: { authorization: "Bearer t0ken", "content-type": "application/json" },
        body: JSON.stringify(command),
      })
    await exec({ command: "echo", arguments: ["by somebody else"] })
    const item = page.getByRole("option", { name: /by somebody else/ })
    await item.click()
    await expect.poll(() => textOf(page)).toBe("by somebody else")
    const later = (await within(openConsole(browser, server))).page
    await later.getByLabel("Search").fill("*somebody*")
    await expect.poll(() => later.getByRole("listbox").getByRole("option").count()).toBe(1)
  })

  it("goes on after a lost connection, with nothing missed and nothing twice", async () => {
    await run(page, "for i in $(seq 1 400); do echo line $i; sleep 0.01; done")
    for (let round = 0; round < 4; round++) {
      const before = (await textOf(page)).length
      await expect.poll(async () => (await textOf(page)).length).toBeGreaterThan(before)
      server.cut()
    }
    await expect.poll(() => state(page).textContent()).toBe("exited 0")
    const lines = Array.from({ length: 400 }, (_, index) => `line ${index + 1}`)
    await expect.poll(async () => (await textOf(page)).split("\n")).toEqual(lines)
  })

  it("cancels a command, and kills one that does not listen", async () => {
    for (
      const [button, trap, how] of [["Cancel", "", "SIGTERM"], ["Kill at once", "trap '' TERM; ", "SIGKILL"]] as const
    ) {
      const beat = file(`beat-${how}`)
      await run(page, `${trap}while :; do printf . >> '${beat}'; sleep 0.02; done`)
      await expect.poll(() => size(beat)).toBeGreaterThan(3)
      await page.getByRole("button", { name: button }).click()
      await expect.poll(() => state(page).textContent()).not.toBe("running")
      const ended = size(beat)
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(size(beat)).toBe(ended)
      await expect.poll(() => page.getByRole("button", { name: button }).isDisabled()).toBe(true)
    }
  })

  it("stays at hand while 100,000 lines come", async () => {
    await page.evaluate("globalThis.ticks = 0; setInterval(() => globalThis.ticks++, 20)")
    await run(page, "seq 1 100000; echo the end")
    // A click is heard before the last line is there, or the lines came faster than one can click.
    await page.getByRole("tab", { name: "Timeline" }).click()
    await page.getByRole("tab", { name: "Output" }).click()
    await expect.poll(() => textOf(page)).toContain("the end")
    expect((await textOf(page)).split("\n").slice(-3)).toEqual(["99999", "100000", "the end"])
    // Its timers have fired all the while.
    expect(await page.evaluate("globalThis.ticks")).toBeGreaterThan(5)
    expect(errors).toEqual([])
  })

  it("shows markup that a command prints as the text that it is", async () => {
    await run(page, `echo '<img src=x onerror="document.title=1"><script>document.title=2</script>'`)
    await expect.poll(() => textOf(page)).toContain("<script>document.title=2</script>")
    expect(await page.title()).toBe("Sluice")
    expect(errors).toEqual([])
  })

  it("is used with the keyboard alone", async () => {
    for (const word of ["one", "two"]) {
      await page.getByLabel("Command", { exact: true }).fill(`echo ${word} key`)
      await page.keyboard.press("Enter")
      await expect.poll(() => page.locator("#line").textContent()).toBe(`echo ${word} key`)
    }
    await page.getByRole("listbox").focus()
    await page.keyboard.press("ArrowDown")
    await expect.poll(() => page.locator("#line").textContent()).toBe("echo one key")
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator("#line").textContent()).toBe("echo two key")
    const chosen = page.getByRole("listbox").getByRole("option", { selected: true })
    expect(await page.getByRole("listbox").getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"))
    await page.getByRole("tab", { name: "Output" }).focus()
    await page.keyboard.press("ArrowRight")
    expect(await page.getByRole("tab", { selected: true }).textContent()).toBe("Windows")
    expect(await page.getByRole("tabpanel").getAttribute("id")).toBe("windows")
  })

  it("has nothing that a screen reader or a tired eye would stumble over, light and dark", async () => {
    await run(page, "echo seen; echo wrong >&2; exit 1")
    await expect.poll(() => state(page).textContent()).toBe("exited 1")
    const violations = async (): Promise<unknown> => {
      // A script of the driver's: the page's own policy lets none in.
      await page.evaluate(axe)
      return await page.evaluate(
        "axe.run(document, { rules: { region: { enabled: false } } }).then(({ violations }) => " +
          "violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`))",
      )
    }
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      for (const tab of ["Windows", "Timeline", "Output"]) {
        await page.getByRole("tab", { name: tab }).click()
        expect(await violations(), `${tab}, ${colorScheme}`).toEqual([])
      }
    }
    await page.getByRole("button", { name: "Screen reader" }).click()
    await expect.poll(() => page.locator("#terminal .xterm-accessibility").textContent()).toContain("seen")
  })

  it("asks for a token, says when it is the wrong one, and what one may not do", async () => {
    const few = await within(consoleServer({ tokens: [{ name: "watcher", token: "see", rights: ["read"] }] }))
    const stranger = (await within(openConsole(browser, few, "wrong"))).page
    const dialog = stranger.getByRole("dialog")
    await expect.poll(() => dialog.getByRole("alert").textContent()).not.toBe("")
    await dialog.getByLabel("Token").fill("see")
    await dialog.getByRole("button").click()
    await expect.poll(() => stranger.getByText("There is no such command.").isVisible()).toBe(true)
    expect(stranger.url()).toBe(few.url)
    await run(stranger, "true")
    await expect.poll(() => stranger.locator("#problem").textContent()).toBe("the token does not allow to run")
  })

  it("asks nobody but its own server", async () => {
    const asked: Array<string> = []
    page.on("request", (request) => asked.push(request.url()))
    await page.reload()
    await run(page, "echo here")
    await expect.poll(() => textOf(page)).toBe("here")
    expect(asked.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:"))).toEqual([])
    expect(asked.length).toBeGreaterThan(4)
  })
} else {
  it("needs a browser", () => expect(process.env["CI"]).toBeUndefined())
}
