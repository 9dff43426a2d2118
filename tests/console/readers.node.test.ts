/** Tests the console page with keyboard and accessibility tree, in Chromium. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { hasBrowser } from "../support/browser.ts"
import { exec, isLive, openConsole, run, state, suite } from "./support.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

const violations = async (page: Page): Promise<unknown> => {
  // A script of the driver's: the page's own policy lets none in.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe)
  return await page.evaluate(
    "axe.run(document).then(({ violations }) => " +
      "violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`))",
  )
}

/** What the page has said politely since this was called. */
const listen = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const said: Array<string> = []
    Reflect.set(globalThis, "said", said)
    const region = document.getElementById("announced")
    if (region === null) throw new Error("there is nothing that speaks")
    new MutationObserver(() => said.push(region.textContent ?? "")).observe(region, { childList: true })
  })

const said = (page: Page): Promise<ReadonlyArray<string>> => page.evaluate(() => Reflect.get(globalThis, "said"))

describe.skipIf(!hasBrowser)("the console page for readers in Chromium", () => {
  const { browser, seen, server, within } = suite()

  it("can be used with only the keyboard", async () => {
    const { page } = seen()
    for (const word of ["one", "two"]) {
      await page.getByLabel("Command", { exact: true }).fill(`echo ${word} key`)
      await page.keyboard.press("Enter")
      await expect.poll(() => page.locator("#line").textContent()).toBe(`echo ${word} key`)
      await expect.poll(() => state(page).textContent()).toBe("succeeded")
    }
    // After a run, the next command can be typed at once.
    expect(await page.evaluate("document.activeElement.id")).toBe("run-line")
    await page.getByRole("listbox").focus()
    await page.keyboard.press("ArrowDown")
    await expect.poll(() => page.locator("#line").textContent()).toBe("echo one key")
    await page.keyboard.press("Home")
    await expect.poll(() => page.locator("#line").textContent()).toBe("echo two key")
    const chosen = page.getByRole("listbox").getByRole("option", { selected: true })
    expect(await page.getByRole("listbox").getAttribute("aria-activedescendant")).toBe(await chosen.getAttribute("id"))
    await page.keyboard.press("Enter")
    expect(await page.evaluate("document.activeElement.id")).toBe("line")
    await page.getByRole("tab", { name: "Output" }).focus()
    for (const name of ["Terminal", "Windows", "Timeline", "Output"]) {
      await page.keyboard.press("ArrowRight")
      expect(await page.getByRole("tab", { selected: true }).textContent()).toBe(name)
      expect(await page.getByRole("tabpanel", { name }).count()).toBe(1)
    }
    await page.keyboard.press("ArrowRight")
    // Tab leaves the terminal as it leaves everything else.
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Output of the command")
    await page.keyboard.press("Tab")
    expect(await page.evaluate("document.activeElement.id")).toBe("aloud")
  })

  it("reaches everything by Tab in reading order, and every control has a name", async () => {
    const { page } = seen()
    await run(page, "echo order")
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    // Its lines come after its state.
    await expect.poll(() => page.locator("#line-caption").textContent()).toBe("1 line")
    await page.evaluate("document.activeElement.blur(); getSelection().removeAllRanges()")
    await page.locator("h1").click()
    const order: Array<string> = []
    while (order.at(-1) !== "Line 1" && order.length < 30) {
      await page.keyboard.press("Tab")
      order.push(String(
        await page.evaluate(
          "document.activeElement.id || document.activeElement.ariaLabel || document.activeElement.textContent",
        ),
      ))
    }
    expect(order).toEqual([
      "announce",
      "sign-out",
      "run-line",
      "Run",
      "run-shell",
      "run-terminal",
      "run-directory",
      "search",
      "state",
      "grouping",
      "commands",
      "line",
      "again",
      "tab-log",
      "find",
      "find-previous",
      "find-next",
      "times",
      "copy",
      "download",
      "lines",
      "Line 1",
    ])
  })

  for (const colorScheme of ["light", "dark"] as const) {
    it(`has nothing that a screen reader or a tired eye would stumble over: ${colorScheme}`, async () => {
      const { page } = seen()
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      const colors = [...Array(8).keys()].map((n) => `\\033[0;3${n}mtext \\033[4${n}mback \\033[7;9${n}mboth`).join(
        " ",
      )
      await run(page, `printf '${colors}\\n%.0s' 1 2 3; echo wrong >&2; exit 1`)
      await expect.poll(() => state(page).textContent()).toBe("exited with 1")
      await expect.poll(() => page.locator("#line-caption").textContent()).toBe("4 lines")
      await page.getByRole("button", { name: "Times" }).click()
      await page.getByRole("link", { name: "Line 2", exact: true }).click()
      await page.getByRole("searchbox", { name: "Find" }).fill("t")
      await expect.poll(() => page.locator("#found").textContent()).toMatch(/^1 of/)
      for (const tab of ["Terminal", "Windows", "Timeline", "Output"]) {
        await page.getByRole("tab", { name: tab }).click()
        expect(await violations(page), tab).toEqual([])
      }
      await page.evaluate("localStorage.clear()")
    })
  }

  it("fits on 320 pixels, the list by itself and the command by itself, and the focus goes along", async () => {
    const { page } = seen()
    await run(page, "echo narrow")
    await page.setViewportSize({ width: 320, height: 640 })
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320)
    await page.getByRole("listbox").getByRole("option").first().click()
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("line")
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320)
    await page.getByRole("button", { name: "All commands" }).click()
    expect(await page.evaluate("document.activeElement.id")).toBe("commands")
  })

  it("reads the output aloud when it is asked to", async () => {
    const { page } = seen()
    await run(page, "echo heard")
    await page.getByRole("tab", { name: "Terminal" }).click()
    await page.getByRole("button", { name: "Read output aloud" }).click()
    await expect.poll(() => page.locator("#terminal .xterm-accessibility").textContent()).toContain("heard")
  })

  it("announces starts and ends politely, batched, and no earlier ones", async () => {
    const { page } = seen()
    await exec(server(), { command: "echo", arguments: ["long ago"] })
    await page.reload()
    await isLive(page)
    await listen(page)
    const together = Array.from(
      { length: 5 },
      (_, index) => exec(server(), { command: "echo", arguments: [`job ${index}`] }),
    )
    await Promise.all(together)
    await expect.poll(async () => (await said(page)).join(" ")).toMatch(
      /5 commands ended\. .*: succeeded; .*and 2 others/,
    )
    expect(await said(page)).toHaveLength(1)
    expect((await said(page)).join(" ")).not.toContain("long ago")
    expect(await page.locator("#announced").getAttribute("aria-live")).toBe("polite")
  })

  it("does not announce them if turned off, and remembers that", async () => {
    const { page } = seen()
    const button = (one: Page) => one.getByRole("button", { name: "Announcements" })
    await button(page).click()
    const other = (await within(openConsole(browser(), server()))).page
    expect(await button(other).getAttribute("aria-pressed")).toBe("false")
    await listen(other)
    await exec(server(), { command: "echo", arguments: ["unsaid"] })
    await expect.poll(() => other.getByRole("option", { name: /unsaid/ }).count()).toBe(1)
    // Longer than it gathers.
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await said(other)).toEqual([])
    await other.evaluate("localStorage.clear()")
  })
})
