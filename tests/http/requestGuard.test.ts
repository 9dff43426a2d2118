import { expect, it } from "@effect/vitest"
import * as Stream from "effect/Stream"
import { shellRoutes } from "../../src/http/mod.ts"
import { later } from "./journaled.ts"
import { contextOf, output, post, token } from "./support.ts"

const routesFor = (cors?: { readonly origins: ReadonlyArray<string> }) => {
  const routes = shellRoutes({ token, context: contextOf((exec) => Stream.make(output(exec.commandId))), cors })
  later(() => routes.dispose())
  return routes
}

const preflight = (origin: string): RequestInit => ({
  method: "OPTIONS",
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization,content-type",
  },
})

it("refuses pages of other sites by default", async () => {
  const routes = routesFor()
  const asked = await routes.request("/exec", preflight("https://evil.example"))
  expect([asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([405, null])
  const answered = await routes.request("/exec", post({ command: "x" }, { origin: "https://evil.example" }))
  expect(answered.headers.get("access-control-allow-origin")).toBeNull()
})

it("admits pages of the configured origins, with all headers that they need", async () => {
  const routes = routesFor({ origins: ["https://console.example"] })
  for (const path of ["/exec", "/commands", "/commands/c/events", "/commands/c/input"]) {
    const asked = await routes.request(path, preflight("https://console.example"))
    expect([path, asked.status, asked.headers.get("access-control-allow-origin")]).toEqual([
      path,
      204,
      "https://console.example",
    ])
    expect(asked.headers.get("access-control-allow-headers")).toContain("last-event-id")
  }
  expect((await routes.request("/commands/c", preflight("https://console.example"))).headers.get(
    "access-control-allow-methods",
  )).toBe("GET, HEAD, DELETE")
  const answered = await routes.request("/exec", post({ command: "x" }, { origin: "https://console.example" }))
  expect(answered.headers.get("access-control-allow-origin")).toBe("https://console.example")
  expect(answered.headers.get("access-control-expose-headers")).toContain("retry-after")
  expect(answered.headers.get("vary")).toBe("origin")
  const other = await routes.request("/exec", preflight("https://console.example.evil"))
  expect([other.status, other.headers.get("access-control-allow-origin")]).toEqual([405, null])
  // A page that may ask still needs the token.
  const { headers: _, ...anonymous } = post({ command: "x" })
  const refused = await routes.request("/exec", { ...anonymous, headers: { origin: "https://console.example" } })
  expect([refused.status, refused.headers.get("access-control-allow-origin")]).toEqual([401, "https://console.example"])
})

it("admits every page if configured", async () => {
  const routes = routesFor({ origins: ["*"] })
  const answered = await routes.request("/exec", post({ command: "x" }, { origin: "https://any.example" }))
  expect(answered.headers.get("access-control-allow-origin")).toBe("https://any.example")
})
