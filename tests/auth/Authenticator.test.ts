import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { Grant } from "../../src/auth/TokenGrant.ts"
import { makeTokens, type Unauthorized } from "../../src/auth/Authenticator.ts"

const nameOf = (found: Grant | Unauthorized): string => found instanceof Grant ? found.name : found.challenge

it("tells whose token it is, and turns away who has none", () => {
  const tokens = makeTokens({
    tokens: [{ name: "a", token: "first" }, { name: "b", token: Redacted.make("second") }],
  })
  expect(nameOf(tokens.find("Bearer first"))).toBe("a")
  expect(nameOf(tokens.find("bearer  second "))).toBe("b")
  for (const none of [undefined, null, "", "Bearer", "first", "Basic first", "Bearer first second"]) {
    expect([none, nameOf(tokens.find(none))]).toEqual([none, `Bearer realm="sluice"`])
  }
  for (const wrong of ["Bearer third", "Bearer firs", "Bearer firstx", "Bearer FIRST"]) {
    expect([wrong, nameOf(tokens.find(wrong))]).toEqual([wrong, `Bearer realm="sluice", error="invalid_token"`])
  }
})

it("has one grant for a token, so that its limits are the same wherever it is asked for", () => {
  const tokens = makeTokens({
    tokens: [{ name: "a", token: "first", maxConcurrent: 1, rate: { requests: 1, per: "10 seconds" } }],
  })
  const [here, there] = [tokens.find("Bearer first"), tokens.find("Bearer first")]
  if (!(here instanceof Grant) || !(there instanceof Grant)) throw new Error("the token is not known")
  const giveBack = here.places.take()
  expect(there.places.take()).toBeUndefined()
  giveBack?.()
  expect(there.places.take()).toBeDefined()
  expect([here.retryAfterSeconds(0), there.retryAfterSeconds(1)]).toEqual([0, 10])
})

it("lets everybody in only when that was said", () => {
  expect(nameOf(makeTokens({ unauthenticated: true }).find(undefined))).toBe("anybody")
  expect(() => Reflect.apply(makeTokens, undefined, [{}])).toThrow(TypeError)
  expect(() => Reflect.apply(makeTokens, undefined, [{ unauthenticated: "yes" }])).toThrow(TypeError)
})

it("takes no token that nobody could send, and none twice", () => {
  for (const token of ["", "with space", "\u00fcmlaut", "line\n"]) {
    expect(() => makeTokens({ token })).toThrow("printable ASCII")
    expect(() => makeTokens({ tokens: [{ name: "a", token: Redacted.make(token) }] })).toThrow(TypeError)
  }
  expect(() => makeTokens({ tokens: [] })).toThrow(TypeError)
  const twice = [{ name: "a", token: "same" }, { name: "b", token: Redacted.make("same") }]
  expect(() => makeTokens({ tokens: twice })).toThrow("two tokens are the same")
})
