import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { decodeFlags } from "../../src/cli/FlagSpec.ts"
import { serveFlags } from "../../src/cli/serve/serveSpec.ts"
import { isForServer, readHosts } from "../../src/cli/serverFlags.ts"
import { makeHostCheck } from "../../src/mcp/McpHosts.ts"

/** Which hosts a server that listens there takes for its own. */
const taken = (host: string, hosts: ReadonlyArray<string>, given?: ReadonlyArray<string>): ReadonlyArray<string> => {
  const names = makeHostCheck(readHosts({ "allow-host": given ?? [], "allow-origin": [] }, host))
  return hosts.filter((one) =>
    names.reject(new Request("http://localhost/mcp", { headers: { host: one } })) === undefined
  )
}

const loopback = ["localhost:1", "127.0.0.1:1", "[::1]:1"]

it("accepts the loopback names and the address that it listens on", () => {
  expect(taken("127.0.0.1", [...loopback, "192.168.1.5:1"])).toEqual(loopback)
  expect(taken("192.168.1.5", [...loopback, "192.168.1.5:1", "evil.example"])).toEqual([...loopback, "192.168.1.5:1"])
  expect(taken("127.0.0.5", ["127.0.0.5:1", "127.0.0.6:1"])).toEqual(["127.0.0.5:1"])
  expect(taken("fe80::1", ["[fe80::1]:1", "fe80::1", "evil.example"])).toEqual(["[fe80::1]:1"])
})

it("accepts only loopback names on a wildcard address, and only the names of --allow-host if given", () => {
  expect(taken("0.0.0.0", [...loopback, "0.0.0.0:1", "192.168.1.5:1"])).toEqual(loopback)
  expect(taken("::", [...loopback, "[::]:1"])).toEqual(loopback)
  expect(taken("0.0.0.0", [...loopback, "tools.example:1"], ["tools.example"])).toEqual(["tools.example:1"])
})

it("keeps the loopback names if it listens on a loopback address and other names are given", () => {
  const hosts = [...loopback, "tools.example:1", "evil.example:1"]
  for (const address of ["127.0.0.1", "localhost", "::1"]) {
    expect(taken(address, hosts, ["tools.example"])).toEqual([...loopback, "tools.example:1"])
    const isForThis = isForServer(address, ["tools.example"])
    const answered = hosts.filter((host) => isForThis(new Request(`http://${host}/`, { headers: { host } })))
    expect(answered).toEqual([...loopback, "tools.example:1"])
  }
  expect(taken("192.168.1.5", hosts, ["tools.example"])).toEqual(["tools.example:1"])
})

it("accepts every address of the machine if it listens on all, and no names", () => {
  const known = (host: string, named: ReadonlyArray<string> | undefined, asked: string): boolean => {
    const url = `http://${asked}/`
    const request = new Request(URL.canParse(url) ? url : "http://localhost/", { headers: { host: asked } })
    return isForServer(host, named)(request)
  }
  for (const address of ["192.168.1.5:8787", "10.0.0.1", "[fe80::1]:1", "localhost:1"]) {
    expect([address, known("0.0.0.0", undefined, address)]).toEqual([address, true])
  }
  for (const name of ["evil.example", "1.2.3.4.evil.example", "1.2.3.4.nip.io:80", "a1.2.3.4"]) {
    expect([name, known("0.0.0.0", undefined, name)]).toEqual([name, false])
  }
  expect(known("127.0.0.1", undefined, "192.168.1.5")).toBe(false)
  expect(known("0.0.0.0", ["tools.example"], "192.168.1.5")).toBe(false)
  expect(known("0.0.0.0", ["tools.example"], "tools.example:8787")).toBe(true)
})

it("refuses a request whose target names another host than its header, or that has no header", () => {
  const known = (url: string, headers: Record<string, string>): boolean =>
    isForServer("127.0.0.1", undefined)(new Request(url, { headers }))
  expect(known("http://localhost:8787/", { host: "localhost:8787" })).toBe(true)
  expect(known("http://localhost/", { host: "LOCALHOST:80" })).toBe(true)
  expect(known("http://evil.example/", { host: "localhost" })).toBe(false)
  expect(known("http://localhost/", { host: "evil.example" })).toBe(false)
  expect(known("http://localhost/", {})).toBe(false)
  expect(known("http://localhost/", { host: "" })).toBe(false)
})

it("refuses hosts and origins that no request can have", () => {
  const problem = (flag: string, value: string) => {
    const read = decodeFlags(serveFlags, new Map([["mcp", ["true"]], ["port", ["0"]], [flag, [value]]]))
    return Result.isFailure(read) ? read.failure.message : undefined
  }
  for (const host of ["", "http://x", "x/", "a b", "x:port", "a,b", "user@x"]) {
    expect([host, problem("allow-host", host)]).toEqual([
      host,
      expect.stringMatching(/^--allow-host: ".*" is not valid/),
    ])
  }
  for (const host of ["x", "Build.Example:8787", "10.0.0.7", "[::1]:80", "localhost:80"]) {
    expect([host, problem("allow-host", host)]).toEqual([host, undefined])
  }
  for (const origin of ["app.example", "https://app.example/", "https://app.example/x", "*", ""]) {
    expect([origin, problem("allow-origin", origin)]).toEqual([origin, expect.stringContaining("--allow-origin")])
  }
  expect(problem("allow-origin", "https://app.example:8443")).toBeUndefined()
})
