/** The network options of just-bash as rules of the sandbox. */
import { expect, it } from "vitest"
import { readNetwork } from "../../src/just-bash/options.ts"
import { Bash } from "../../src/just-bash/mod.ts"
import { compilePolicy, findRule } from "../../src/kernel/network/NetworkPolicy.ts"
import type { NetworkConfig } from "../../src/just-bash/mod.ts"

const allows = (config: NetworkConfig, url: string, method = "GET"): boolean =>
  typeof findRule(compilePolicy(readNetwork(config)).rules, new URL(url), method) !== "string"

it.each([
  ["https://api.example.com/v1", true],
  ["https://api.example.com/v1/users?q=1", true],
  ["https://api.example.com/v10", false],
  ["https://api.example.com/v1-admin", false],
  ["https://api.example.com/v2", false],
  ["https://api.example.org/v1", false],
  ["http://api.example.com/v1", false],
  ["https://api.example.com/v1/%2e%2e/v2", false],
])("allows by prefix: %s %s", (url, allowed) => {
  expect(allows({ allowedUrlPrefixes: ["https://api.example.com/v1"] }, url)).toBe(allowed)
})

it("allows what is below a prefix that ends in a slash, and all of an origin", () => {
  expect(allows({ allowedUrlPrefixes: ["https://a.example/v1/"] }, "https://a.example/v1/x")).toBe(true)
  expect(allows({ allowedUrlPrefixes: ["https://a.example/v1/"] }, "https://a.example/v1")).toBe(false)
  expect(allows({ allowedUrlPrefixes: ["https://a.example"] }, "https://a.example/any/path")).toBe(true)
})

it("allows GET and HEAD, unless methods or all of the internet are allowed", () => {
  const allowedUrlPrefixes = ["https://a.example"]
  expect(allows({ allowedUrlPrefixes }, "https://a.example/", "HEAD")).toBe(true)
  expect(allows({ allowedUrlPrefixes }, "https://a.example/", "POST")).toBe(false)
  expect(allows({ allowedUrlPrefixes, allowedMethods: ["POST"] }, "https://a.example/", "POST")).toBe(true)
  expect(allows({ dangerouslyAllowFullInternetAccess: true }, "http://other.example:8080/", "DELETE")).toBe(false)
  expect(allows({ dangerouslyAllowFullInternetAccess: true }, "https://other.example/", "DELETE")).toBe(true)
})

it("adds headers outside of the sandbox, and refuses private addresses unless they are allowed", () => {
  const entry = { url: "https://a.example", transform: [{ headers: { A: "1" } }, { headers: { B: "2" } }] }
  const [rule] = readNetwork({ allowedUrlPrefixes: [entry] }).origins
  expect(rule).toMatchObject({ headers: { A: "1", B: "2" }, privateAddresses: false })
  expect([...readNetwork({ allowedUrlPrefixes: [entry], denyPrivateRanges: false }).origins][0])
    .toMatchObject({ privateAddresses: true })
})

it("refuses what is no URL", () => {
  expect(() => new Bash({ network: { allowedUrlPrefixes: ["example.com"] } })).toThrow("example.com is not a URL")
})

it("is what curl obeys", async () => {
  const bash = new Bash({ network: { allowedUrlPrefixes: ["http://localhost:1/v1"] } })
  const { exitCode, stderr } = await bash.exec("curl -sS http://localhost:1/v2")
  expect(exitCode).toBe(7)
  expect(stderr).toContain('the path "/v2" is not allowed for http://localhost:1')
  expect((await new Bash().exec("curl -sS http://localhost:1/")).exitCode).not.toBe(0)
})
