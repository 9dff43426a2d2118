/** Tests the lines of the output on the console page in Chromium: links, search, times, copy, download and groups. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasBrowser, openPage } from "../support/browser.ts"
import { consoleServer, exec, isLive, openConsole, run, signIn, state, suite } from "./support.ts"

describe.skipIf(!hasBrowser)("the lines of the output on the console page in Chromium", () => {
  const { browser, seen, server, within } = suite()
  let folder: string
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "sluice-console-"))))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  const script = (text: string, commandId: string) =>
    exec(server(), { command: text, useShell: true, commandId, streamOutput: true, detached: true })

  /** Opens a link in a page of its own. */
  const follow = async (fragment: string): Promise<Page> => {
    const { page } = await within(openPage(browser(), `${server().url}${fragment}`))
    await signIn(page, "t0ken")
    await isLive(page)
    return page
  }
  const marked = (page: Page) => page.locator("#line-list .marked a").allTextContents()
  const line = (page: Page, number: number) => page.locator(`#line-list li[data-line="${number}"]`)
  const number = (page: Page, of: number) => page.getByRole("link", { name: `Line ${of}`, exact: true })
  const isInView = (page: Page, of: number): Promise<boolean> =>
    line(page, of).evaluate((row) => {
      const [box, frame] = [row.getBoundingClientRect(), row.closest("#lines")?.getBoundingClientRect()]
      return frame !== undefined && box.top >= frame.top && box.bottom <= frame.bottom
    })
  const caption = (page: Page) => page.locator("#line-caption").textContent()

  it("opens a link to one or more lines, far from the end or not yet written", async () => {
    await script("seq 1 50000", "far")
    const page = await follow("#command=far&line=12000-12002")
    await expect.poll(() => page.locator("#line").textContent()).toBe("seq 1 50000")
    await expect.poll(() => marked(page)).toEqual(["12000", "12001", "12002"])
    await expect.poll(() => isInView(page, 12_001)).toBe(true)
    expect(await line(page, 12_000).locator(".content").textContent()).toBe("12000")
    await expect.poll(() => caption(page)).toBe("50,000 lines")
    // The output that came since has not moved it.
    expect(await isInView(page, 12_001)).toBe(true)
    // It scrolls on into lines that have no elements yet.
    await page.locator("#lines").hover()
    await expect.poll(async () => {
      await page.mouse.wheel(0, -5_000)
      return await line(page, 11_000).count()
    }).toBe(1)

    // A line that is the last when it comes, so that the page has scrolled to the end, stays where it is.
    const more = join(folder, "more")
    await script(`seq 1 60; until [ -e '${more}' ]; do sleep 0.02; done; seq 61 400`, "last")
    await page.goto(`${server().url}#command=last&line=60`)
    await expect.poll(() => marked(page)).toEqual(["60"])
    await expect.poll(() => isInView(page, 60)).toBe(true)
    writeFileSync(more, "")
    await expect.poll(() => caption(page)).toBe("400 lines")
    expect(await isInView(page, 60)).toBe(true)

    const go = join(folder, "go")
    await script(`echo first; until [ -e '${go}' ]; do sleep 0.02; done; seq 2 5`, "later")
    await page.goto(`${server().url}#command=later&line=4`)
    await expect.poll(() => caption(page)).toBe("1 line")
    writeFileSync(go, "")
    await expect.poll(() => marked(page)).toEqual(["4"])
    await page.goto(`${server().url}#command=later&line=99`)
    await expect.poll(() => caption(page)).toBe("5 lines; line 99 is not available")
  })

  it("writes links by clicks on line numbers, and goes back and forward", async () => {
    const { page } = seen()
    const fragment = () => page.evaluate("location.hash")
    await script("seq 1 30", "one")
    await script("seq 1 40", "two")
    await page.getByRole("option", { name: /seq 1 30/ }).click()
    await expect.poll(fragment).toBe("#command=one")
    await number(page, 7).click()
    expect(await fragment()).toBe("#command=one&line=7")
    await number(page, 9).click({ modifiers: ["Shift"] })
    expect([await fragment(), await marked(page)]).toEqual(["#command=one&line=7-9", ["7", "8", "9"]])
    await page.getByRole("option", { name: /seq 1 40/ }).click()
    await expect.poll(fragment).toBe("#command=two")
    await page.goBack()
    await expect.poll(() => page.locator("#line").textContent()).toBe("seq 1 30")
    await expect.poll(() => marked(page)).toEqual(["7", "8", "9"])
    await page.goBack()
    await expect.poll(() => marked(page)).toEqual(["7"])
    await page.goForward()
    await page.goForward()
    await expect.poll(() => page.locator("#line").textContent()).toBe("seq 1 40")
    expect(await marked(page)).toEqual([])
    for (let steps = 0; steps < 3; steps++) await page.goBack()
    await expect.poll(() => marked(page)).toEqual([])
    await page.goBack()
    await expect.poll(() => page.locator("#detail").isHidden()).toBe(true)
    // Stepping through the list with the keyboard leaves one entry of the history.
    const entries = () => page.evaluate("history.length")
    await page.getByRole("option", { name: /seq 1 40/ }).click()
    const before = await entries()
    await page.getByRole("listbox").focus()
    await page.keyboard.press("ArrowDown")
    await expect.poll(fragment).toBe("#command=one")
    expect(await entries()).toBe(before)
  })

  it("marks lines with only the keyboard", async () => {
    const { page } = seen()
    await run(page, "seq 1 5")
    await expect.poll(() => caption(page)).toBe("5 lines")
    await number(page, 1).focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect.poll(() => marked(page)).toEqual(["2"])
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Shift+Enter")
    await expect.poll(() => marked(page)).toEqual(["2", "3", "4"])
    expect(await page.evaluate("document.activeElement.textContent")).toBe("4")
    // Of all line numbers one is reached by Tab.
    expect(await page.locator('#line-list a[tabindex="0"]').count()).toBe(1)
  })

  it("reports a link to a missing command, and uses no other text of it", async () => {
    const page = await follow("#command=%3Cimg%3E&line=1")
    await expect.poll(() => page.locator("#list-problem").textContent()).toBe(
      "The link leads to the command <img>, which this server's journal does not have.",
    )
    await page.goto(`${server().url}#command=${encodeURIComponent("a b\u0000")}`)
    expect(await page.locator("#detail").isHidden()).toBe(true)
  })

  it("searches the output forwards and backwards while the page stays responsive", async () => {
    const { errors, page } = seen()
    await page.evaluate("globalThis.ticks = 0; setInterval(() => globalThis.ticks++, 20)")
    await script("seq 1 90000; printf 'the \\033[31mNee\\033[32mdle\\033[0m\\nneedle again: <b>needle</b>\\n'", "hay")
    await page.getByRole("option", { name: /seq 1 90000/ }).click()
    await expect.poll(() => caption(page), { timeout: 30_000 }).toBe("90,002 lines")
    const field = page.getByRole("searchbox", { name: "Find" })
    const found = page.locator("#found")
    await field.fill("needle")
    await expect.poll(() => found.textContent()).toBe("1 of 3")
    expect(await isInView(page, 90_001)).toBe(true)
    // Across colours, and as text.
    expect((await line(page, 90_001).locator("mark.current").allTextContents()).join("")).toBe("Needle")
    await field.press("Enter")
    await field.press("Enter")
    expect(await found.textContent()).toBe("3 of 3")
    expect(await page.locator("#announced").textContent()).toBe("3 of 3")
    await field.press("Enter")
    expect(await found.textContent()).toBe("1 of 3")
    await field.press("Shift+Enter")
    expect(await found.textContent()).toBe("3 of 3")
    expect(await line(page, 90_002).locator("b").count()).toBe(0)
    await field.fill("9")
    await expect.poll(() => found.textContent()).toMatch(/^1 of 10,0\d\d\+$/)
    await field.fill("77777")
    await expect.poll(() => found.textContent()).toBe("1 of 1")
    await expect.poll(() => isInView(page, 77_777)).toBe(true)
    await field.press("Escape")
    expect([await found.textContent(), await page.locator("#lines mark").count()]).toEqual(["", 0])
    await field.fill("no such text")
    await expect.poll(() => found.textContent()).toBe("No match")
    expect(await page.evaluate("globalThis.ticks")).toBeGreaterThan(5)
    expect(errors()).toEqual([])
  })

  it("shows the time of each line where it is asked to, local and as ISO 8601", async () => {
    const { page } = seen()
    await script("echo one; sleep 0.3; echo two", "timed")
    await page.getByRole("option", { name: /echo one/ }).click()
    await expect.poll(() => caption(page)).toBe("2 lines")
    const times = page.locator("#line-list time")
    expect(await times.first().isHidden()).toBe(true)
    await page.getByRole("button", { name: "Times" }).click()
    expect(await times.first().textContent()).toMatch(/^\d\d:\d\d:\d\d[.,]\d{3}$/)
    const [first = "", second = ""] = await times.evaluateAll((all) =>
      all.map((one) => one.getAttribute("title") ?? "")
    )
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    // The journal's times: the page has read both lines at once.
    expect(Date.parse(second) - Date.parse(first)).toBeGreaterThanOrEqual(200)
    await page.reload()
    await expect.poll(() => times.first().isVisible()).toBe(true)
    await page.evaluate("localStorage.clear()")
  })

  it("copies the output or the marked lines, without numbers and sequences", async () => {
    const { page } = seen()
    await run(page, "printf '\\033[31mone\\033[0m\\ntwo\\nthree\\n\\033]52;c;b3duZWQ=\\a'")
    await expect.poll(() => caption(page)).toBe("3 lines")
    const copied = async (): Promise<string> => {
      await page.getByLabel("Command", { exact: true }).fill("")
      await page.getByLabel("Command", { exact: true }).press("Control+v")
      return await page.getByLabel("Command", { exact: true }).inputValue()
    }
    await page.getByRole("button", { name: "Copy", exact: true }).click()
    expect(await page.locator("#log-status").textContent()).toBe("Copied.")
    expect(await copied()).toBe("one\ntwo\nthree")
    await number(page, 2).click()
    await number(page, 3).click({ modifiers: ["Shift"] })
    await page.getByRole("button", { name: "Copy 2 lines" }).click()
    expect(await copied()).toBe("two\nthree")
  })

  it("saves all output as a file, also the output so far of a running command", async () => {
    const { page } = seen()
    const go = join(folder, "download")
    const download = async (): Promise<readonly [name: string, text: string]> => {
      const saved = page.waitForEvent("download")
      await page.getByRole("button", { name: "Download" }).click()
      const file = await saved
      return [file.suggestedFilename(), readFileSync(await file.path(), "utf8")]
    }
    await script("seq 1 150000; echo oops >&2", "a/../b")
    await page.getByRole("option", { name: /seq 1 150000/ }).click()
    await expect.poll(() => caption(page), { timeout: 30_000 }).toMatch(
      /^150,001 lines; lines 1 to \d+,\d+ are only in the/,
    )
    const [name, text] = await download()
    expect([name, text.length, text.slice(-13)]).toEqual(["a-..-b.log", 938_900, "\n150000\noops\n"])
    await script(`printf '\\033[1mready\\033[0m\\n'; until [ -e '${go}' ]; do sleep 0.02; done; echo later`, "open")
    await page.getByRole("option", { name: /ready/ }).click()
    await expect.poll(() => caption(page)).toBe("1 line")
    expect(await download()).toEqual(["open.log", "\x1b[1mready\x1b[0m\n"])
    expect(existsSync(go)).toBe(false)
    writeFileSync(go, "")
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    // A run that was answered whole has no pieces.
    await exec(server(), { command: "echo", arguments: ["whole"], commandId: "whole" })
    await page.getByRole("option", { name: /echo whole/ }).click()
    await expect.poll(() => caption(page)).toBe("1 line")
    expect(await download()).toEqual(["whole.log", "whole\n"])
  })

  it("groups commands by token and remembers that", async () => {
    const many = await within(consoleServer([{ name: "all", token: "t0ken" }, { name: "ci <b>", token: "c-c" }]))
    await exec(many, { command: "echo", arguments: ["mine"] })
    await fetch(`${many.url}exec`, {
      method: "POST",
      headers: { "authorization": "Bearer c-c", "content-type": "application/json" },
      body: JSON.stringify({ command: "echo", arguments: ["theirs"] }),
    })
    const { page } = await within(openConsole(browser(), many))
    const groups = page.locator("#commands .group")
    expect(await groups.allTextContents()).toEqual(["Earlier"])
    await page.getByLabel("Group by").selectOption("token")
    expect(await groups.allTextContents()).toEqual(["Token ci <b>", "Token all"])
    expect(await page.getByRole("group", { name: "Token all" }).getByRole("option").count()).toBe(1)
    await exec(many, { command: "echo", arguments: ["mine too"] })
    await expect.poll(() => page.getByRole("group", { name: "Token all" }).getByRole("option").count()).toBe(2)
    await page.getByRole("option", { name: /theirs/ }).click()
    await expect.poll(() => page.locator("#facts").textContent()).toContain("Tokenci <b>")
    await page.reload()
    await isLive(page)
    // The group with the newest command comes first.
    expect(await groups.allTextContents()).toEqual(["Token all", "Token ci <b>"])
    await page.evaluate("localStorage.clear()")
  })

  it("shows no line number, time or text twice, and only the text of hostile output", async () => {
    const { errors, page } = seen()
    const hostile =
      "\\033]8;;javascript:document.title=1\\033\\\\link\\033]8;;\\033\\\\ <img src=x onerror=document.title=2>"
    await run(page, `printf '${hostile}\\n\\342\\200\\256gnp.exe\\n\\033[8mhidden\\033[30;40m too\\033[0m\\n'`)
    await expect.poll(() => caption(page)).toBe("3 lines")
    const contents = page.locator("#lines .content")
    expect(await contents.allTextContents()).toEqual([
      "link <img src=x onerror=document.title=2>",
      "\u202egnp.exe",
      "hidden too",
    ])
    expect(await page.locator("#lines img, #lines .content a").count()).toBe(0)
    // The override of the direction ends with its line: the number is left of it.
    const [left, right] = await Promise.all([number(page, 2).boundingBox(), contents.nth(1).boundingBox()])
    expect((left?.x ?? 0) < (right?.x ?? 0)).toBe(true)
    expect(await page.title()).toMatch(/Sluice$/)
    expect(errors()).toEqual([])
  })
})
