import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Stream from "effect/Stream"
import { Hono } from "hono"
import { shellRoutes } from "../../src/http/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { chunk, contextOf, output, post, problemOf, type Run, serviceOf, token } from "./support.ts"

/** A layer that counts how often it is built and released; the first builds fail as often as told. */
const counted = (run: (commandId: string) => Run, failures = 0) => {
  const count = { built: 0, released: 0 }
  const layer = Layer.effect(
    Shell,
    Effect.acquireRelease(
      Effect.suspend(() => ++count.built <= failures ? Effect.fail("not yet") : Effect.succeed("ready")),
      () => Effect.sync(() => count.released++),
    ).pipe(Effect.as(serviceOf((exec) => run(exec.commandId)))),
  )
  return { count, layer }
}

const quick = (commandId: string): Run => Stream.make(output(commandId))

it("builds the layer once, at the first request that needs it, and releases it once", async () => {
  const { count, layer } = counted(quick)
  const routes = shellRoutes({ layer, token })
  await routes.request("/exec", { method: "POST" })
  expect(count).toEqual({ built: 0, released: 0 })
  const statuses = await Promise.all(
    [1, 2, 3].map(async () => (await routes.request("/exec", post({ command: "x" }))).status),
  )
  expect(statuses).toEqual([200, 200, 200])
  expect(count).toEqual({ built: 1, released: 0 })
  await routes.dispose()
  await routes.dispose()
  expect(count).toEqual({ built: 1, released: 1 })
  expect((await problemOf(await routes.request("/exec", post({ command: "x" })))).status).toBe(503)
  expect(count.built).toBe(1)
})

it("answers 503 while the layer cannot be built, and tries again at the next request", async () => {
  const { count, layer } = counted(quick, 1)
  const routes = shellRoutes({ layer, token })
  const response = await routes.request("/exec", post({ command: "x" }))
  expect((await problemOf(response)).type).toBe("urn:sluice:request:unavailable")
  expect(response.headers.get("retry-after")).toBe("1")
  expect((await routes.request("/exec", post({ command: "x" }))).status).toBe(200)
  expect(count.built).toBe(2)
  await routes.dispose()
})

it("leaves the caller's runtime or services alone", async () => {
  const { count, layer } = counted(quick)
  const runtime = ManagedRuntime.make(layer)
  for (const source of [{ runtime }, { context: await runtime.context() }]) {
    const routes = shellRoutes({ ...source, token })
    expect((await routes.request("/exec", post({ command: "x" }))).status).toBe(200)
    await routes.dispose()
  }
  expect(count).toEqual({ built: 1, released: 0 })
  await runtime.dispose()
  expect(count).toEqual({ built: 1, released: 1 })
})

it("ends running commands when it is disposed, and notifies their readers", async () => {
  let running = 0
  const { count, layer } = counted((commandId) =>
    Stream.suspend(() => {
      running++
      return Stream.concat(Stream.make(chunk(commandId, 0)), Stream.never)
    }).pipe(Stream.ensuring(Effect.sync(() => running--)))
  )
  const routes = shellRoutes({ layer, token })
  const read = await routes.request("/exec", post({ command: "x" }, { accept: "application/x-ndjson" }))
  const unread = await routes.request("/exec", post({ command: "x" }, { accept: "text/event-stream" }))
  const reading = read.text()
  const waiting = routes.request("/exec", post({ command: "x" }))
  while (running < 3) await new Promise((resolve) => setTimeout(resolve, 1))
  await routes[Symbol.asyncDispose]()
  expect([running, count.released]).toEqual([0, 1])
  for (const text of [await reading, await unread.text()]) {
    expect(text).toContain('"_tag":"ShellOutputChunk"')
    expect(text.trim().split("\n").at(-1)).toContain('"reason":{"_tag":"Cancelled"}')
  }
  expect((await problemOf(await waiting)).type).toBe("urn:sluice:request:unavailable")
})

it("answers only POST /exec, below any path it is mounted at, and touches nothing else of the app", async () => {
  const routes = shellRoutes({ context: contextOf((exec) => quick(exec.commandId)), token })
  const app = new Hono().route("/a/b", routes).route("/", routes).get("/open", (c) => c.text("open"))
  for (const path of ["/exec", "/a/b/exec"]) {
    expect((await app.request(path, post({ command: "x" }))).status).toBe(200)
    expect((await app.request(path, { method: "POST" })).status).toBe(401)
    for (const method of ["GET", "PUT", "DELETE", "OPTIONS"]) {
      const response = await app.request(path, { method })
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "POST"])
    }
  }
  expect(await (await app.request("/open")).text()).toBe("open")
  expect((await app.request("/a/b/other", post({ command: "x" }))).status).toBe(404)
})
