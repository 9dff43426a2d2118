/**
 * Makes the Hono routes that serve the console, a page that shows and runs the commands of an execution server, with
 * its assets, security headers and ETags.
 *
 * @module
 * @stability stable
 */
import { Hono } from "hono/tiny"
import { encodeUtf8 } from "../base/bytes.ts"
import { gzippedScript, page, style } from "../../generated/consoleAssets.ts"

/**
 * Options of the console.
 *
 * @stability stable
 */
export interface ConsoleOptions {
  /** Path of the routes of `shellRoutes` from the root of the server: `/shell`. Default: `""`, the root. */
  readonly api?: string | undefined
  /** Whether the routes of `approvalRoutes` are beside these: the page then shows and answers questions. Default: `false`. */
  readonly approvals?: boolean | undefined
}

const escape = (text: string): string =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] ?? c)

/**
 * Content security policy: no resources of other origins, nothing inline except the styles that the terminal generates,
 * no text that becomes markup, no framing. Output of commands is shown, never executed.
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

/** Whether an `Accept-Encoding` lists gzip, and does not refuse it by a weight of 0 (RFC 9110, 12.5.3). */
const acceptsGzip = (accepted: string | undefined): boolean =>
  /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q\s*=\s*(?!0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i.test(accepted ?? "")

const inflate = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array> =>
  new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))

const tagOf = async (text: string): Promise<string> => {
  const digest = await crypto.subtle.digest("SHA-256", encodeUtf8(text))
  return `"${Array.from(new Uint8Array(digest, 0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`
}

/**
 * Makes a Hono app that serves the console's page at its root, and its assets `console.js` and `console.css`. It contains
 * no secret and requires no token: the page asks its user for one if the routes require it, stores it for the browser tab
 * (`sessionStorage`) and sends it in a header, never in a URL, since URLs are remembered and logged.
 *
 * The page lists the commands of the server's journal as they start and end. For one command it shows the live output in
 * colour, the windows by any policy that `Window.parsePolicy` reads, and a timeline. It searches, cancels and starts
 * commands as far as the token permits. It loads nothing from other origins, needs no build, and works with the keyboard
 * and with screen readers. Output cannot act beyond the terminal that shows it: no title, no clipboard, no links, no
 * answers to terminal queries.
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
 * console.log(page.status === 200 && (await page.text()).includes("<title>Sluice</title>")) // true
 * ```
 *
 * @stability stable
 */
export const consoleRoutes = ({ api = "", approvals = false }: ConsoleOptions = {}): Hono => {
  const html = page.replace("{{api}}", () => escape(api)).replace("{{approvals}}", approvals ? "yes" : "no")
  const texts: ReadonlyArray<readonly [path: string, type: string, text: string]> = [
    ["/", "text/html; charset=utf-8", html],
    ["/console.css", "text/css; charset=utf-8", style],
  ]
  const routes = new Hono()
  for (const [path, type, text] of texts) {
    let tag: Promise<string> | undefined
    routes.get(path, async (c) => {
      const etag = await (tag ??= tagOf(text))
      const common = { ...headers, etag }
      return c.req.header("if-none-match") === etag
        ? new Response(null, { status: 304, headers: common })
        : new Response(text, { headers: { ...common, "content-type": type } })
    })
  }
  let scriptTag: Promise<string> | undefined
  routes.get("/console.js", async (c) => {
    const isGzip = acceptsGzip(c.req.header("accept-encoding"))
    // Two forms of one script are two representations: each has a tag of its own.
    const tag = await (scriptTag ??= tagOf(gzippedScript))
    const etag = isGzip ? tag : `${tag.slice(0, -1)}-plain"`
    const common = { ...headers, etag, vary: "accept-encoding" }
    if (c.req.header("if-none-match") === etag) return new Response(null, { status: 304, headers: common })
    const bytes = Uint8Array.from(atob(gzippedScript), (char) => char.charCodeAt(0))
    const type = { ...common, "content-type": "text/javascript; charset=utf-8" }
    return isGzip
      ? new Response(bytes, { headers: { ...type, "content-encoding": "gzip" } })
      : new Response(inflate(bytes), { headers: type })
  })
  return routes
}
