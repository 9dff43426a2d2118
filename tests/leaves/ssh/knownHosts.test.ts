import { describe, expect, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { createHmac } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { hasSshd, newKey } from "../../support/sshd.ts"
import { findKnownKeys, knownName } from "../../../src/leaves/ssh/knownHosts.ts"

const hash = (salt: string, name: string): string =>
  createHmac("sha1", Buffer.from(salt, "base64")).update(name).digest("base64")

const find = (text: string, host: string, port = 22) =>
  findKnownKeys(text, [knownName(host, port)], hash).map(({ key, marker }) =>
    marker === undefined ? key : `${marker} ${key}`
  )

describe("findKnownKeys", () => {
  it("finds a server by its name, in any case, and by its port", () => {
    const text =
      "# a comment\n\nbuild.example,10.0.0.1 ssh-ed25519 AAAA me@home\n[build.example]:2222 ssh-ed25519 BBBB\n"
    expect(find(text, "build.example")).toEqual(["AAAA"])
    expect(find(text, "Build.Example")).toEqual(["AAAA"])
    expect(find(text, "10.0.0.1")).toEqual(["AAAA"])
    expect(find(text, "build.example", 2222)).toEqual(["BBBB"])
    expect(find(text, "build.example", 2223)).toEqual([])
    expect(find(text, "uild.example")).toEqual([])
  })

  it("finds all keys of a server, over several lines and types", () => {
    const text = "a ssh-ed25519 AAAA\na ecdsa-sha2-nistp256 BBBB\r\n\ta ssh-rsa CCCC\n"
    expect(find(text, "a")).toEqual(["AAAA", "BBBB", "CCCC"])
  })

  it("matches patterns, where one with ! excludes the line", () => {
    const text = "*.example,!secret.example ssh-ed25519 AAAA\nhost? ssh-ed25519 BBBB\n[*.example]:2* ssh-ed25519 CCCC\n"
    expect(find(text, "a.example")).toEqual(["AAAA"])
    expect(find(text, "secret.example")).toEqual([])
    expect(find(text, "host1")).toEqual(["BBBB"])
    expect(find(text, "host12")).toEqual([])
    expect(find(text, "a.example", 2222)).toEqual(["CCCC"])
  })

  it("recognizes revoked keys and certificate authorities, and ignores unknown lines", () => {
    const text =
      "@revoked a ssh-ed25519 AAAA\n@cert-authority * ssh-ed25519 BBBB\n@other a ssh-ed25519 CCCC\na ssh-ed25519\n"
    expect(find(text, "a")).toEqual(["revoked AAAA", "cert-authority BBBB"])
  })

  it("takes no time that grows with the stars of a pattern", () => {
    const text = `${"*a".repeat(200)}b ssh-ed25519 AAAA\n`
    expect(find(text, "a".repeat(250))).toEqual([])
  })

  it.runIf(hasSshd)("reads names that ssh-keygen hashed", () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-known-"))
    const file = join(folder, "known_hosts")
    newKey(join(folder, "key"))
    const [keyType, key = ""] = readFileSync(join(folder, "key.pub"), "utf8").split(" ")
    writeFileSync(file, `build.example ${keyType} ${key}\n[build.example]:2222 ${keyType} ${key}\n`)
    execFileSync("ssh-keygen", ["-H", "-f", file], { stdio: "ignore" })
    const text = readFileSync(file, "utf8")
    rmSync(folder, { recursive: true })
    expect(text).toMatch(/^\|1\|[^]*\n\|1\|/)
    expect(text).not.toContain("build")
    expect([find(text, "build.example"), find(text, "build.example", 2222)]).toEqual([[key], [key]])
    expect([find(text, "other.example"), find(text, "build.example", 2223)]).toEqual([[], []])
  })
})
