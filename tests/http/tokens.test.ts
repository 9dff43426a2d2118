import { expect, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { OptionError } from "../../src/base/OptionError.ts"
import { TokenBucket } from "../../src/auth/TokenBucket.ts"
import { shellRoutes, type ShellRoutesOptions, type TokenOptions } from "../../src/http/mod.ts"
import { later, until } from "./journaled.ts"
import { contextOf, output, post, problemOf, type Run } from "./support.ts"

type Asker = (token: string, method: string, path: string, body?: object) => Promise<Response>

const guarded = (tokens: ReadonlyArray<TokenOptions>, run: Run = Stream.make(output("c")), more = {}): Asker => {
  const options: ShellRoutesOptions = { tokens, context: contextOf(() => run), ...more }
  const routes = shellRoutes(options)
  later(() => routes.dispose())
  return async (token, method, path, body) =>
    await routes.request(path, {
      ...(body === undefined ? undefined : post(body)),
      method,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    })
}

it("permits each token only what its rights allow", async () => {
  const ask = guarded([
    { name: "watcher", token: "w-w", rights: ["read"] },
    { name: "runner", token: Redacted.make("r-r"), rights: ["run"] },
    { name: "ender", token: "e-e", rights: ["cancel"] },
    { name: "all", token: "a-a" },
  ])
  const command = { command: "x" }
  const routes = [
    ["GET", "/commands", "w"],
    ["GET", "/commands/nobody", "w"],
    ["GET", "/commands/nobody/events", "w"],
    ["GET", "/metrics", "w"],
    ["POST", "/exec", "r"],
    ["POST", "/commands/nobody/input", "r"],
    ["DELETE", "/commands/nobody", "e"],
  ] as const
  for (const [method, path, right] of routes) {
    for (const who of ["w", "r", "e", "a"]) {
      const response = await ask(`${who}-${who}`, method, path, method === "POST" ? command : undefined)
      const refused = who !== right && who !== "a"
      expect([method, path, who, response.status === 403]).toEqual([method, path, who, refused])
      if (refused) expect((await problemOf(response)).type).toBe("urn:sluice:request:forbidden")
      else await response.body?.cancel()
    }
  }
  expect((await ask("x-x", "GET", "/commands")).status).toBe(401)
  const rightsOf = async (token: string) => (await ask(token, "GET", "/commands")).headers.get("sluice-rights")
  expect([await rightsOf("w-w"), await rightsOf("a-a")]).toEqual([
    "read",
    "read, run, cancel",
  ])
})

it("enforces the concurrency limits of a token and of the routes", async () => {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  const run = Stream.concat(Stream.drain(Stream.fromEffect(Effect.promise(() => opened))), Stream.make(output("c")))
  const ask = guarded(
    [{ name: "small", token: "small", maxConcurrency: 2 }, { name: "large", token: "large" }],
    run,
    { maxConcurrency: 3, retryAfter: "7 seconds" },
  )
  const begin = (token: string): Promise<Response> => ask(token, "POST", "/exec", { command: "x" })
  const busy = async (token: string): Promise<ReadonlyArray<string | null>> => {
    const response = await begin(token)
    return [(await problemOf(response)).type, response.headers.get("retry-after")]
  }
  const first = [begin("small"), begin("small")]
  await until(async () =>
    (await (await ask("large", "GET", "/commands?state=open")).text()).split(`"commandId"`).length === 3
  )
  expect(await busy("small")).toEqual(["urn:sluice:request:busy", "7"])
  const third = ask("large", "POST", "/exec", { command: "x", detached: true, commandId: "third" })
  expect((await third).status).toBe(202)
  expect(await busy("large")).toEqual(["urn:sluice:request:busy", "7"])
  // One that runs already needs no place.
  expect((await ask("large", "POST", "/exec", { command: "x", detached: true, commandId: "third" })).status).toBe(202)
  open()
  for (const response of await Promise.all(first)) expect(response.status).toBe(200)
  await until(async () => (await begin("small")).status === 200)
})

it("gives a place back however a request ends", async () => {
  const ask = guarded([{ name: "one", token: "one", maxConcurrency: 1 }])
  for (
    const body of [{ command: "" }, { command: 7 }, { command: "x", commandId: "c" }, {
      command: "y",
      commandId: "c",
    }]
  ) {
    await (await ask("one", "POST", "/exec", body)).text()
  }
  expect((await ask("one", "POST", "/exec", { command: "x" })).status).toBe(200)
})

it("limits the request rate of a token, and says when to retry", async () => {
  const ask = guarded([
    { name: "slow", token: "slow", rate: { requests: 3, per: "1 hour" } },
    { name: "free", token: "free" },
  ])
  for (let n = 0; n < 3; n++) expect((await ask("slow", "GET", "/commands")).status).toBe(200)
  const response = await ask("slow", "GET", "/commands")
  expect((await problemOf(response)).type).toBe("urn:sluice:request:too-many-requests")
  expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(1_100)
  expect((await ask("free", "GET", "/commands")).status).toBe(200)
})

it("refills a token bucket evenly, whatever the clock does", () => {
  const allowance = new TokenBucket(4, 1_000)
  expect([0, 0, 0, 0].map((at) => allowance.take(at))).toEqual([0, 0, 0, 0])
  expect(allowance.take(0)).toBe(250)
  expect(allowance.take(100)).toBe(150)
  expect(allowance.take(250)).toBe(0)
  // Set back: no time has passed.
  expect(allowance.take(-10_000)).toBe(250)
  expect(allowance.take(-9_750)).toBe(0)
  expect([1, 2, 3, 4].map(() => allowance.take(100_000))).toEqual([0, 0, 0, 0])
  expect(allowance.take(100_000)).toBe(250)
  for (const [most, per] of [[0, 1], [1, 0], [Number.NaN, 1]] as const) {
    expect(() => new TokenBucket(most, per)).toThrow("at least one request")
  }
})

it("refuses equal tokens, and tokens that cannot be sent", () => {
  const context = contextOf(() => Stream.empty)
  const make = (tokens: ReadonlyArray<TokenOptions>) => () => shellRoutes({ context, tokens })
  expect(make([])).toThrow(OptionError)
  expect(make([{ name: "a", token: "same" }, { name: "b", token: "same" }])).toThrow("two tokens are the same")
  expect(make([{ name: "a", token: "with space" }])).toThrow("printable ASCII")
})

it("names the token and the request in its log, and never shows the token itself", async () => {
  const lines: Array<string> = []
  const logger = Logger.map(Logger.formatLogFmt, (line) => void lines.push(line))
  const context = Context.add(
    contextOf(() => Stream.die(new Error("it broke"))),
    Logger.CurrentLoggers,
    new Set([logger]),
  )
  const routes = shellRoutes({ context, tokens: [{ name: "builder", token: "hunter2-hunter2" }] })
  later(() => routes.dispose())
  const headers = {
    "authorization": "Bearer hunter2-hunter2",
    "content-type": "application/json",
    "x-request-id": "r-17",
  }
  const body = JSON.stringify({ command: "x", commandId: "c-17" })
  expect((await routes.request("/exec", { method: "POST", headers, body })).status).toBe(500)
  const text = lines.join("\n")
  for (const word of ["builder", "r-17", "c-17", "it broke"]) expect(text).toContain(word)
  expect(text).not.toContain("hunter2")
})

it("records the token's name with each command, and answers a repeat from any token", async () => {
  const ask = guarded([{ name: "ada", token: "a-a" }, { name: "ci", token: "c-c" }])
  expect((await ask("c-c", "POST", "/exec", { command: "x", commandId: "c" })).status).toBe(200)
  const again = await ask("a-a", "POST", "/exec", { command: "x", commandId: "c" })
  expect([again.status, again.headers.get("sluice-replayed")]).toEqual([200, "true"])
  expect(await (await ask("a-a", "GET", "/commands/c")).json()).toMatchObject({ commandId: "c", requestedBy: "ci" })
  expect((await ask("a-a", "POST", "/exec", { command: "y", commandId: "c" })).status).toBe(409)
})
