import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { serviceLayers } from "../../src/branch/mod.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { MockSecrets, ReplaySecrets, Secrets, SecretsBranch } from "../../src/secrets/mod.ts"

it("answers by name and field, a number of times, and checks the expected requests", async () => {
  const mock = MockSecrets.make([
    { name: "github", field: "token", value: "a" },
    { name: "github", value: "b", times: 1 },
    { name: "prod/**", fault: "Denied", expected: true },
  ])
  const program = Effect.gen(function* () {
    const [a, b] = [yield* Secrets.get("github", { field: "token" }), yield* Secrets.get("github")]
    const faults = [yield* Effect.flip(Secrets.get("github")), yield* Effect.flip(mock.verify)]
    const denied = yield* Effect.flip(Secrets.get("prod/a/b"))
    yield* mock.verify
    return [
      Redacted.value(a),
      Redacted.value(b),
      ...faults.map(({ _tag }) => _tag),
      denied.faultKind,
      yield* Secrets.list(),
    ]
  })
  expect(await Effect.runPromise(Effect.provideService(program, Secrets, mock))).toEqual(
    ["a", "b", "SecretFault", "MockScriptError", "Denied", ["github"]],
  )
})

it("neither a daemon nor a replay returns a value, and both say why", async () => {
  const { client, daemon, journaled, once } = serviceLayers(SecretsBranch, Secrets)
  const mock = MockSecrets.layer([{ name: "github", value: "hunter2" }])
  const get = Secrets.get("github")
  const program = Effect.gen(function* () {
    const served = Layer.merge(client, daemon.pipe(Layer.provide(mock)))
    const faults = [yield* Effect.flip(Effect.provide(get, served))]
    expect(Redacted.value(yield* Effect.provide(get, journaled.pipe(Layer.provide(mock))))).toBe("hunter2")
    for (const values of [undefined, {}, { other: Redacted.make("x") }]) {
      faults.push(yield* Effect.flip(Effect.provideServiceEffect(get, Secrets, ReplaySecrets.make(values))))
    }
    const replay = yield* ReplaySecrets.make({ github: Redacted.make("of the test") })
    expect(Redacted.value(yield* Effect.provideService(get, Secrets, replay))).toBe("of the test")
    expect((yield* Effect.flip(Effect.provideService(Secrets.get("npm"), Secrets, replay))).message).toBe(
      'secret "npm": this request was not recorded',
    )
    expect(Redacted.value(yield* Effect.provide(get, once.pipe(Layer.provide(mock))))).toBe("hunter2")
    return { faults, entries: JSON.stringify(yield* Journal.read()) }
  })
  const { entries, faults } = await Effect.runPromise(Effect.scoped(Effect.provide(program, MemoryJournal.layer)))
  for (const fault of faults) {
    expect(fault).toMatchObject({ _tag: "SecretFault", faultKind: "NotRecorded" })
    expect(fault.message).toBe('secret "github": a journal has no values: read secrets in the process that uses them')
  }
  expect(entries).not.toContain("hunter2")
})
