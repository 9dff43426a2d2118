import { expect, it } from "vitest"
import { consoleRoutes } from "@sluice/shell/http/console"

it("serves a page, its script and its style, and permits nothing else", async () => {
  const app = consoleRoutes()
  for (const [path, type] of [["/", "text/html"], ["/console.js", "text/javascript"], ["/console.css", "text/css"]]) {
    const response = await app.request(path ?? "")
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe(`${type}; charset=utf-8`)
    expect(response.headers.get("content-security-policy")).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect(response.headers.get("x-frame-options")).toBe("DENY")
    expect((await response.text()).length).toBeGreaterThan(1_000)
  }
})

it("answers 304 for an asset that the browser has", async () => {
  const app = consoleRoutes()
  const etag = (await app.request("/console.js")).headers.get("etag") ?? ""
  const again = await app.request("/console.js", { headers: { "if-none-match": etag } })
  expect([again.status, await again.text()]).toEqual([304, ""])
  expect((await app.request("/console.js", { headers: { "if-none-match": '"other"' } })).status).toBe(200)
})

it("sends its script compressed to browsers that accept that, and plain to others", async () => {
  const app = consoleRoutes()
  const get = (accepted: string | undefined) =>
    app.request("/console.js", { headers: accepted === undefined ? {} : { "accept-encoding": accepted } })
  const plain = await get(undefined)
  const text = await plain.text()
  expect(text).toMatch(/^\/\*! With @xterm\/xterm /)
  for (const accepted of ["gzip", "deflate, gzip;q=0.5, br", "*", "GZIP ; q=1"]) {
    const gzip = await get(accepted)
    expect([gzip.headers.get("content-encoding"), gzip.headers.get("vary")]).toEqual(["gzip", "accept-encoding"])
    expect(gzip.headers.get("etag")).not.toBe(plain.headers.get("etag"))
    const stream = new Blob([await gzip.arrayBuffer()]).stream().pipeThrough(new DecompressionStream("gzip"))
    expect(await new Response(stream).text()).toBe(text)
  }
  for (const refused of ["gzip;q=0", "gzip;q=0.000, br", "br", "xgzip", ""]) {
    expect((await get(refused)).headers.get("content-encoding")).toBeNull()
  }
})

it("escapes the path of the routes in the page", async () => {
  const page = await (await consoleRoutes({ api: '/a"><script>$&' }).request("/")).text()
  expect(page).toContain('content="/a&quot;&gt;&lt;script&gt;$&amp;"')
})
