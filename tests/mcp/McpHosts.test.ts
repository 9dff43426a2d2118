import { expect, it } from "@effect/vitest"
import { makeHostCheck, type McpHosts } from "../../src/mcp/McpHosts.ts"

const statusOf = (names: McpHosts, host: string, origin?: string): number => {
  const headers = new Headers({ host, ...(origin === undefined ? undefined : { origin }) })
  return makeHostCheck(names).reject(new Request("http://localhost/mcp", { headers }))?.status ?? 200
}

it("accepts requests for this machine, on any port", () => {
  for (const host of ["localhost", "localhost:8788", "LOCALHOST:1", "127.0.0.1:80", "[::1]:8788"]) {
    expect([host, statusOf({}, host)]).toEqual([host, 200])
  }
})

it("rejects requests for another host, such as a rebound name", () => {
  for (const host of ["evil.example", "evil.example:8788", "localhost.evil.example", "127.0.0.1.nip.io", "::1", ""]) {
    expect([host, statusOf({}, host)]).toEqual([host, 404])
  }
})

it("takes hosts with their port, or with any", () => {
  const names = { allowedHosts: ["tools.example:443", "Other.example"] }
  expect(statusOf(names, "tools.example:443")).toBe(200)
  expect(statusOf(names, "tools.example")).toBe(404)
  expect(statusOf(names, "other.example:1")).toBe(200)
  expect(statusOf(names, "localhost")).toBe(404)
})

it("lets pages of the host itself pass, and of the origins that were named", () => {
  const names = { cors: { origins: ["https://app.example"] } }
  expect(statusOf(names, "localhost:8788", "http://localhost:8788")).toBe(200)
  expect(statusOf(names, "localhost:8788", "https://app.example")).toBe(200)
  for (const origin of ["http://localhost:9999", "https://evil.example", "https://app.example:444", "null"]) {
    expect([origin, statusOf(names, "localhost:8788", origin)]).toEqual([origin, 403])
  }
})

it("answers preflight and CORS requests only for allowed origins", () => {
  const names = makeHostCheck({ cors: { origins: ["https://app.example"] } })
  const asking = (origin: string) =>
    new Request("http://localhost/mcp", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization" },
    })
  const answer = names.preflight(asking("https://app.example"))
  expect(answer?.status).toBe(204)
  expect(answer?.headers.get("access-control-allow-methods")).toBe("POST, DELETE")
  for (const name of ["authorization", "mcp-session-id", "mcp-protocol-version", "content-type"]) {
    expect(answer?.headers.get("access-control-allow-headers")).toContain(name)
  }
  expect(names.preflight(asking("https://evil.example"))).toBeUndefined()
  expect(makeHostCheck({}).preflight(asking("http://localhost"))).toBeUndefined()
  const headersFor = (origin: string) => new Map(names.headers(asking(origin)))
  expect(headersFor("https://app.example").get("access-control-allow-origin")).toBe("https://app.example")
  expect(headersFor("https://app.example").get("access-control-expose-headers")).toContain("mcp-session-id")
  expect([...headersFor("https://evil.example")]).toEqual([["vary", "origin"]])
})
