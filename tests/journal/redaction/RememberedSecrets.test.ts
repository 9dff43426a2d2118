import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createServer } from "node:http"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { serviceLayers } from "@sluice/shell/branch"
import { CachedFetch, Fetch, FetchLeaf, HttpBranch } from "@sluice/shell/fetch"
import { Files, JournaledFileSystem, MemoryFileSystem } from "@sluice/shell/files"
import { Journal, JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { MockSecrets, Secrets, SecretShell } from "@sluice/shell/secrets"
import { RememberedSecrets } from "../../../src/journal/redaction/RememberedSecrets.ts"

const value = "s3cr3t-hunter2/xyz"
const secrets = MockSecrets.layer([{ name: "*", value }])

/** Whether a journal has the value, or a body with it in base64. */
const isLeaked = Effect.map(Journal.read(), (entries) => {
  const text = JSON.stringify(entries)
  return [text.includes(value), text.includes(btoa(`you sent Bearer ${value}`))]
})

it.live("a secret that a command has read is in no later entry: of another command, of a file", () =>
  Effect.gen(function* () {
    const { stdout } = yield* Shell.run(ShellExec.shell("echo $TOKEN", { env: { TOKEN: Secrets.reference("github") } }))
    expect(stdout).toBe(`${value}\n`)
    const again = yield* Shell.run(ShellExec.make("cat", [], { input: stdout }))
    expect(again.stdout).toBe(stdout)
    yield* Files.write("notes.txt", stdout)
    expect(yield* Files.readText("notes.txt")).toBe(stdout)
    expect(yield* isLeaked).toEqual([false, false])
  }).pipe(Effect.provide(
    Layer.mergeAll(
      JournaledShell.layer.pipe(Layer.provide(SecretShell.layer.pipe(Layer.provide([LocalShell.layer, secrets])))),
      JournaledFileSystem.layer.pipe(Layer.provide(MemoryFileSystem.layer)),
    ).pipe(Layer.provideMerge(MemoryJournal.layer)),
  )))

it.live("a credential of the leaf is in no entry, even if a cache answers with a text that repeats it", () =>
  Effect.gen(function* () {
    const server = createServer((asked, answer) => {
      answer.setHeader("cache-control", "max-age=60")
      answer.end(`you sent ${asked.headers.authorization}`)
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
      () => Effect.sync(() => void server.close()),
    )
    const address = server.address()
    const origin = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`
    for (
      const authorization of [
        Secrets.reference("k"),
        Redacted.make(`Bearer ${value}`),
        Effect.succeed(Redacted.make(`Bearer ${value}`)),
      ]
    ) {
      const leaf = FetchLeaf.layer({
        hosts: ["127.0.0.1:*"],
        privateHosts: ["127.0.0.1:*"],
        credentials: { [origin]: { authorization } },
      }).pipe(Layer.provide(secrets))
      const web = serviceLayers(HttpBranch, Fetch).journaled.pipe(
        Layer.provide(CachedFetch.layer.pipe(Layer.provide(leaf))),
        Layer.provideMerge(MemoryJournal.layer),
      )
      const leaked = Effect.gen(function* () {
        expect(yield* Fetch.text(`${origin}/`)).toContain(value)
        expect((yield* Fetch.send(`${origin}/`)).fromCache).toBe(true)
        return yield* isLeaked
      })
      expect(yield* Effect.provide(leaked, web)).toEqual([false, false])
    }
  }))

it("remembers the newest secrets, and none that are too short to search for", () => {
  const remembered = new RememberedSecrets()
  remembered.add({ value: "abc" })
  expect(remembered.redactor).toBe(undefined)
  for (let number = 0; number < 300; number++) remembered.add({ value: `secret-${number}.`, label: "it" })
  expect(remembered.redactor?.text("secret-0. secret-299.")).toBe("secret-0. <redacted:it>")
})
