import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { AwsSecrets, Secrets } from "../../src/secrets/mod.ts"
import { secretsContract, stored, unusable } from "./secretsContract.ts"
import { serveAws, type StoreServer } from "./stores.ts"

const keys = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  sessionToken: "FwoGZXIvYXdzEJr-session",
  region: "eu-central-1",
}
const credentials = {
  accessKeyId: keys.accessKeyId,
  secretAccessKey: Redacted.make(keys.secretAccessKey),
  sessionToken: Redacted.make(keys.sessionToken),
}

let aws: StoreServer
beforeAll(async () => {
  const all = Object.entries({ ...stored, ...unusable }).map(([name, value]) => [name, [value]])
  aws = await serveAws(keys, { ...Object.fromEntries(all), "prod/key": ["first", "second"] })
})
afterAll(() => aws.stop())

const layerOf = (more: Partial<AwsSecrets.AwsSecretsOptions> = {}) =>
  AwsSecrets.layer({ region: keys.region, credentials, endpoint: aws.url, timeout: "2 minutes", ...more })
const faultOf = async (...[name, more = {}]: [string, Partial<AwsSecrets.AwsSecretsOptions>?]) => {
  const fault = await Effect.runPromise(Effect.flip(Effect.provide(Secrets.get(name), layerOf(more))))
  expect(`${fault.stack} ${JSON.stringify(fault)}`).not.toMatch(/hunter2|wJalr|FwoGZ/)
  return [fault._tag === "SecretFault" ? fault.faultKind : fault._tag, fault.message]
}

secretsContract("AwsSecrets", () => layerOf(), { hasVersions: true })

it("signs each request, and asks for versions", async () => {
  const program = Effect.all([Secrets.get("prod/key"), Secrets.get("prod/key", { version: "1" })])
  const values = await Effect.runPromise(Effect.provide(program, layerOf()))
  expect(values.map(Redacted.value)).toEqual(["second", "first"])
})

it("lists all pages", async () => {
  aws.requests.length = 0
  const names = await Effect.runPromise(Effect.provide(Secrets.list(), layerOf()))
  expect([names.length, aws.requests.length]).toEqual([6, 3])
})

it("says why there is no value, in words of its own", async () => {
  const { host } = new URL(aws.url)
  expect(await faultOf("denied")).toEqual(["Denied", `secret "denied": ${host} answered 400 AccessDeniedException`])
  expect(await faultOf("later")).toEqual(["Failed", `secret "later": ${host} answered 400`])
  expect((await faultOf("sealed"))[0]).toBe("Unreachable")
  expect((await faultOf("broken"))[0]).toBe("Invalid")
  expect((await faultOf("strange"))[0]).toBe("Invalid")
  expect((await faultOf("redirect"))[0]).toBe("Unreachable")
  expect((await faultOf("hangs", { timeout: "200 millis" }))[0]).toBe("Timeout")
  expect((await faultOf("github", { region: "us-east-1" }))[0]).toBe("Denied")
  const { sessionToken: _token, ...lasting } = credentials
  expect((await faultOf("github", { credentials: lasting }))[0]).toBe("Denied")
  const wrong = { ...credentials, secretAccessKey: Redacted.make("hunter2") }
  expect((await faultOf("github", { credentials: Effect.succeed(wrong) }))[0]).toBe("Denied")
  const broken = { ...credentials, sessionToken: Redacted.make("hunter2\r\nx: y") }
  expect((await faultOf("github", { credentials: broken }))[0]).toBe("Denied")
})

it("sends nothing unencrypted to another machine", async () => {
  const made = AwsSecrets.make({ region: "eu-central-1", credentials, endpoint: "http://aws.example.org" })
  expect((await Effect.runPromise(Effect.flip(made))).option).toBe("endpoint")
  expect((await Effect.runPromise(Effect.flip(AwsSecrets.make({ region: "a/b", credentials })))).option).toBe("region")
})
