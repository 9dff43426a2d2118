import { expect, it } from "@effect/vitest"
import { shellRoutes, type ShellRoutesOptions } from "../../src/http/mod.ts"
import { MockShell } from "../../src/leaves/mock/MockShell.ts"

const make = (options: object): unknown => {
  try {
    return shellRoutes({ layer: MockShell.layer([]), token: "t", ...options } as ShellRoutesOptions)
  } catch (error) {
    return error
  }
}

it("refuses an unknown option, naming the nearest", () => {
  expect(make({ keepalive: "5s" })).toMatchObject({
    _tag: "OptionError",
    option: "keepalive",
    message: `shellRoutes: unknown option "keepalive"; did you mean "keepAlive"?`,
  })
})

it("refuses limits and times out of range, naming the option, the value and the range", () => {
  const wrong: ReadonlyArray<readonly [option: string, value: unknown]> = [
    ...[Number.NaN, 0, -1, "", "soon", "-5s"].map((value) => ["keepAlive", value] as const),
    ...[Number.NaN, 0, -1, "soon"].map((value) => ["bodyTimeout", value] as const),
    ...[Number.NaN, -1, Infinity, "soon"].map((value) => ["retryAfter", value] as const),
    ...["maxBodyBytes", "maxHeaderBytes", "maxConcurrency"].flatMap((name) =>
      [Number.NaN, 0, -1, 1.5, "10"].map((value) => [name, value] as const)
    ),
    ...["maxOutputBytes", "maxAhead"].flatMap((name) => [Number.NaN, -1, 1.5].map((value) => [name, value] as const)),
  ]
  for (const [option, value] of wrong) {
    const error = make({ [option]: value })
    expect([option, value, error]).toEqual([option, value, expect.objectContaining({ _tag: "OptionError", option })])
    expect(error).toMatchObject({ message: expect.stringMatching(/write|whole number/) })
  }
})

it("refuses unknown members, rights and limits of a token", () => {
  for (const [option, member] of Object.entries({ right: ["read"], rights: ["reed"], maxConcurrency: Number.NaN })) {
    const error = make({ token: undefined, tokens: [{ name: "a", token: "a", [option]: member }] })
    expect(error).toMatchObject({ _tag: "OptionError", option })
  }
})

it("takes every option at its bound, and no keep-alive for Infinity", () => {
  const options = { keepAlive: "Infinity", bodyTimeout: "Infinity", retryAfter: 0, maxConcurrency: 1, maxAhead: 0 }
  expect(make(options)).not.toBeInstanceOf(Error)
})
