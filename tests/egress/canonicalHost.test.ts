import { describe, expect, it } from "@effect/vitest"
import { canonicalHost, hostAndPort, isAddress } from "../../src/egress/canonicalHost.ts"

describe("canonicalHost", () => {
  it.each([
    ["registry.example", "registry.example"],
    ["REGISTRY.Example.", "registry.example"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example"],
    ["ｅｘａｍｐｌｅ.org", "example.org"],
    ["_dmarc.example", "_dmarc.example"],
    ["127.0.0.1", "127.0.0.1"],
    ["127.0.0.1.", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["0x7f000001", "127.0.0.1"],
    ["0177.0.0.01", "127.0.0.1"],
    ["[::1]", "::1"],
    ["[0:0:0:0:0:0:0:1]", "::1"],
    ["[::ffff:127.0.0.1]", "127.0.0.1"],
    ["[::FFFF:7f00:1]", "127.0.0.1"],
    ["[2001:DB8::A]", "2001:db8::a"],
  ])("%s is %s", (text, host) => expect(canonicalHost(text)).toBe(host))

  it.each([
    "",
    ".",
    "a..b",
    "a b",
    "a\tb",
    "a\r\nb",
    "a\0.example",
    "user@a.example",
    "a.example@b.example",
    "a.example/",
    "a.example:80",
    "a.example#b",
    "a.example?b",
    "a.example\\b",
    "%31%32%37.0.0.1",
    "1.2.3.4.5",
    "256.1.1.1",
    "0x.example.0x100000000",
    "::1",
    "[fe80::1%eth0]",
    "[fe80::1%25eth0]",
    "[::1",
    "[]",
    "[127.0.0.1]",
    "a。b",
    "a\u200db.example",
    "a\u00adb.example",
    `${"a".repeat(64)}.example`,
    `${"a.".repeat(127)}example`,
  ])("%j is not a host", (text) => expect(canonicalHost(text)).toBeUndefined())

  it("distinguishes addresses from names", () => {
    expect(["127.0.0.1", "::1"].every(isAddress)).toBe(true)
    expect(["a.example", "localhost", "1.2.3.example"].some(isAddress)).toBe(false)
  })

  it("puts brackets around an IPv6 address with a port", () => {
    expect([hostAndPort("::1", 80), hostAndPort("a.example", 443)]).toEqual(["[::1]:80", "a.example:443"])
  })
})
