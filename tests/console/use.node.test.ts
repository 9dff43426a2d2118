/** Tests the use of the console page in Chromium, against real routes and real commands. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { hasBrowser, openPage } from "../support/browser.ts"
import { consoleServer, exec, isLive, openConsole, run, signIn, state, suite, textOf } from "./support.ts"
import { heartbeat } from "../support/heartbeat.ts"

const size = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0

describe.skipIf(!hasBrowser)("the console page in Chromium", () => {
  const { browser, seen, server, within } = suite()
  let folder: string
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "sluice-console-"))))
  const file = (name: string): string => join(folder, name)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it("explains how to begin while no command has run", async () => {
    const empty = await within(consoleServer("anyone"))
    const { page } = await within(openPage(browser(), empty.url))
    await expect.poll(() => page.locator("#empty").textContent()).toContain("No commands have run on this server yet.")
    expect(await page.locator("#example").textContent()).toContain(`curl ${empty.url}exec`)
    // The page asks for no token, since none is required.
    expect(await page.getByRole("dialog").count()).toBe(0)
    await run(page, "echo begun")
    await expect.poll(() => page.locator("#empty").isHidden()).toBe(true)
    await expect.poll(() => textOf(page)).toBe("begun")
  })

  it("runs a command, and shows its output live and in colour", async () => {
    const { errors, page } = seen()
    const go = file("go")
    await run(
      page,
      `printf '\\033[32mgreen\\033[0m\\n'; until [ -e '${go}' ]; do sleep 0.02; done; echo oops >&2; exit 3`,
    )
    await expect.poll(() => page.locator("#lines .color-2").textContent()).toContain("green")
    await expect.poll(() => state(page).textContent()).toBe("running")
    await expect.poll(() => page.locator("#running").textContent()).toBe("1 command runs now")
    writeFileSync(go, "")
    await expect.poll(() => state(page).textContent()).toBe("exited with 3")
    await expect.poll(() => page.title()).toBe("Sluice")
    expect(await textOf(page)).toBe("green\noops")
    await page.getByRole("tab", { name: "Timeline" }).click()
    expect(await page.locator("#drawing rect.stdout, #drawing rect.stderr").count()).toBe(2)
    expect(await page.locator("#timings").textContent()).toContain("Stdout15 B")
    expect(errors()).toEqual([])
  })

  it("shows a failure with advice below the command, and a wrong input below the field", async () => {
    const { page } = seen()
    await page.getByLabel("Command", { exact: true }).fill("no-such-program-here")
    await page.keyboard.press("Enter")
    await expect.poll(() => state(page).textContent()).toBe("program not found")
    expect(await page.locator("#why").textContent()).toMatch(/no-such-program-here.*ENOENT.*Check the spelling/)
    await expect.poll(() => page.locator("#silent").isVisible()).toBe(true)
    for (
      const [line, said] of [["echo 'open", /A quote is not closed/], [
        "ls | wc",
        /Only a shell interprets \|/,
      ]] as const
    ) {
      await page.getByLabel("Command", { exact: true }).fill(line)
      await page.keyboard.press("Enter")
      expect(await page.locator("#problem").textContent()).toMatch(said)
      expect(await page.getByLabel("Command", { exact: true }).getAttribute("aria-invalid")).toBe("true")
    }
  })

  it("shows the commands of others, running and past", async () => {
    const { page } = seen()
    await exec(server(), { command: "echo", arguments: ["by somebody else"] })
    const item = page.getByRole("option", { name: /by somebody else/ })
    await item.click()
    await expect.poll(() => textOf(page)).toBe("by somebody else")
    const when = item.locator("time")
    expect(await when.textContent()).toMatch(/just now|seconds ago/)
    expect(await when.getAttribute("title")).toContain(String(new Date().getFullYear()))
    const later = (await within(openConsole(browser(), server()))).page
    await later.getByLabel("Search").fill("somebody")
    await expect.poll(() => later.getByRole("listbox").getByRole("option").count()).toBe(1)
    await later.getByLabel("Search").fill("nobody at all")
    await later.getByRole("button", { name: "Show all" }).click()
    await expect.poll(() => later.getByRole("listbox").getByRole("option", { name: /by somebody else/ }).count()).toBe(
      1,
    )
  })

  it("goes back through the past, a hundred commands at a time", async () => {
    const { page } = seen()
    await exec(server(), { command: "echo", arguments: ["the oldest of many"] })
    const many = Array.from({ length: 120 }, (_, index) => index)
    for (let at = 0; at < many.length; at += 4) {
      await Promise.all(many.slice(at, at + 4).map(() => exec(server(), { command: "true" })))
    }
    await page.reload()
    await isLive(page)
    const options = page.getByRole("listbox").getByRole("option")
    await expect.poll(() => options.count()).toBe(100)
    expect(await options.filter({ hasText: "the oldest of many" }).count()).toBe(0)
    await page.getByRole("button", { name: "Older commands" }).click()
    await expect.poll(() => options.filter({ hasText: "the oldest of many" }).count()).toBe(1)
    const positions = await options.evaluateAll((all) => all.map(({ id }) => Number(id.slice("command-".length))))
    expect(positions).toEqual([...positions].sort((a, b) => b - a))
  })

  it("continues after a lost connection without gaps or duplicates", async () => {
    const { page } = seen()
    const enough = file("enough")
    await run(page, `i=0; until [ -e '${enough}' ]; do i=$((i + 1)); echo line $i; sleep 0.01; done; echo the end`)
    for (let round = 0; round < 4; round++) {
      const before = (await textOf(page)).length
      await expect.poll(async () => (await textOf(page)).length).toBeGreaterThan(before)
      server().cut()
    }
    writeFileSync(enough, "")
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    await expect.poll(() => textOf(page)).toMatch(/\nthe end$/)
    const lines = (await textOf(page)).split("\n").slice(0, -1)
    expect(lines).toEqual(lines.map((_, index) => `line ${index + 1}`))
    await isLive(page)
  })

  it("cancels a command, kills one that ignores it, and leaves the focus on the status", async () => {
    const { page } = seen()
    for (
      const [name, trap, how] of [["Cancel", "", "SIGTERM"], ["Kill at once", "trap '' TERM; ", "SIGKILL"]] as const
    ) {
      const beat = file(`beat-${how}`)
      await run(page, `${trap}${heartbeat(beat)}`)
      await expect.poll(() => size(beat)).toBeGreaterThan(3)
      const button = page.getByRole("button", { name })
      await button.focus()
      await page.keyboard.press("Enter")
      await expect.poll(() => state(page).textContent()).toBe("cancelled")
      const ended = size(beat)
      await new Promise((resolve) => setTimeout(resolve, 200))
      expect(size(beat)).toBe(ended)
      await expect.poll(() => button.isVisible()).toBe(false)
      await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("line")
    }
  })

  it("puts a command back into the form, to be changed and run again", async () => {
    const { page } = seen()
    await run(page, "echo 'first try'\necho done")
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    await page.getByLabel("Command", { exact: true }).fill("")
    await page.getByLabel("as a shell script").uncheck()
    await page.getByRole("button", { name: "Edit and run again" }).click()
    expect(await page.getByLabel("Command", { exact: true }).inputValue()).toBe("echo 'first try'\necho done")
    expect(await page.getByLabel("as a shell script").isChecked()).toBe(true)
    expect(await page.evaluate("document.activeElement.id")).toBe("run-line")
  })

  it("stays responsive while 100,000 lines arrive", async () => {
    const { errors, page } = seen()
    await page.evaluate("globalThis.ticks = 0; setInterval(() => globalThis.ticks++, 20)")
    await run(page, "seq 1 100000; echo the end")
    // A click is heard before the last line is there, or the lines came faster than one can click.
    await page.getByRole("tab", { name: "Timeline" }).click()
    await page.getByRole("tab", { name: "Windows" }).click()
    await expect.poll(() => textOf(page)).toContain("the end")
    expect((await textOf(page)).split("\n").slice(-3)).toEqual(["99999", "100000", "the end"])
    // Its timers have fired all the while.
    expect(await page.evaluate("globalThis.ticks")).toBeGreaterThan(5)
    await page.getByRole("tab", { name: "Windows" }).click()
    await expect.poll(() => page.locator("#window-caption").textContent()).toMatch(/The last 200 are shown/)
    expect(await page.locator("#window-list details").count()).toBe(200)
    expect(errors()).toEqual([])
  })

  it("shows nothing of the previous command when another one is chosen", async () => {
    const { page } = seen()
    await run(page, "seq 1 300000")
    await run(page, "echo this alone")
    await expect.poll(() => textOf(page)).toBe("this alone")
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    await page.getByRole("tab", { name: "Windows" }).click()
    await expect.poll(() => page.locator("#window-caption").textContent()).toBe("1 window.")
    expect(await textOf(page)).toBe("this alone")
  })

  it("groups windows by a chosen policy, keeps it, and reports an invalid one", async () => {
    const { page } = seen()
    await run(page, "printf '%s\\n' a b c d e; sleep 0.3; printf 'f\\n\\ng\\n'; echo err >&2")
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    await page.getByRole("tab", { name: "Windows" }).click()
    const rows = page.locator("#window-list details")
    await expect.poll(() => rows.count()).toBe(3)
    expect(await page.locator("#window-list .stderr .stream").textContent()).toBe("stderr")
    const policy = page.getByLabel("Window policy")
    for (const [text, windows] of [["lines:2", 5], ["paragraph", 3], ["final", 2], ["bytes:4", 5]] as const) {
      await policy.fill(text)
      await page.keyboard.press("Enter")
      await expect.poll(() => rows.count(), { message: text }).toBe(windows)
    }
    await policy.fill("lines:many")
    await page.keyboard.press("Enter")
    await expect.poll(() => page.locator("#policy-problem").textContent()).toMatch(
      /needs a whole number of lines from 1/,
    )
    expect(await page.locator("#policy-problem").getAttribute("role")).toBe("alert")
    expect(await policy.getAttribute("aria-invalid")).toBe("true")
    expect(await rows.count()).toBe(5)
    await rows.first().locator("summary").click()
    await expect.poll(() => rows.first().locator("pre").textContent()).toBe("a\nb\n")
    await page.reload()
    await isLive(page)
    expect(await page.locator("#policy").inputValue()).toBe("bytes:4")
    await page.evaluate("localStorage.clear()")
  })

  it("works if the browser may store nothing", async () => {
    const { errors, page } = await within(openPage(browser(), "about:blank"))
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(globalThis, name, {
          get: () => {
            throw new DOMException("The operation is insecure.", "SecurityError")
          },
        })
      }
    })
    await page.goto(server().url)
    await signIn(page, "t0ken")
    await isLive(page)
    await run(page, "echo kept nowhere")
    await expect.poll(() => textOf(page)).toBe("kept nowhere")
    await page.getByRole("tab", { name: "Windows" }).click()
    await page.getByLabel("Window policy").fill("lines:1")
    await page.keyboard.press("Enter")
    await page.getByRole("button", { name: "Announcements" }).click()
    expect(await page.getByRole("button", { name: "Announcements" }).getAttribute("aria-pressed")).toBe("false")
    expect(errors.filter((error) => !error.includes("401"))).toEqual([])
  })
})
