import { describe, expect, it } from "@effect/vitest"
import { compileRules, type EgressRules } from "../../src/egress/EgressRules.ts"

const allows = (rules: EgressRules, host: string, port: number): boolean =>
  typeof compileRules(rules).entryOf(host, port) !== "string"

describe("entries", () => {
  it.each([
    ["registry.example", "registry.example", 443, true],
    ["registry.example", "registry.example", 80, true],
    ["registry.example", "registry.example", 22, false],
    ["registry.example", "a.registry.example", 443, false],
    ["registry.example", "evil-registry.example", 443, false],
    ["registry.example", "registry.example.evil.example", 443, false],
    ["registry.example:8443", "registry.example", 8443, true],
    ["registry.example:8443", "registry.example", 443, false],
    ["REGISTRY.example.", "registry.example", 443, true],
    ["bücher.example", "xn--bcher-kva.example", 443, true],
    ["*.github.com", "api.github.com", 443, true],
    ["*.github.com", "a.b.github.com", 443, true],
    ["*.github.com", "github.com", 443, false],
    ["*.github.com", "evilgithub.com", 443, false],
    ["*.github.com:22", "ssh.github.com", 22, true],
    ["*", "any.example", 443, true],
    ["*", "any.example", 8080, false],
    ["*", "8.8.8.8", 443, false],
    ["*", "2001:db8::1", 443, false],
    ["10.0.0.7:8080", "10.0.0.7", 8080, true],
    ["10.0.0.7:8080", "10.0.0.7", 80, false],
    ["0x0a000007", "10.0.0.7", 443, true],
    ["::1", "::1", 80, true],
    ["[::1]:8080", "::1", 8080, true],
    ["[::ffff:10.0.0.7]", "10.0.0.7", 443, true],
  ])("%s for %s on %i: %s", (entry, host, port, isAllowed) => {
    expect(allows({ allow: [entry] }, host, port)).toBe(isAllowed)
  })

  it.each([
    "https://registry.example",
    "a/b",
    "",
    "a*.example",
    "*.*.example",
    "*.8.8",
    "a.example:0",
    "a.example:70000",
  ])(
    "%j is a mistake, which the error names",
    (entry) =>
      expect(() => compileRules({ allow: [entry] })).toThrow(
        expect.objectContaining({ _tag: "OptionError", option: "allow", message: expect.stringContaining(entry) }),
      ),
  )

  it("names the ports of a host that is allowed on others", () => {
    const rules = compileRules({ allow: ["a.example", "a.example:8443"] })
    expect(rules.entryOf("a.example", 22)).toBe("a.example is allowed on port 443, 80, 8443 only")
    expect(rules.entryOf("b.example", 22)).toBe("b.example is not among the allowed hosts")
  })

  it("refuses an address among private names", () => {
    expect(() => compileRules({ allow: [], privateHosts: ["10.0.0.7"] })).toThrow('write it in "allow"')
  })
})

describe("addresses", () => {
  const refusal = (rules: EgressRules, host: string, address: string): string | undefined => {
    const compiled = compileRules(rules)
    const entry = compiled.entryOf(host, 443)
    if (typeof entry === "string") throw new Error(entry)
    return compiled.addressRefusal(host, entry, [address])
  }
  const closed = ["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "::1", "fd00::1"]
  const neverOpen = [
    "0.0.0.0",
    "169.254.169.254",
    "100.100.100.200",
    "192.0.0.192",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "fd20:ce::254",
    "fd00:42::42",
    "168.63.129.16",
    "ff02::1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
  ]

  it.each([...closed, ...neverOpen])(
    "a name may not have %s",
    (address) =>
      expect(refusal({ allow: ["a.example"] }, "a.example", address)).toContain("not on the public Internet"),
  )

  it.each(closed)(
    "a private name may have %s",
    (address) => expect(refusal({ allow: [], privateHosts: ["a.example"] }, "a.example", address)).toBeUndefined(),
  )

  it.each(neverOpen)(
    "a private name may not have %s",
    (address) =>
      expect(refusal({ allow: [], privateHosts: ["a.example"] }, "a.example", address)).toContain(
        "that is never allowed",
      ),
  )

  it("any name may have a public one", () => {
    expect(refusal({ allow: ["a.example"] }, "a.example", "93.184.216.34")).toBeUndefined()
    expect(refusal({ allow: [], privateHosts: ["a.example"] }, "a.example", "2606:4700::1111")).toBeUndefined()
  })

  it("an address that is named itself is allowed", () => {
    expect(refusal({ allow: ["127.0.0.1"] }, "127.0.0.1", "127.0.0.1")).toBeUndefined()
  })
})
