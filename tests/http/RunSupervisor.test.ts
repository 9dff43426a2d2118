import { expect, it } from "@effect/vitest"
import * as Stream from "effect/Stream"
import { shellRoutes } from "../../src/http/mod.ts"
import { contextOf, output, post, token } from "./support.ts"

it("does not start the command of a client that left while its request waited", async () => {
  const started: Array<string> = []
  const context = contextOf((exec) => {
    started.push(exec.command)
    return Stream.make(output(exec.commandId))
  })
  await using routes = shellRoutes({ context, token })
  await routes.start()
  const client = new AbortController()
  const stays = routes.request("/exec", post({ command: "stays" }))
  const leaves = routes.request(
    new Request("http://localhost/exec", { ...post({ command: "leaves" }), signal: client.signal }),
  )
  client.abort()
  expect((await stays).status).toBe(200)
  // A runtime may refuse the body of a request that is gone.
  await Promise.allSettled([leaves])
  expect(started).toEqual(["stays"])
})
