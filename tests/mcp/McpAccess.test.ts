import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { authenticate, checkNames, Denied, type McpNames } from "../../src/mcp/McpAccess.ts"

const statusOf = (names: McpNames, host: string, origin?: string): number => {
  const headers = new Headers({ host, ...(origin === undefined ? undefined : { origin }) })
  return checkNames(names)(new Request("http://localhost/mcp", { headers }))?.status ?? 200
}

it("lets requests pass that are for this machine, whatever the port", () => {
  for (const host of ["localhost", "localhost:8788", "LOCALHOST:1", "127.0.0.1:80", "[::1]:8788"]) {
    expect([host, statusOf({}, host)]).toEqual([host, 200])
  }
})

it("turns away what is for another host, as a name that was pointed here is", () => {
  for (const host of ["evil.example", "evil.example:8788", "localhost.evil.example", "127.0.0.1.nip.io", "::1", ""]) {
    expect([host, statusOf({}, host)]).toEqual([host, 403])
  }
})

it("takes hosts with their port, or with any", () => {
  const names = { allowedHosts: ["tools.example:443", "Other.example"] }
  expect(statusOf(names, "tools.example:443")).toBe(200)
  expect(statusOf(names, "tools.example")).toBe(403)
  expect(statusOf(names, "other.example:1")).toBe(200)
  expect(statusOf(names, "localhost")).toBe(403)
})

it("lets pages of the host itself pass, and of the origins that were named", () => {
  const names = { allowedOrigins: ["https://app.example"] }
  expect(statusOf(names, "localhost:8788", "http://localhost:8788")).toBe(200)
  expect(statusOf(names, "localhost:8788", "https://app.example")).toBe(200)
  for (const origin of ["http://localhost:9999", "https://evil.example", "https://app.example:444", "null"]) {
    expect([origin, statusOf(names, "localhost:8788", origin)]).toEqual([origin, 403])
  }
})

it("tells whose token it is, and turns away who has none", async () => {
  const who = authenticate({ token: ["first", Redacted.make("second")] })
  const ask = (authorization?: string) => who(new Headers(authorization === undefined ? {} : { authorization }))
  expect(await ask("Bearer first")).toBe(0)
  expect(await ask("bearer  second ")).toBe(1)
  for (const wrong of [undefined, "Bearer", "Bearer third", "Basic first", "Bearer firs", "Bearer first second"]) {
    const answer = await ask(wrong)
    expect([wrong, answer instanceof Denied && answer.status]).toEqual([wrong, 401])
  }
})

it("lets everybody pass only when that was said", async () => {
  expect(await authenticate({ unauthenticated: true })(new Headers())).toBe(0)
  for (const token of ["", "with space", "ümlaut", "line\n"]) {
    expect(() => authenticate({ token })).toThrow(TypeError)
  }
  expect(() => authenticate({ token: [] })).toThrow(TypeError)
})
