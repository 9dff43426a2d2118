import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { OptionError } from "../../src/base/OptionError.ts"
import { TokenGrant } from "../../src/auth/TokenGrant.ts"
import { makeAuthenticator, type Unauthorized } from "../../src/auth/Authenticator.ts"

const nameOf = (found: TokenGrant | Unauthorized): string => found instanceof TokenGrant ? found.name : found.challenge

it("identifies the token's owner, and rejects a caller without a token", () => {
  const tokens = makeAuthenticator({
    tokens: [{ name: "a", token: "first" }, { name: "b", token: Redacted.make("second") }],
  })
  expect(nameOf(tokens.authenticate("Bearer first"))).toBe("a")
  expect(nameOf(tokens.authenticate("bearer  second "))).toBe("b")
  for (const none of [undefined, null, "", "Bearer", "first", "Basic first", "Bearer first second"]) {
    expect([none, nameOf(tokens.authenticate(none))]).toEqual([none, `Bearer realm="sluice"`])
  }
  for (const wrong of ["Bearer third", "Bearer firs", "Bearer firstx", "Bearer FIRST"]) {
    expect([wrong, nameOf(tokens.authenticate(wrong))]).toEqual([wrong, `Bearer realm="sluice", error="invalid_token"`])
  }
})

it("has one grant per token, whose limits all requests share", () => {
  const tokens = makeAuthenticator({
    tokens: [{ name: "a", token: "first", maxConcurrency: 1, rate: { requests: 1, per: "10 seconds" } }],
  })
  const [here, there] = [tokens.authenticate("Bearer first"), tokens.authenticate("Bearer first")]
  if (!(here instanceof TokenGrant) || !(there instanceof TokenGrant)) throw new Error("the token is not known")
  const giveBack = here.concurrency.tryAcquire()
  expect(there.concurrency.tryAcquire()).toBeUndefined()
  giveBack?.()
  expect(there.concurrency.tryAcquire()).toBeDefined()
  expect([here.retryAfterSeconds(0), there.retryAfterSeconds(1)]).toEqual([0, 10])
})

it("allows every caller only if unauthenticated is set", () => {
  expect(nameOf(makeAuthenticator({ unauthenticated: true }).authenticate(undefined))).toBe("anonymous")
  expect(() => Reflect.apply(makeAuthenticator, undefined, [{}])).toThrow(OptionError)
  expect(() => Reflect.apply(makeAuthenticator, undefined, [{ unauthenticated: "yes" }])).toThrow(OptionError)
})

it("refuses tokens that cannot be sent, and equal ones", () => {
  for (const token of ["", "with space", "\u00fcmlaut", "line\n"]) {
    expect(() => makeAuthenticator({ token })).toThrow("printable ASCII")
    expect(() => makeAuthenticator({ tokens: [{ name: "a", token: Redacted.make(token) }] })).toThrow(OptionError)
  }
  expect(() => makeAuthenticator({ tokens: [] })).toThrow(OptionError)
  const twice = [{ name: "a", token: "same" }, { name: "b", token: Redacted.make("same") }]
  expect(() => makeAuthenticator({ tokens: twice })).toThrow("two tokens are the same")
})

it("gives a token without rights those of its routes, but not files or approvals next to commands", () => {
  const rightsOf = (...[access, defaults]: Parameters<typeof makeAuthenticator>): string => {
    const grant = makeAuthenticator(access, defaults).authenticate("Bearer a")
    return grant instanceof TokenGrant ? [...grant.rights].join(" ") : "unknown"
  }
  const all = "read run cancel files:read files:write approve"
  expect(rightsOf({ tokens: [{ name: "a", token: "a" }] })).toBe("read run cancel")
  expect(rightsOf({ tokens: [{ name: "a", token: "a", rights: undefined }] }, ["approve"])).toBe("approve")
  expect(rightsOf({ tokens: [{ name: "a", token: "a", rights: [] }] }, ["approve"])).toBe("")
  expect(rightsOf({ token: "a" })).toBe(all)
  expect(rightsOf({ unauthenticated: true })).toBe(all)
})
