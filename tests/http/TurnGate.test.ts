import { expect, it } from "@effect/vitest"
import * as Stream from "effect/Stream"
import { shellRoutes } from "../../src/http/Http.ts"
import { TurnGate } from "../../src/http/TurnGate.ts"
import { scheduleNextTurn } from "../../src/shell/scheduleNextTurn.ts"
import { contextOf, output, post, token } from "./support.ts"

const nextTurn = (): Promise<void> => new Promise((resolve) => void scheduleNextTurn(() => resolve()))

it("lets one caller pass in each turn, in order, and the next one at once when none waits", async () => {
  const gate = new TurnGate()
  let turn = 0
  let waits = true
  const count = (): void => {
    turn++
    if (waits) scheduleNextTurn(count)
  }
  count()
  const passed: Array<{ readonly caller: number; readonly turn: number }> = []
  await Promise.all([1, 2, 3, 4].map(async (caller) => {
    await gate.pass()
    passed.push({ caller, turn })
  }))
  waits = false
  expect(passed.map(({ caller }) => caller)).toEqual([1, 2, 3, 4])
  expect(new Set(passed.map((each) => each.turn)).size).toBe(4)
  await nextTurn()
  expect(gate.pass()).toBeUndefined()
})

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
