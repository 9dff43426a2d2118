import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { Secrets, VaultSecrets } from "../../src/secrets/mod.ts"
import { secretsContract, stored, unusable } from "./secretsContract.ts"
import { serveVault, type StoreServer } from "./stores.ts"

const token = "hvs.CAESIJ-token-of-the-test"
const { db: _db, ...texts } = stored

let vault: StoreServer
beforeAll(async () => {
  const all = Object.entries({ ...texts, ...unusable }).map(([name, value]) => [name, [{ value }]] as const)
  vault = await serveVault(token, {
    ...Object.fromEntries(all),
    db: [{ user: "ada", password: "correct horse" }],
    // The contract reads it without a field.
    single: [{ password: "first" }, { password: "second" }],
    deleted: [{ value: "hunter2" }, null],
    number: [{ port: 5432, list: [1] }],
  })
})
afterAll(() => vault.stop())

const layerOf = (more: Partial<VaultSecrets.VaultSecretsOptions> = {}) =>
  VaultSecrets.layer({ url: vault.url, token: Redacted.make(token), mount: "kv", ...more })
const get = (
  ...[name, fields, more]: [...Parameters<typeof Secrets.get>, Partial<VaultSecrets.VaultSecretsOptions>?]
) => Effect.runPromise(Effect.provide(Effect.map(Secrets.get(name, fields), Redacted.value), layerOf(more)))
const faultOf = async (...[name, more = {}]: [string, Partial<VaultSecrets.VaultSecretsOptions>?]) => {
  const fault = await Effect.runPromise(Effect.flip(Effect.provide(Secrets.get(name), layerOf(more))))
  expect(`${fault.stack} ${JSON.stringify(fault)}`).not.toMatch(/hunter2|CAESIJ/)
  return [fault._tag === "SecretFault" ? fault.faultKind : fault._tag, fault.message]
}

secretsContract("VaultSecrets", () => layerOf(), { hasVersions: true, areObjects: true })

it("sends the token, the namespace and the version as Vault expects them", async () => {
  vault.requests.length = 0
  expect(await get("single", {}, { namespace: "team/a", url: `${vault.url}/` })).toBe("second")
  expect(await get("single", { version: "1" })).toBe("first")
  expect(await get("number", { field: "port" })).toBe("5432")
  expect(vault.requests).toEqual([
    "GET /v1/kv/data/single",
    "GET /v1/kv/data/single?version=1",
    "GET /v1/kv/data/number",
  ])
})

it("asks for a token at each request", async () => {
  let count = 0
  const renewed = Effect.sync(() => Redacted.make(++count === 1 ? "expired" : token))
  const program = Effect.all([Effect.flip(Secrets.get("github")), Secrets.get("github")])
  const [fault, value] = await Effect.runPromise(Effect.provide(program, layerOf({ token: renewed })))
  expect([fault.faultKind, Redacted.value(value)]).toEqual(["Denied", stored.github])
  expect(await faultOf("github", { token: Effect.fail("hunter2") })).toEqual([
    "Denied",
    'secret "github": there are no credentials: their Effect failed',
  ])
})

it("says why there is no value, in words of its own", async () => {
  const { host } = new URL(vault.url)
  expect(await faultOf("deleted")).toEqual(["NotFound", 'secret "deleted": the store has none'])
  expect(await faultOf("db")).toEqual(["InvalidRequest", 'secret "db": it has several fields: select one'])
  expect(await faultOf("sealed")).toEqual(["Unreachable", `secret "sealed": ${host} answered 503`])
  expect(await faultOf("busy")).toEqual(["Unreachable", `secret "busy": ${host} answered 429`])
  expect(await faultOf("broken")).toEqual(["Invalid", 'secret "broken": it is not JSON'])
  expect((await faultOf("strange"))[0]).toBe("Invalid")
  expect((await faultOf("huge"))[0]).toBe("TooLarge")
  expect((await faultOf("hangs", { timeout: "200 millis" }))[0]).toBe("Timeout")
  expect((await faultOf("github", { token: Redacted.make("hunter2") }))[0]).toBe("Denied")
  expect((await faultOf("github", { token: Redacted.make("hunter2\r\nx: y") }))[0]).toBe("Denied")
  expect((await faultOf("github", { url: "http://127.0.0.1:1" }))[1]).toContain(
    "127.0.0.1:1 did not answer (ECONNREFUSED)",
  )
})

it("follows no redirect with its token", async () => {
  vault.requests.length = 0
  expect((await faultOf("redirect"))[0]).toBe("Unreachable")
  expect(vault.requests).toEqual(["GET /v1/kv/data/redirect"])
})

it("sends nothing unencrypted to another machine, and takes no token that is plain", async () => {
  const token = Redacted.make("hvs.x")
  for (
    const url of ["http://vault.example.org:8200", "http://10.0.0.1", "ftp://x", "x", "https://a:b@c", "https://a/?b"]
  ) {
    const error = await Effect.runPromise(Effect.flip(VaultSecrets.make({ url, token })))
    expect(error.option).toBe("url")
  }
  const plain: object = { url: vault.url, token: "hvs.CAESIJ" }
  const made = VaultSecrets.make(plain as VaultSecrets.VaultSecretsOptions)
  expect((await Effect.runPromise(Effect.flip(made))).message).toBe(
    "VaultSecrets: token is Redacted, or an Effect that gives it",
  )
})
