import { expect, it } from "@effect/vitest"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { RemoteClient, type RemoteClientOptions, RemoteShell } from "@sluice/shell/remote"
import { serviceLayers } from "@sluice/shell/branch"
import { Journal, JournaledShell, MemoryJournal } from "@sluice/shell/journal"
import { MockSecrets, Secrets, SecretsBranch } from "@sluice/shell/secrets"
import { SqliteJournal } from "@sluice/shell/journal/sqlite"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import { Word } from "../../../src/command/Secret.ts"
import { serve } from "../../http/serve.ts"
import { eventually, pause, settled } from "../../support/eventually.ts"
import { heartbeat } from "../../support/heartbeat.ts"
import { workshop } from "../../support/workshop.ts"
import { on, remote } from "./support.ts"

const sh = (script: string) => ShellExec.make("sh", ["-c", script], { grace: "300 millis" })

const secret = (name: string) => Redacted.make(`secret ${name}`)

const faultOf = (exec: ShellExec) => Effect.flip(Stream.runCollect(Shell.exec(exec)))

it.effect("refuses unknown options: a misspelt token would not be sent", () =>
  Effect.gen(function* () {
    const options: RemoteClientOptions & { readonly tokne: string } = { url: "http://localhost/", tokne: "s3cret" }
    const error = yield* Effect.flip(Effect.scoped(Layer.build(RemoteShell.layer(options))))
    expect(error.message).toBe(`RemoteShell: unknown option "tokne"; did you mean "token"?`)
    const other = yield* Effect.flip(RemoteClient.make(options))
    expect(other.message).toBe(`RemoteClient: unknown option "tokne"; did you mean "token"?`)
  }))

it.live("says what a refused input means as for a refused command, whichever the server answers first", () =>
  Effect.gen(function* () {
    // The request of the command is held until it is aborted.
    const fetch = (request: Request): Promise<Response> =>
      request.url.endsWith("/exec")
        ? new Promise((_, reject) => request.signal.addEventListener("abort", () => reject(request.signal.reason)))
        : Promise.resolve(new Response(null, { status: 401 }))
    const stdin = Stream.succeed(new Uint8Array([104]))
    const fault = yield* Effect.flip(Stream.runCollect(Shell.exec(ShellExec.make("cat"), { stdin }))).pipe(
      Effect.provide(RemoteShell.layer({ url: "http://localhost:1/exec", fetch })),
    )
    expect(fault.message).toContain("; give a token that the server knows")
    expect(fault.reason).toMatchObject({ _tag: "NotAllowed", policy: "token" })
  }))

it.live("reads a token that is a reference for each request, and names it where it is missing", () =>
  Effect.gen(function* () {
    const { url } = yield* remote()
    const sent: Array<string | null> = []
    const fetch = (request: Request): Promise<Response> => {
      sent.push(request.headers.get("authorization"))
      return globalThis.fetch(request)
    }
    const shell = (name: string) => RemoteShell.layer({ url, fetch, token: Secrets.reference(name) })
    const secrets = MockSecrets.layer([{ name: "server", value: "t0ken" }, { name: "wrong", value: "t0k\nen" }])
    const { journaled } = serviceLayers(SecretsBranch, Secrets)
    const entries = yield* Effect.gen(function* () {
      expect(yield* Shell.text(ShellExec.make("echo", ["hi"]))).toBe("hi")
      return JSON.stringify(yield* Journal.read())
    }).pipe(
      Effect.provide(
        shell("server").pipe(
          Layer.provide(Layer.provide(journaled, [secrets, MemoryJournal.layer])),
          JournaledShell.over(MemoryJournal.layer),
        ),
      ),
    )
    expect(sent).toContain("Bearer t0ken")
    expect(entries).toContain('"name":"server"')
    expect(entries).not.toContain("t0ken")

    const fails = (name: string) =>
      Shell.text(ShellExec.make("echo")).pipe(
        Effect.flip,
        Effect.map(({ message }) => message),
        Effect.provide(shell(name).pipe(Layer.provide(secrets))),
      )
    sent.length = 0
    expect(yield* fails("gone")).toContain('there is no token: secret "gone": ')
    const unsendable = yield* fails("wrong")
    expect(unsendable).toContain("cannot be sent")
    expect(unsendable).not.toContain("t0k")
    const without = yield* Effect.flip(Effect.scoped(Layer.build(shell("server"))))
    expect(without.message).toBe(
      "RemoteShell: the token is the secret server, and no Secrets service is provided to read it",
    )
    const client = yield* RemoteClient.make({ url, fetch, token: Secrets.reference("server") })
    expect((yield* Effect.flip(client.health)).message).toContain("the token is a reference to a secret")
    expect(sent).toEqual([])
  }))

it.live("continues after a cut connection, without gaps or duplicates", () =>
  Effect.gen(function* () {
    const server = yield* remote()
    let chunks = 0
    const run = Shell.exec(sh("for i in $(seq 1 300); do echo line $i; sleep 0.005; done; exit 7")).pipe(
      Stream.tap((event) =>
        Effect.sync(() => event._tag === "ShellOutputChunk" && ++chunks % 40 === 0 && server.cut())
      ),
      Stream.runCollect,
    )
    const events = yield* on(server)(run)
    const seqs = events.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.seq] : [])
    expect(seqs).toEqual(seqs.map((_, index) => index))
    const text = events.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : []).join("")
    expect(text).toBe(Array.from({ length: 300 }, (_, index) => `line ${index + 1}\n`).join(""))
    expect(events.at(-1)).toMatchObject({ _tag: "ShellOutput", exitCode: 7 })
    expect(chunks).toBeGreaterThan(40)
  }))

it.live("brings megabytes of ASCII and other text through cuts as they were written", () =>
  Effect.gen(function* () {
    const server = yield* remote()
    const hash = createHash("sha256")
    let length = 0
    let cuts = 0
    // Lines of ASCII, of other alphabets, without an end, and bytes that are no UTF-8 in between.
    const script =
      "seq 1 200000; i=0; while [ $i -lt 40 ]; do seq 1 3000; printf 'gr\\303\\274n \\342\\202\\254\\n\\377\\n'; " +
      "seq -s, 1 4000; i=$((i+1)); done; seq 1 200000"
    const exec = sh(script)
    const seqs = (count: number, separator = "\n") =>
      Array.from({ length: count }, (_, index) => `${index + 1}`).join(separator) + "\n"
    const expected = seqs(200_000) + `${seqs(3_000)}grün €\n\ufffd\n${seqs(4_000, ",")}`.repeat(40) + seqs(200_000)
    const run = Shell.exec(exec).pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => {
          if (event._tag !== "ShellOutputChunk") return
          hash.update(event.content)
          length += event.content.length
          if (cuts < 3 && length > (cuts + 1) * 1_000_000) {
            cuts++
            server.cut()
          }
        })
      ),
    )
    yield* on(server)(run)
    expect([cuts, length]).toEqual([3, expected.length])
    expect(hash.digest("hex")).toBe(createHash("sha256").update(expected).digest("hex"))
  }))

it.live("repeats input that a cut connection has lost, without duplicates", () =>
  Effect.gen(function* () {
    const server = yield* remote()
    const pieces = Array.from({ length: 60 }, (_, index) => `piece ${index + 1}\n`)
    const stdin = Stream.fromIterable(pieces).pipe(
      Stream.tap((piece) => piece.endsWith("0\n") ? Effect.sync(server.cut) : Effect.sleep("2 millis")),
      Stream.map((piece) => new TextEncoder().encode(piece)),
    )
    const events = yield* on(server)(Stream.runCollect(Shell.exec(ShellExec.make("cat"), { stdin })))
    const text = events.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : []).join("")
    expect(text).toBe(pieces.join(""))
  }))

it.live("runs a command once for each run of its stream, under its own id", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const server = yield* remote()
    const exec = ShellExec.make("sh", ["-c", `echo ran >> '${path("log")}'; echo out`], { commandId: "mine" })
    const events = yield* on(server)(Stream.runCollect(Stream.concat(Shell.exec(exec), Shell.exec(exec))))
    expect(events.map(({ commandId }) => commandId)).toEqual(["mine", "mine", "mine", "mine"])
    expect(read("log")).toBe("ran\nran\n")
  }))

it.live("has ended its command when its stream is closed, even before the first answer", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const server = yield* remote()
    for (const [name, script] of [["loud", "echo up; "], ["silent", ""]] as const) {
      const exec = sh(`${script}${heartbeat(path(name))}`)
      const fiber = yield* Effect.forkChild(on(server)(Stream.runDrain(Shell.exec(exec))))
      yield* eventually("it runs", () => size(name) > 3)
      yield* Fiber.interrupt(fiber)
      const ended = size(name)
      yield* pause(200)
      expect([name, size(name)]).toEqual([name, ended])
    }
  }))

it.live("blocks a command whose output is not read", () =>
  Effect.gen(function* () {
    const { path, size } = yield* workshop
    const server = yield* remote()
    const script = `i=0; while [ $i -lt 400 ]; do head -c 65536 /dev/zero | tr '\\0' x; echo; printf . >> '${
      path("progress")
    }'; i=$((i + 1)); done`
    let held: number | undefined
    let length = 0
    const run = Shell.exec(sh(script)).pipe(
      Stream.tap((event) =>
        Effect.gen(function* () {
          if (event._tag !== "ShellOutputChunk") return
          length += event.content.length
          held ??= yield* settled(() => size("progress"), 500)
        })
      ),
      Stream.runDrain,
    )
    yield* on({ url: server.direct })(run)
    // A megabyte in the journal ahead of the reader, and what the sockets hold: some megabytes of 26.
    expect(held).toBeLessThan(200)
    expect(length).toBe(400 * 65_537)
  }))

it.live("sends input beyond the limit of a request", () =>
  Effect.gen(function* () {
    const server = yield* remote()
    const input = new Uint8Array(3_000_000).map((_, index) => index * 7)
    const { stdout } = yield* on(server)(Shell.run(ShellExec.make("sha256sum", [], { input })))
    expect(stdout.split(" ")[0]).toBe(createHash("sha256").update(input).digest("hex"))
  }))

it.live("turns refusals into faults", () =>
  Effect.gen(function* () {
    const server = yield* remote({ maxConcurrency: 1 })
    const refused = yield* on(server, { token: "other" })(faultOf(sh("true")))
    expect(refused).toMatchObject({ reason: { _tag: "NotAllowed", policy: "token" } })
    const named = ShellExec.make("sh", ["-c", "true"], { commandId: "mine" })
    const away = yield* on({ url: "http://127.0.0.1:9/" }, { reconnectTimeout: "100 millis" })(faultOf(named))
    expect(away).toMatchObject({ commandId: "mine", reason: { _tag: "Unknown", code: "EHOSTUNREACH" } })
    expect(away.message).toBe(
      "exec: sh (command mine) has no answer: 127.0.0.1:9 could not be reached for 100ms; " +
        "start its server, or check the url (EHOSTUNREACH)",
    )
    expect(away.exception).toMatch(/^http: POST http:\/\/127\.0\.0\.1:9\/exec \(command mine\): there was no answer: /)
    for (const url of ["nowhere", "ftp://127.0.0.1/", "http://somebody:hunter2@127.0.0.1/"]) {
      const wrong = yield* on({ url })(faultOf(sh("true")))
      expect(wrong.reason).toEqual({ _tag: "InvalidRequest", field: "url", code: "EINVAL" })
      expect(`${wrong.message} ${wrong.exception}`).not.toContain("hunter2")
    }
    const unsendable = yield* on(server, { token: "hunter2\nx" })(faultOf(sh("true")))
    expect(unsendable.reason._tag).toBe("InvalidRequest")
    expect(`${unsendable.message} ${unsendable.exception}`).not.toContain("hunter2")
    const holder = yield* Effect.forkChild(on(server)(Stream.runDrain(Shell.exec(sh("echo in; sleep 20")))))
    yield* pause(300)
    const busy = yield* on(server, { reconnectTimeout: "200 millis" })(faultOf(sh("true")))
    expect(busy.reason).toMatchObject({ _tag: "ResourceExhausted" })
    yield* Fiber.interrupt(holder)
    const missing = yield* on(server)(faultOf(ShellExec.make("no-such-program")))
    expect(missing.reason).toEqual({ _tag: "NotFound", what: "command", path: "no-such-program", code: "ENOENT" })
  }))

it.live("passes secrets to a command, and has markers where it prints them", () =>
  Effect.gen(function* () {
    const { path, read } = yield* workshop
    const server = yield* remote()
    const exec = ShellExec.make("sh", [
      "-c",
      `echo "$1 $TOKEN" > '${path("seen")}'; cat; echo "$1"`,
      "sh",
      secret("one"),
    ], {
      env: { TOKEN: secret("two") },
      input: secret("three"),
      streamOutput: false,
    })
    const { stdout } = yield* on(server)(Shell.run(exec))
    expect(read("seen")).toBe("secret one secret two\n")
    expect(stdout).toBe("<redacted><redacted>\n")
    const known = ShellExec.make("echo", [Schema.decodeUnknownSync(Word)({ _tag: "Redacted" })])
    const lost = yield* on(server)(faultOf(known))
    expect(lost.reason).toMatchObject({ _tag: "InvalidRequest", field: "arguments" })
    // Its own words, as the leaf itself would say them.
    expect(lost.message).toBe((yield* Effect.provide(faultOf(known), LocalShell.layer)).message)
    const plain = yield* on({ url: "http://build.example/" })(faultOf(exec))
    expect(plain.reason).toEqual({ _tag: "NotAllowed", policy: "plainSecrets" })
  }))

it.live("kills a command at once during its grace period", () =>
  Effect.gen(function* () {
    const server = yield* remote()
    const [signal, kill] = [new AbortController(), new AbortController()]
    const script = "trap 'echo told' TERM; echo up; while :; do sleep 0.02; done"
    const exec = ShellExec.make("sh", ["-c", script], { grace: "2 minutes" })
    const options = { signal: signal.signal, kill: kill.signal }
    const run = Stream.unwrap(Effect.map(Shell, (shell) => shell.exec(exec, options))).pipe(
      Stream.tap((event) =>
        Effect.sync(() => {
          if (event._tag !== "ShellOutputChunk") return
          if (event.content.includes("up")) signal.abort()
          if (event.content.includes("told")) kill.abort()
        })
      ),
      Stream.runDrain,
      Effect.flip,
    )
    expect((yield* on(server)(run)).reason).toEqual({ _tag: "Cancelled", by: "signal" })
  }))

it.live("calls onSpawn with the first event, and not for a command that did not start", () =>
  Effect.gen(function* () {
    const server = yield* remote()
    const told: Array<string> = []
    const onSpawn = ({ executable }: { readonly executable: string }): void => void told.push(executable)
    yield* on(server)(Stream.runDrain(Shell.exec(ShellExec.make("sh", ["-c", "echo 1; echo 2"]), { onSpawn })))
    yield* on(server)(Effect.flip(Stream.runDrain(Shell.exec(ShellExec.make("no-such-program"), { onSpawn }))))
    expect(told).toEqual(["sh"])
  }))

it.live("follows no redirection of its server", () =>
  Effect.gen(function* () {
    const came: Array<string> = []
    const listening = (answer: (request: Request) => Response) =>
      Effect.acquireRelease(Effect.promise(() => serve(answer)), (one) => Effect.promise(() => one.stop()))
    const other = yield* listening((request) => {
      came.push(request.url)
      return new Response("")
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const location = `http://127.0.0.1:${other.port}/exec`
      const leading = yield* listening(() => new Response(null, { status, headers: { location } }))
      const exec = ShellExec.make("cat", [], { input: secret("one") })
      const fault = yield* on({ url: `http://127.0.0.1:${leading.port}/` })(faultOf(exec))
      expect(fault.message).toContain(`a redirection to ${location}, which is not followed`)
    }
    expect(came).toEqual([])
  }))

it.live("fails with HostLost if the server does not come back", () =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const server = yield* Scope.provide(remote(), scope)
    const exec = ShellExec.make("sh", ["-c", "echo up; sleep 20"], { commandId: "lost", grace: "100 millis" })
    const fiber = yield* Effect.forkChild(
      on(server, { reconnectTimeout: "300 millis" })(
        Shell.exec(exec).pipe(
          Stream.tap((event) => event._tag === "ShellOutputChunk" ? Scope.close(scope, Exit.void) : Effect.void),
          Stream.runCollect,
          Effect.flip,
        ),
      ),
    )
    const fault = yield* Fiber.join(fiber)
    // Either it got the end of its command, or nothing more.
    expect(["Cancelled", "HostLost"]).toContain(fault.reason._tag)
    expect(fault.commandId).toBe("lost")
  }))

it.live("continues after a restart of the server, up to the end of the command", () =>
  Effect.gen(function* () {
    const { path } = yield* workshop
    const journal = () => SqliteJournal.layer({ path: path("journal.db") })
    const first = yield* Scope.make()
    let server = yield* Scope.provide(remote({ journal: journal() }), first)
    // The address of the client stays; the server behind it is another one.
    const toServer = (request: Request): Promise<Response> => {
      const { pathname, search } = new URL(request.url)
      return fetch(new Request(new URL(pathname + search, server.url), request))
    }
    const events = yield* on({ url: "http://the.server/" }, { fetch: toServer, reconnectTimeout: "20 seconds" })(
      Shell.exec(sh("for i in 1 2 3; do echo $i; done; sleep 20")).pipe(
        Stream.tap((event) =>
          event._tag !== "ShellOutputChunk" || !event.content.includes("3")
            ? Effect.void
            : Effect.forkDetach(Effect.gen(function* () {
              yield* Scope.close(first, Exit.void)
              server = yield* Scope.provide(remote({ journal: journal() }), yield* Effect.scope)
            }))
        ),
        Stream.runCollect,
        Effect.flip,
      ),
    )
    expect(events.reason._tag).toBe("Cancelled")
  }))
