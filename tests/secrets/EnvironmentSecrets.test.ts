import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { EnvironmentSecrets, Secrets } from "../../src/secrets/mod.ts"
import { secretsContract, stored, unusable } from "./secretsContract.ts"

const prefixed = Object.fromEntries(
  Object.entries({ ...stored, ...unusable }).map(([name, value]) => [`SECRET_${name}`, value]),
)

secretsContract(
  "EnvironmentSecrets with a prefix",
  () => EnvironmentSecrets.layer({ prefix: "SECRET_", env: { ...prefixed, HOME: "/root" } }),
)

secretsContract("EnvironmentSecrets with names", () => {
  const names = Object.fromEntries(Object.keys({ ...stored, ...unusable }).map((name) => [name, `SECRET_${name}`]))
  return EnvironmentSecrets.layer({ names, env: { ...prefixed, github: "another" } })
})

it("reads the present variables of this process, and removes nothing", async () => {
  const layer = EnvironmentSecrets.layer({ names: { own: "SLUICE_TEST_OWN_SECRET" } })
  const get = Effect.provide(Secrets.get("own"), layer)
  expect((await Effect.runPromise(Effect.flip(get)))._tag).toBe("SecretFault")
  process.env["SLUICE_TEST_OWN_SECRET"] = "hunter2"
  try {
    expect(Redacted.value(await Effect.runPromise(get))).toBe("hunter2")
    expect(process.env["SLUICE_TEST_OWN_SECRET"]).toBe("hunter2")
  } finally {
    delete process.env["SLUICE_TEST_OWN_SECRET"]
  }
})

it("returns no variable that was not named", async () => {
  const layer = EnvironmentSecrets.layer({ prefix: "SECRET_", env: { PATH: "/bin", SECRET_a: "b" } })
  expect(await Effect.runPromise(Effect.provide(Secrets.list(), layer))).toEqual(["a"])
  expect((await Effect.runPromise(Effect.provide(Effect.flip(Secrets.get("PATH")), layer)))._tag).toBe("SecretFault")
  for (const options of [{}, { prefix: "" }, { names: {} }]) {
    const error = await Effect.runPromise(Effect.flip(EnvironmentSecrets.make(options)))
    expect(error.message).toBe("EnvironmentSecrets: name the secrets: prefix, or names")
  }
})
