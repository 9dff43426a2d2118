import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { OptionError } from "../../src/base/OptionError.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { contextOf, output, post, problemOf, token } from "./support.ts"

const ran: Array<string> = []
const context = contextOf((exec) => {
  ran.push(exec.command)
  return Stream.make(output(exec.commandId))
})
const guarded = shellRoutes({ context, token })

const ask = (authorization: string | undefined, routes = guarded) => {
  const { headers, ...rest } = post({ command: "true" })
  const all = new Headers(headers)
  all.delete("authorization")
  if (authorization !== undefined) all.set("authorization", authorization)
  return routes.request("/exec", { ...rest, headers: all })
}

it("runs commands for a client with the token, in any case of the scheme", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    expect((await ask(`${scheme} ${token}`)).status).toBe(200)
  }
  expect((await ask(`Bearer ${token}`, shellRoutes({ context, token: Redacted.make(token) }))).status).toBe(200)
})

it("refuses every other client with 401 and a challenge, and runs nothing", async () => {
  ran.length = 0
  const absent = 'Bearer realm="sluice"'
  const wrong = 'Bearer realm="sluice", error="invalid_token"'
  const table: ReadonlyArray<readonly [string | undefined, string]> = [
    [undefined, absent],
    ["", absent],
    ["Bearer", absent],
    ["Bearer ", absent],
    [token, absent],
    [`Basic ${btoa(`user:${token}`)}`, absent],
    [`Bearer ${token} ${token}`, absent],
    ["Bearer wrong", wrong],
    [`Bearer ${token}x`, wrong],
    [`Bearer ${token.slice(0, -1)}`, wrong],
    [`Bearer ${token.toUpperCase()}`, wrong],
  ]
  for (const [authorization, challenge] of table) {
    const response = await ask(authorization)
    expect([authorization, response.status, response.headers.get("www-authenticate")]).toEqual([
      authorization,
      401,
      challenge,
    ])
    const problem = await problemOf(response)
    expect(problem.type).toBe("urn:sluice:request:unauthorized")
    expect(JSON.stringify(problem)).not.toContain(token)
  }
  expect(ran).toEqual([])
})

it("asks for the token before it looks at anything else", async () => {
  const response = await guarded.request("/exec", { method: "POST", headers: { accept: "image/png" }, body: "{" })
  expect(response.status).toBe(401)
})

it("needs no token if unauthenticated is set in code", async () => {
  expect((await ask(undefined, shellRoutes({ context, unauthenticated: true }))).status).toBe(200)
})

it("cannot be made with a token that cannot be sent", () => {
  for (const bad of ["", " ", "two words", "tokén", "new\nline"]) {
    expect(() => shellRoutes({ context, token: bad })).toThrow(OptionError)
    expect(() => shellRoutes({ context, token: Redacted.make(bad) })).toThrow(OptionError)
  }
})

it("refuses untyped callers that set neither or both options", async () => {
  expect(() => Reflect.apply(shellRoutes, undefined, [{ context }])).toThrow(OptionError)
  expect(() => Reflect.apply(shellRoutes, undefined, [{ context, unauthenticated: "yes" }])).toThrow(OptionError)
  const both = Reflect.apply(shellRoutes, undefined, [{ context, token, unauthenticated: true }])
  expect((await ask(undefined, both)).status).toBe(401)
})
