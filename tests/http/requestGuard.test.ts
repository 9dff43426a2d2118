import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Stream from "effect/Stream"
import { MemoryFileSystem } from "@sluice/shell/files"
import { Files } from "../../src/files/Files.ts"
import { Journal } from "../../src/journal/JournalService.ts"
import { fileRoutes, shellRoutes } from "../../src/http/mod.ts"
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

it("logs defects with the loggers of the caller's services", async () => {
  const logged: Array<unknown> = []
  const logger = Logger.make<unknown, void>(({ message }) => void logged.push(message))
  const loggers = await Effect.runPromise(Effect.scoped(Layer.build(Logger.layer([logger]))))
  const context = Context.merge(contextOf((exec) => Stream.make(output(exec.commandId))), loggers)
  const routes = shellRoutes({ token, context, journal: Layer.effect(Journal, Effect.fail("no journal")) })
  later(() => routes.dispose())
  const refused = await routes.request("/exec", post({ command: "x" }))
  expect(refused.status).toBe(503)
  expect(logged).toEqual([["the services of the route could not be built", expect.anything()]])

  const files = await Effect.runPromise(Effect.scoped(Layer.build(MemoryFileSystem.layer)))
  const dying = { ...Context.get(files, Files), request: () => Stream.die(new Error("a bug")) }
  const broken = fileRoutes({ token, context: Context.merge(Context.make(Files, dying), loggers) })
  later(() => broken.dispose())
  const response = await broken.request("/files/a", { headers: { authorization: `Bearer ${token}` } })
  expect([response.status, logged.at(-1)]).toEqual([500, ["a request broke", expect.anything()]])
})
