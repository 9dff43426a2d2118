/** HTTPS to a pinned address: its certificate is verified. */
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFileSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:https"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Fetch, FetchLeaf } from "../../src/fetch/mod.ts"

const hasOpenssl = (() => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

it.runIf(hasOpenssl)("refuses an untrusted certificate, and sends nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-tls-"))
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")]
  execFileSync("openssl", [
    ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"],
    ...["-keyout", key, "-out", certificate, "-subj", "/CN=pinned.example"],
    ...["-addext", "subjectAltName=DNS:pinned.example"],
  ], { stdio: "ignore" })
  const pair = { key: readFileSync(key), cert: readFileSync(certificate) }
  rmSync(folder, { recursive: true })
  let asked = 0
  const server = createServer(pair, (_, response) => {
    asked += 1
    response.end("secret")
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = address === null || typeof address === "string" ? 0 : address.port
  const host = `pinned.example:${port}`
  const leaf = FetchLeaf.layer({ hosts: [host], privateHosts: [host], resolve: () => Promise.resolve(["127.0.0.1"]) })
  const fault = await Effect.runPromise(Effect.provide(Effect.flip(Fetch.text(`https://${host}/`)), leaf))
  expect([fault.faultKind, asked]).toEqual(["Unreachable", 0])
  expect(fault.message).toMatch(/certificate|self.signed|issuer/i)
  server.closeAllConnections()
  server.close()
})
