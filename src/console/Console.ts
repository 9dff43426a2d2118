/**
 * Serves the console, a page that shows running and past commands of an execution server, as Hono routes.
 *
 * @module
 */
import { Hono } from "hono/tiny"
import { page, script, style } from "../../generated/consoleAssets.ts"

/**
 * Settings of the console.
 *
 * @stability stable
 */
export interface ConsoleOptions {
  /** Where the routes of `shellRoutes` are, as a path from the root of the server: `/shell`. Default: `""`, the root. */
  readonly api?: string | undefined
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c)

/**
 * Nothing from anywhere else, nothing inline but the terminal's own styles (it makes them while it runs), no text that
 * becomes markup, in nobody's frame: what a command prints is shown, never run.
 *
 * Sources: Content Security Policy Level 3; Trusted Types.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "connect-src 'self'",
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ")

const headers: Readonly<Record<string, string>> = {
  "cache-control": "no-cache",
  "content-security-policy": policy,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), clipboard-read=(), clipboard-write=(), geolocation=(), microphone=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
}

const tagOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return `"${Array.from(new Uint8Array(digest, 0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`
}

/**
 * A Hono app with the console's page at its root, and what the page needs beside it (`console.js`, `console.css`). It
 * holds no secret and asks for no token: the page asks the person who opens it for one, if the routes want one, keeps it
 * in its tab (`sessionStorage`: over reloads, and until the tab is closed) and sends it to them in a header alone. No
 * address has it, as those are remembered and logged.
 *
 * The page shows the commands of the server's journal as they start and end, the output of one as it comes (colours and
 * all), its windows by any policy that `Window.parsePolicy` reads, and its timeline; it searches, cancels, and runs more,
 * as far as the token may. It loads nothing from elsewhere, needs no build, and is used with the keyboard or a screen
 * reader as well. What a command prints cannot reach beyond the terminal that shows it: no title, no clipboard, no links,
 * no answers to what a program may ask a terminal.
 *
 * Mount it where a relative link leads back to it, with a slash at the end: `/` or `/console/`.
 *
 * @example
 * ```ts
 * import { LocalShell } from "@sluice/shell"
 * import { consoleRoutes } from "@sluice/shell/http/console"
 * import { shellRoutes } from "@sluice/shell/http"
 * import { Hono } from "hono"
 *
 * await using shell = shellRoutes({ layer: LocalShell.layer, token: "s3cret" })
 * const app = new Hono().route("/", consoleRoutes()).route("/", shell)
 * const page = await app.request("/")
 * console.assert(page.status === 200 && (await page.text()).includes("<title>Sluice</title>"))
 * ```
 *
 * @stability stable
 */
export const consoleRoutes = ({ api = "" }: ConsoleOptions = {}): Hono => {
  const parts: ReadonlyArray<readonly [path: string, type: string, text: string]> = [
    ["/", "text/html; charset=utf-8", page.replace("{{api}}", () => escape(api))],
    ["/console.js", "text/javascript; charset=utf-8", script],
    ["/console.css", "text/css; charset=utf-8", style],
  ]
  const routes = new Hono()
  for (const [path, type, text] of parts) {
    let tag: Promise<string> | undefined
    routes.get(path, async (c) => {
      const etag = await (tag ??= tagOf(text))
      const common = { ...headers, etag }
      return c.req.header("if-none-match") === etag
        ? new Response(null, { status: 304, headers: common })
        : new Response(text, { headers: { ...common, "content-type": type } })
    })
  }
  return routes
}
