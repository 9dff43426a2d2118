/** The network options of just-bash as rules of the sandbox. */
import { expect, it } from "vitest"
import { Bash } from "../../src/just-bash/mod.ts"

/** What `curl` says: the port is closed, so a request that is allowed fails to connect. */
const curl = async (allowed: ReadonlyArray<string>, url: string, allowedMethods?: ReadonlyArray<string>) => {
  const network = { allowedUrlPrefixes: allowed, ...allowedMethods === undefined ? {} : { allowedMethods } }
  const { stderr } = await new Bash({ network }).exec('curl -sS -X "${METHOD-GET}" "$URL"', {
    env: { URL: url, ...allowedMethods === undefined ? {} : { METHOD: "POST" } },
  })
  return stderr
}

const v1 = "http://localhost:1/v1"

it.each([
  [v1, true],
  [`${v1}/users?q=1`, true],
  [`${v1}0`, false],
  [`${v1}-admin`, false],
  ["http://localhost:1/v2", false],
  [`${v1}/%2e%2e/v2`, false],
])("allows by prefix: %s %s", async (url, allowed) => {
  expect(await curl([v1], url)).toContain(allowed ? "Couldn't connect" : "is not allowed")
})

it("allows URLs below a prefix that ends in a slash, and all URLs of an origin", async () => {
  expect(await curl([`${v1}/`], `${v1}/x`)).toContain("Couldn't connect")
  expect(await curl([`${v1}/`], v1)).toContain("is not allowed")
  expect(await curl(["http://localhost:1"], "http://localhost:1/any/path")).toContain("Couldn't connect")
  expect(await curl(["http://localhost:2"], "http://localhost:1/")).toContain("not allowed")
})

it("allows GET and HEAD, or the methods that are named", async () => {
  expect(await curl([v1], v1, ["GET"])).toContain("not allowed")
  expect(await curl([v1], v1, ["POST"])).toContain("Couldn't connect")
})

it("sends nothing without rules, and refuses a text that is not a URL", async () => {
  expect((await new Bash().exec("curl -sS http://localhost:1/")).exitCode).not.toBe(0)
  expect(() => new Bash({ network: { allowedUrlPrefixes: ["example.com"] } })).toThrow("write URLs")
})
