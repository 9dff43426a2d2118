import { expect, it } from "@effect/vitest"
import { disableIdleTimeout } from "../../src/server/disableIdleTimeout.ts"
import { runtime } from "../http/serve.ts"

it("takes Bun's limit away while a run lasts and gives it back after, and touches no other runtime's server", () => {
  const request = new Request("http://localhost/")
  for (const wrap of [(server: object): object => server, (server: object): object => ({ server })]) {
    const calls: Array<unknown> = []
    const server = {
      timeout(this: unknown, given: Request, seconds: number): void {
        calls.push([this === server, given === request, seconds])
      },
    }
    const ended = disableIdleTimeout(request, wrap(server))
    expect(calls).toEqual(runtime === "bun" ? [[true, true, 0]] : [])
    ended()
    expect(calls.slice(1)).toEqual(runtime === "bun" ? [[true, true, 10]] : [])
  }
})

it("calls nothing if the environment has no method timeout", () => {
  const calls: Array<string> = []
  const other = {
    close: () => calls.push("close"),
    get timeouts() {
      return calls.push("timeouts")
    },
  }
  for (const env of [undefined, null, {}, { timeout: 5 }, { server: { timeout: "5" } }, other, { server: other }]) {
    const restore = disableIdleTimeout(new Request("http://localhost/"), env)
    expect(restore()).toBeUndefined()
  }
  expect(calls).toEqual([])
})
