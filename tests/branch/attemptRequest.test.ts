import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Fetch, MockFetch } from "@sluice/shell/fetch"
import { Git, MockGit } from "@sluice/shell/git"
import { MockSecrets, Secrets } from "@sluice/shell/secrets"

const notText = (value: unknown): string => JSON.parse(JSON.stringify(value))

it.effect.each(
  [
    [
      "git",
      Git.log({ maxCount: -1 }).pipe(Effect.provide(MockGit.layer([]))),
      "git log: maxCount: Expected a value between 1 and 10000",
    ],
    [
      "fetch",
      Fetch.send("https://a.example/", { maxBytes: -1 }).pipe(Effect.provide(MockFetch.layer([]))),
      "GET https://a.example/: maxBytes: Expected a value greater than or equal to 0",
    ],
    [
      "secrets",
      Secrets.get("db", { field: notText(5) }).pipe(Effect.provide(MockSecrets.layer([]))),
      'secret "db": field: Expected string',
    ],
  ] as const,
)("fields that no request of %s can have are its fault", ([, program, message]) =>
  Effect.gen(function* () {
    const fault = yield* Effect.flip<unknown, { readonly faultKind?: string; readonly message: string }, never>(program)
    expect([fault.faultKind, fault.message]).toEqual(["InvalidRequest", expect.stringContaining(message)])
  }))

it.effect("a value that should be redacted is not in the message", () =>
  Effect.gen(function* () {
    const secretHeaders = JSON.parse('{ "authorization": "hunter2" }')
    const fault = yield* Fetch.send("https://a.example/", { secretHeaders }).pipe(Effect.flip)
    expect(fault.faultKind).toBe("InvalidRequest")
    expect(fault.message).not.toContain("hunter2")
  }).pipe(Effect.provide(MockFetch.layer([]))))
