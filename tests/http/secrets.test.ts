/** Tests that a secret, which a client gives to a command at a server, reaches only the command. */
import { expect, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { draftOwnLease } from "../../src/branch/BranchEntry.ts"
import { draftRequest } from "../../src/branch/BranchDefinition.ts"
import { currentHost } from "../../src/branch/HostIdentity.ts"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { shellRoutes } from "../../src/http/mod.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { ComputeBranch } from "../../src/compute/ComputeBranch.ts"
import type { ShellFault } from "../../src/command/ShellFault.ts"
import { RemoteClient, type RemoteError } from "../../src/client/Client.ts"
import { directory, ended, later, run, start } from "./journaled.ts"
import { serve } from "./serve.ts"
import { post, problemOf, token } from "./support.ts"

const secrets = ["argument-9f27c1", "variable-b04e88", "input-text-5d1a60"]
const [argument = "", variable = "", text = ""] = secrets

/** In the forms in which programs print them. */
const forms = secrets.flatMap((secret) => [secret, btoa(secret).replace(/=+$/, ""), encodeURIComponent(secret)])

const found = (where: string): ReadonlyArray<string> => forms.filter((form) => where.includes(form))

const knows = `[ "$1" = ${argument.slice(0, 4)}"\${1#????}" ] && [ "\${#1}" = ${argument.length} ] && ` +
  `[ "\${#TOKEN}" = ${variable.length} ] && [ "$(wc -c)" -eq ${text.length} ] && echo knows`

/** A command with three secrets; the script is no secret. */
const withSecrets = (script: string, options: ShellExecOptions = {}): ShellExec =>
  ShellExec.make("sh", ["-c", script, "sh", Redacted.make(argument, { label: "key" })], {
    env: { TOKEN: Redacted.make(variable), PLAIN: "plain" },
    input: Redacted.make(text),
    grace: "200 millis",
    ...options,
  })

/** Everything that a server tells its operators. */
const watched = () => {
  const told: Array<string> = []
  const logger = Logger.make(({ cause, fiber, message }) => {
    const annotations = JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))
    told.push(`${JSON.stringify(message)} ${Cause.pretty(cause)} ${annotations}`)
  })
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    },
  })
  return {
    told: () => [
      ...told,
      ...spans.map(({ attributes, status }) =>
        JSON.stringify([...attributes]) +
        (status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : "")
      ),
    ],
    layer: Layer.mergeAll(
      LocalShell.layer,
      Layer.succeed(Logger.CurrentLoggers, new Set([logger])),
      Layer.succeed(References.MinimumLogLevel, "All"),
      Layer.succeed(Tracer.Tracer, tracer),
    ),
  }
}

/** How something fails that must fail. */
const errorOf = (effect: Effect.Effect<unknown, RemoteError | ShellFault>): Promise<RemoteError | ShellFault> =>
  Effect.runPromise(Effect.flip(Effect.andThen(effect, Effect.die(new Error("it did not fail")))))

const filesOf = async (path: string): Promise<string> => {
  const all = await Promise.all((await readdir(path)).map((name) => readFile(join(path, name), "latin1")))
  return all.join("\n")
}

it("reaches the command, and no journal, log, trace, metric or answer", async () => {
  const path = await directory()
  const { layer: watchedLayer, told } = watched()
  const routes = shellRoutes({
    layer: watchedLayer,
    journal: SqliteJournal.layer({ path: join(path, "journal.db") }),
    token,
  })
  later(() => routes.dispose())
  const server = await serve(routes.fetch)
  later(() => server.stop())
  const url = `http://127.0.0.1:${server.port}`
  const client = Effect.runSync(RemoteClient.make({ url, token }))
  const answers: Array<string> = []

  const loud = `${knows}; echo "$1 $TOKEN"; printf %s "$TOKEN" | base64 >&2; exit 3`
  const graced = await Effect.runPromise(
    Stream.runCollect(client.exec(withSecrets(loud, { commandId: "graced" }), { disconnectGrace: 5_000 })),
  )
  const said = graced.flatMap((event) => event._tag === "ShellOutputChunk" ? [event.content] : []).join("")
  expect(said).toContain("knows\n<redacted:key> <redacted>\n")
  expect(graced.at(-1)).toMatchObject({ _tag: "ShellOutput", exitCode: 3 })
  answers.push(JSON.stringify(graced))

  await run(client.detach(withSecrets(`${loud}; sleep 0.2`, { commandId: "detached" })))
  await ended({ client }, "detached")
  expect((await run(client.run(withSecrets(knows, { commandId: "plain" })))).stdout).toBe("knows\n")
  const missing = ShellExec.make("no-such-program", [Redacted.make(argument)], { commandId: "missing" })
  const late = withSecrets("echo $TOKEN; sleep 20", { commandId: "late", timeout: "300 millis" })
  for (const exec of [missing, late]) {
    const fault = await errorOf(Stream.runDrain(client.exec(exec, { disconnectGrace: 5_000 })))
    expect(fault._tag).toBe("ShellFault")
    answers.push(JSON.stringify(fault), String(fault.message))
  }

  const ask = async (at: string, init: RequestInit = {}): Promise<void> => {
    const headers = { authorization: `Bearer ${token}`, ...init.headers }
    answers.push(await (await fetch(`${url}${at}`, { ...init, headers })).text())
  }
  for (const id of ["graced", "detached", "plain", "missing", "late"]) {
    await ask(`/commands/${id}`)
    for (const accept of ["application/x-ndjson", "text/event-stream"]) {
      await ask(`/commands/${id}/events`, { headers: { accept } })
    }
  }
  for (const at of ["/commands", "/metrics", "/openapi.json", "/health"]) await ask(at)
  // Under the same id: another secret is no other command, another command is.
  const marker = { _tag: "Redacted" }
  const again = { command: "no-such-program", arguments: [marker], commandId: "missing" }
  await ask("/exec", post({ ...again, secrets: { arguments: { 0: argument } } }))
  await ask("/exec", post({ ...again, secrets: { arguments: { 0: "another" } } }))
  await ask("/exec", post({ ...again, arguments: [marker, "more"], secrets: { arguments: { 0: argument } } }))
  expect(answers.slice(-3).map((answer) => /"status":(\d+)/.exec(answer)?.[1])).toEqual(["404", "404", "409"])

  await routes.dispose()
  expect(found(answers.join("\n"))).toEqual([])
  expect(found(await filesOf(path))).toEqual([])
  expect(found(told().join("\n"))).toEqual([])
  // It was looked at the right places.
  expect(answers.join("\n")).toContain("<redacted:key>")
  expect(await filesOf(path)).toContain(`"environment":{"PLAIN":"plain","TOKEN":{"_tag":"Redacted"}}`)
  expect(told().join("\n")).toContain("<redacted:key>")
})

it("is gone with its server: its command is lost and is not run again", async () => {
  const path = join(await directory(), "journal.db")
  const exec = withSecrets("echo again", { commandId: "c", onHostLoss: "rerun" })
  const host = { ...await Effect.runPromise(currentHost), processStart: "1" }
  const scope = Effect.runSync(Scope.make())
  await Effect.runPromise(
    Scope.provide(SqliteJournal.make({ path }), scope).pipe(
      Effect.flatMap((journal) =>
        journal.append([draftRequest(ComputeBranch, exec), draftOwnLease(ComputeBranch, exec, host)])
      ),
      Effect.ensuring(Scope.close(scope, Exit.void)),
    ),
  )
  const fixture = await start({ journal: SqliteJournal.layer({ path }) })
  await fixture.routes.start()
  expect(await ended(fixture, "c")).toMatchObject({ state: "faulted", reason: "HostLost", attempts: 1 })
})

it("has a place in the command, or is refused unread", async () => {
  const fixture = await start()
  const marker = { _tag: "Redacted" }
  const command = { command: "sh", arguments: ["-c", marker], environment: { A: marker, B: "b" } }
  const wrongs: ReadonlyArray<readonly [object, string]> = [
    [{ arguments: { 0: text } }, "#/secrets/arguments/0"],
    [{ arguments: { 2: text } }, "#/secrets/arguments/2"],
    [{ arguments: { "01": text } }, "#/secrets/arguments/01"],
    [{ arguments: { length: text } }, "#/secrets/arguments/length"],
    [{ environment: { B: text } }, "#/secrets/environment/B"],
    [{ environment: { C: text } }, "#/secrets/environment/C"],
    [{ environment: { toString: text } }, "#/secrets/environment/toString"],
    [{ input: text }, "#/secrets/input"],
    [{ input: { text } }, "#/secrets/input"],
    [{ arguments: { 1: [text] } }, "#/secrets/arguments/1"],
    [{ environment: text }, "#/secrets/environment"],
    [{ env: { A: text } }, "#/secrets/env"],
  ]
  for (const [given, pointer] of wrongs) {
    const problem = await problemOf(await fixture.ask("/exec", post({ ...command, secrets: given })))
    expect([problem.status, problem.errors?.[0]?.pointer]).toEqual([400, pointer])
    expect(JSON.stringify(problem)).not.toContain(text)
  }
  // A marker alone is no secret, and no command is run with its text.
  const lost = await problemOf(await fixture.ask("/exec", post(command)))
  expect(lost.type).toBe("urn:sluice:fault:InvalidRequest")
  const whole = { arguments: { 1: `printf %s "$A" | wc -c` }, environment: { A: variable } }
  const answer = await (await fixture.ask("/exec", post({ ...command, secrets: whole }))).json()
  expect(answer).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(`^ *${variable.length}\n$`) })
})

it("is not sent unencrypted, unless that is allowed", async () => {
  const exec = withSecrets("true", { commandId: "c" })
  const sent: Array<string> = []
  const client = (url: string, plainSecrets?: boolean) =>
    Effect.runSync(RemoteClient.make({
      url,
      plainSecrets,
      fetch: async (request) => {
        sent.push(await request.text())
        return new Response("", { status: 400 })
      },
    }))
  const outcome = async (url: string, plainSecrets?: boolean): Promise<string> => {
    const { detach, exec: stream, run: whole } = client(url, plainSecrets)
    const graced = Stream.runDrain(stream(exec, { disconnectGrace: 9 }))
    const errors = [await errorOf(whole(exec)), await errorOf(detach(exec)), await errorOf(graced)]
    return errors.map((error) => error.reason._tag).join(" ")
  }
  const refused = "NotAllowed NotAllowed NotAllowed"
  const plain = ["http://build.example/", "http://10.0.0.1/", "http://127.0.0.1.example/", "http://localhost.example/"]
  for (const url of plain) expect([url, await outcome(url)]).toEqual([url, refused])
  expect(sent).toEqual([])
  const open = [
    "https://build.example/",
    "http://127.0.0.1:9/",
    "http://localhost/",
    "http://[::1]/",
    "http://a.localhost/",
  ]
  for (const url of open) expect([url, await outcome(url)]).toEqual([url, "Refused Refused Refused"])
  expect(await outcome("http://build.example/", true)).toBe("Refused Refused Refused")
  expect(sent.length).toBe(3 * (open.length + 1))
  const fault = await Effect.runPromise(Effect.flip(client("http://build.example/").run(exec)))
  expect(fault.message).toBe(
    "exec: sh was not sent as c: it has secrets, and http: to build.example is not encrypted: use https:, or allow it " +
      "with plainSecrets (NOT_ALLOWED)",
  )
  // What is sent has markers in the command, and the secrets once.
  const { secrets: values, ...command } = JSON.parse(sent[0] ?? "")
  expect(values).toEqual({ arguments: { 3: argument }, environment: { TOKEN: variable }, input: text })
  expect(found(JSON.stringify(command))).toEqual([])
})
