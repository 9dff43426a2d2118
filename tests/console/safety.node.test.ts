/** Tests that the console page keeps its token secret, and that output of commands cannot harm it, in Chromium. */
import { describe, expect, it } from "vitest"
import { hasBrowser, openPage } from "../support/browser.ts"
import { consoleServer, exec, isLive, openConsole, run, signIn, state, suite, textOf } from "./support.ts"

const ESC = "\\033"

describe.skipIf(!hasBrowser)("hostile output on the console page in Chromium", () => {
  const { browser, seen, server, within } = suite("one")

  /** Prints what `printf` makes of a text, and waits until the page has it all. */
  const print = async (text: string): Promise<void> => {
    const { page } = seen()
    await run(page, `printf '${text}'; echo; echo the end`)
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    await expect.poll(() => textOf(page)).toContain("the end")
    await page.getByRole("tab", { name: "Terminal" }).click()
  }

  /** Where the terminal shows a text. */
  const placeOf = async (text: string): Promise<{ readonly x: number; readonly y: number }> => {
    const shown = seen().page.locator(".xterm-rows").getByText(text)
    for (;;) {
      await shown.waitFor()
      const box = await shown.boundingBox()
      // xterm may have drawn the row again meanwhile, as another element.
      if (box !== null) return { x: box.x + 20, y: box.y + box.height / 2 }
    }
  }

  it("sends requests to its own server only", async () => {
    const { page } = seen()
    const asked: Array<string> = []
    browser().context.on("request", (request) => asked.push(request.url()))
    await page.reload()
    await isLive(page)
    await print(
      `<img src="https://example.com/x.png"> ${ESC}]8;;https://example.com/${ESC}\\\\link${ESC}]8;;${ESC}\\\\`,
    )
    for (const name of ["Terminal", "Windows", "Timeline", "Output"]) await page.getByRole("tab", { name }).click()
    expect(asked.filter((url) => !url.startsWith(server().url) && !url.startsWith("data:"))).toEqual([])
    expect(asked.length).toBeGreaterThan(4)
  })

  it("keeps the token in its tab, and has it in no address, no log and nothing that stays", async () => {
    const { page } = await within(openConsole(browser(), server()))
    const urls: Array<string> = []
    const said: Array<string> = []
    page.on("request", (request) => urls.push(request.url()))
    page.on("console", (message) => said.push(message.text()))
    await page.reload()
    await isLive(page)
    await run(page, "echo with a token")
    await expect.poll(() => state(page).textContent()).toBe("succeeded")
    expect([...urls, ...said, page.url()].filter((text) => text.includes("t0ken"))).toEqual([])
    expect(await page.evaluate("JSON.stringify({ ...localStorage }) + document.cookie")).not.toContain("t0ken")
    expect(await page.evaluate("Object.values({ ...sessionStorage })")).toEqual(["t0ken"])
    expect(await page.content()).not.toContain("t0ken")
    await page.getByRole("button", { name: "Sign out" }).click()
    expect(await page.evaluate("Object.values({ ...sessionStorage })")).toEqual([])
    expect(await page.locator("#commands").isHidden()).toBe(true)
    // Nor is one taken that an address brings.
    const linked = (await within(openPage(browser(), `${server().url}#token=t0ken`))).page
    await expect.poll(() => linked.getByRole("dialog").isVisible()).toBe(true)
  })

  it("asks for a token, reports a wrong one, and shows no form that would fail", async () => {
    const few = await within(consoleServer([
      { name: "all", token: "t0ken" },
      { name: "watcher", token: "see", rights: ["read"] },
      { name: "ender", token: "end", rights: ["read", "cancel"] },
    ]))
    await exec(few, { command: "sleep", arguments: ["1000"], detached: true })
    const { page } = await within(openPage(browser(), few.url))
    const dialog = page.getByRole("dialog")
    await signIn(page, "wrong")
    await expect.poll(() => dialog.getByRole("alert").textContent()).toMatch(/refused the token/)
    await signIn(page, "see")
    const item = page.getByRole("listbox").getByRole("option", { name: /sleep 1000/ })
    await item.click()
    await expect.poll(() => state(page).textContent()).toBe("running")
    const button = (name: string) => page.getByRole("button", { name, exact: true })
    expect([await button("Run").count(), await button("Cancel").count()]).toEqual([0, 0])
    await page.getByRole("button", { name: "Sign out" }).click()
    await signIn(page, "end")
    await item.click()
    await button("Cancel").click()
    await expect.poll(() => state(page).textContent()).toBe("cancelled")
    expect([await button("Run").count(), await button("Edit and run again").count()]).toEqual([0, 0])
  })

  it("runs no script but its own", async () => {
    const { page } = await within(openConsole(browser(), server()))
    const policy = (await page.request.get(server().url)).headers()["content-security-policy"] ?? ""
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; /)
    const attempts = [
      "const script = document.createElement('script'); script.textContent = 'document.title = 1'",
      "const script = document.createElement('script'); script.append('document.title = 1'); document.body.append(script)",
      "const image = new Image(); image.setAttribute('onerror', 'document.title = 1'); document.body.append(image)",
      "const frame = document.createElement('iframe'); frame.srcdoc = '<script>parent.document.title = 1</script>'",
      "document.body.innerHTML = '<b>x</b>'",
    ]
    for (const attempt of attempts) await page.evaluate(`{ ${attempt} }`).catch(() => {})
    await expect(page.evaluate("document.body.innerHTML = '<b>x</b>'")).rejects.toThrow(/TrustedHTML/)
    expect(await page.title()).toBe("Sluice")
  })

  it("shows markup that a command prints as the text that it is, wherever it shows it", async () => {
    const { errors, page } = seen()
    const markup = `<img src=x onerror="document.title=1"><script>document.title=2</script>`
    await print(markup.replaceAll("%", "%%"))
    expect(await textOf(page)).toContain(markup)
    await page.getByRole("tab", { name: "Windows" }).click()
    await expect.poll(() => page.locator("#window-list .first").first().textContent()).toContain(markup)
    expect(await page.locator("main img, main script").count()).toBe(0)
    expect(await page.title()).toBe("Sluice")
    expect(errors()).toEqual([])
  })

  it("leaves the clipboard alone (OSC 52)", async () => {
    const { page } = seen()
    const search = page.getByLabel("Search")
    await search.fill("mine")
    await search.press("Control+a")
    await search.press("Control+x")
    await print(`${ESC}]52;c;${btoa("owned")}${ESC}\\\\${ESC}]52;c;?\\a`)
    await search.press("Control+v")
    expect(await search.inputValue()).toBe("mine")
    await search.fill("")
  })

  it("makes no links of a command's output (OSC 8)", async () => {
    const { page } = seen()
    const opened: Array<string> = []
    browser().context.on("page", (other) => opened.push(other.url()))
    page.on("dialog", (dialog) => {
      opened.push(dialog.message())
      void dialog.dismiss()
    })
    for (const url of ["javascript:document.title=1", "https://example.com/"]) {
      await print(`${ESC}]8;;${url}${ESC}\\\\click me${ESC}]8;;${ESC}\\\\`)
      const at = await placeOf("click me")
      await page.mouse.click(at.x, at.y)
      await page.keyboard.down("Control")
      await page.mouse.click(at.x, at.y)
      await page.keyboard.up("Control")
    }
    expect(opened).toEqual([])
    expect(await page.locator("#terminal a").count()).toBe(0)
    expect(await page.title()).toBe("Sluice")
    expect(page.url().startsWith(`${server().url}#command=`)).toBe(true)
  })

  it("takes no title from a command (OSC 0, 1, 2)", async () => {
    const { page } = seen()
    await print(`${ESC}]0;owned\\a${ESC}]1;owned\\a${ESC}]2;owned\\a`)
    expect(await page.title()).toBe("Sluice")
  })

  it("answers no query that a command may send to a terminal (DA, DSR, DECRQSS, colours)", async () => {
    const { page } = seen()
    const sent: Array<string> = []
    page.on("request", (request) => {
      if (request.method() !== "GET") sent.push(new URL(request.url()).pathname)
    })
    await print(`${ESC}[c${ESC}[>c${ESC}[5n${ESC}[6n${ESC}P$q"p${ESC}\\\\${ESC}]11;?\\a${ESC}[21t`)
    expect(sent).toEqual(["/exec"])
    expect(await textOf(page)).toBe("\nthe end")
  })

  it("keeps its window (CSI t) and its colours unchanged", async () => {
    const { page } = seen()
    const look = (): Promise<unknown> =>
      page.evaluate(() => [
        innerWidth,
        innerHeight,
        screenX,
        screenY,
        getComputedStyle(document.querySelector(".xterm-viewport, .xterm") ?? document.body).backgroundColor,
      ])
    await print("before")
    const before = await look()
    await print(`${ESC}[8;5;5t${ESC}[3;1;1t${ESC}[2t${ESC}[9;1t${ESC}]11;#ff0000\\a${ESC}]10;#ff0000\\a`)
    expect(await look()).toEqual(before)
  })

  it("allows selecting the output of a command that captures the mouse", async () => {
    const { page } = seen()
    await print(`${ESC}[?1000h${ESC}[?1003h${ESC}[?1006hselectable`)
    const at = await placeOf("selectable")
    await page.mouse.dblclick(at.x, at.y)
    await page.keyboard.press("Control+c")
    await page.getByLabel("Search").press("Control+v")
    expect(await page.getByLabel("Search").inputValue()).toBe("selectable")
  })

  it("stays responsive whatever numbers a command prints", async () => {
    const { page } = seen()
    await print(`x${ESC}[2147483647b${ESC}[2147483647S${ESC}[2147483647T${ESC}[2147483647L${ESC}[2147483647I`)
    await expect.poll(() => textOf(page)).toContain("the end")
  })
})
