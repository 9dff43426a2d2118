/** References in commands: who sees the value, and who must not. */
import { describe, expect, it } from "@effect/vitest"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { ShellExec } from "../../src/command/ShellExec.ts"
import type { ShellFault } from "../../src/command/ShellFault.ts"
import * as DaemonShell from "../../src/compute/DaemonShell.ts"
import * as JournaledShell from "../../src/compute/JournaledShell.ts"
import * as ShellDaemon from "../../src/compute/ShellDaemon.ts"
import { Journal, MemoryJournal } from "../../src/journal/Journal.ts"
import { NdjsonJournal } from "../../src/journal/ndjson.ts"
import { SqliteJournal } from "../../src/journal/sqlite.ts"
import * as KernelShell from "../../src/leaves/kernel/KernelShell.ts"
import { LocalShell } from "../../src/leaves/local/LocalShell.ts"
import { AccessPolicy } from "../../src/policy/mod.ts"
import { CommandSecrets, EnvironmentSecrets, MockSecrets, Secrets, SecretShell } from "../../src/secrets/mod.ts"
import { serviceLayers } from "../../src/branch/mod.ts"
import { SecretsBranch } from "../../src/secrets/mod.ts"
import { Shell } from "../../src/shell/Shell.ts"
import { on, remote } from "../leaves/remote/support.ts"

const value = "hunter2-9f27c1-ä"
const forms = [value, btoa("hunter2-9f27c1").slice(0, 16), encodeURIComponent(value)]
const held = (text: string): ReadonlyArray<string> => forms.filter((form) => text.includes(form))

const secrets = EnvironmentSecrets.layer({
  names: { github: "GH", npm: "NPM", db: "DB" },
  env: { GH: value, NPM: "npm-5d1a60", DB: `{"password":"pass-b04e88"}` },
})
const github = Secrets.reference("github")
const leaf = LocalShell.layer
const local = SecretShell.layer.pipe(Layer.provide([leaf, secrets]))

const run = <A, E, F>(program: Effect.Effect<A, E, Shell>, layer: Layer.Layer<Shell, F>): Promise<A> =>
  Effect.runPromise(Effect.provide(program, layer))

/** Prints what it was given, in the forms in which programs do. */
const printing = ShellExec.make(
  "sh",
  ["-c", `echo "$TOKEN"; echo "$1" >&2; cat; printf %s "$TOKEN" | base64; printf '%.9s' "$TOKEN"; sleep 0.1; echo done`]
    .concat("sh"),
  { env: { TOKEN: github }, input: github },
)
const given = ShellExec.make("sh", [...printing.arguments, github], { env: { TOKEN: github }, input: github })

describe("the command", () => {
  it("gets the values of its arguments, its variables and its input", async () => {
    const { stderr, stdout } = await run(Shell.run(given), local)
    expect(stdout.split("\n").slice(0, 2)).toEqual([value, `${value}${btoa(unescape(encodeURIComponent(value)))}`])
    expect(stderr).toBe(`${value}\n`)
  })

  it("gets a field, and each secret in its place", async () => {
    const env = { A: Secrets.reference("db", "password"), B: Secrets.reference("npm"), C: "secret:github" }
    const text = await run(Shell.text(ShellExec.make("sh", ["-c", "echo $A $B $C"], { env })), local)
    expect(text).toBe("pass-b04e88 npm-5d1a60 secret:github")
  })

  it("gets only the secrets that it names, and so do concurrent commands", async () => {
    const program = Effect.all([
      Shell.text(given),
      Shell.text(ShellExec.make("env")),
      Shell.text(ShellExec.make("env", [], { env: { B: Secrets.reference("npm") } })),
    ], { concurrency: "unbounded" })
    const [, other, named] = await run(program, local)
    expect([held(other), held(named), named.includes("npm-5d1a60")]).toEqual([[], [], true])
  })

  it("runs with the value in the kernel, and in its portable scripts", async () => {
    const kernel = SecretShell.layer.pipe(Layer.provide([KernelShell.layer, secrets]))
    const script = ShellExec.shell(`printf '%s' "$TOKEN" | wc -c`, { shell: "portable", env: { TOKEN: github } })
    for (const layer of [kernel, local]) expect((await run(Shell.text(script), layer)).trim()).toBe("17")
  })

  it("is not started where a secret cannot be read, and the fault says which and why", async () => {
    const faultOf = (name: string, layer = local) =>
      run(Effect.flip(Shell.run(ShellExec.make("touch", ["never"], { env: { A: Secrets.reference(name) } }))), layer)
    expect((await faultOf("none")).message).toBe(
      'exec: touch was not started: secret "none": the store has none',
    )
    const denying = MockSecrets.layer([{ name: "*", fault: "Denied" }])
    const denied = await faultOf("github", SecretShell.layer.pipe(Layer.provide([leaf, denying])))
    expect(denied.reason).toEqual({ _tag: "NotAllowed", policy: "secrets" })
    expect((await faultOf("a b")).reason).toMatchObject({ _tag: "InvalidRequest" })
  })

  it("is refused by a leaf that reads no secrets, and by a shell that may not give it this one", async () => {
    const fault = await run(Effect.flip(Shell.run(given)), leaf)
    expect(fault.message).toContain(
      "refers to a secret, which this shell does not read: put SecretShell around the leaf",
    )
    const guarded = SecretShell.layerWith({ allow: (name, { command }) => name === "npm" || command === "gh" })
    const layer = guarded.pipe(Layer.provide([leaf, secrets]))
    expect((await run(Effect.flip(Shell.run(given)), layer)).reason._tag).toBe("NotAllowed")
    const npm = ShellExec.make("printenv", ["A"], { env: { A: Secrets.reference("npm") } })
    expect(await run(Shell.text(npm), layer)).toBe("npm-5d1a60")
  })

  it("reads each secret once, however often it is named, and each of many commands for itself", async () => {
    const folder = mkdtempSync(join(tmpdir(), "sluice-secrets-"))
    const witness = join(folder, "witness")
    const layer = SecretShell.layer.pipe(
      Layer.provide(CommandSecrets.layer({
        command: ({ name }) => ShellExec.make("sh", ["-c", `echo ${name} >> ${witness}; echo value-of-${name}`]),
      })),
      Layer.provide(leaf),
    )
    const exec = (at: number) =>
      ShellExec.make("sh", ["-c", `echo $A $B ${at} "$1"`, "sh", github], { env: { A: github, B: github } })
    try {
      writeFileSync(witness, "")
      const all = Effect.forEach(Array.from({ length: 30 }, (_, at) => at), (at) => Shell.text(exec(at)), {
        concurrency: "unbounded",
      })
      const token = "value-of-github"
      expect(await run(all, layer)).toEqual(Array.from({ length: 30 }, (_, at) => `${token} ${token} ${at} ${token}`))
      expect(readFileSync(witness, "utf8")).toBe("github\n".repeat(30))
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe("recordings", () => {
  const stores = {
    SQLite: (folder: string) => SqliteJournal.layer({ path: join(folder, "journal.db") }),
    NDJSON: (folder: string) => NdjsonJournal.layer({ path: join(folder, "journal.ndjson") }),
  }
  for (const [name, layerOf] of Object.entries(stores)) {
    it(`${name}: the files of a journal have the reference, and no value in any form`, async () => {
      const folder = mkdtempSync(join(tmpdir(), "sluice-secrets-"))
      try {
        const program = Effect.gen(function* () {
          const readers = serviceLayers(SecretsBranch, Secrets).journaled.pipe(Layer.provide(secrets))
          const shell = JournaledShell.layer.pipe(
            Layer.provide(
              AccessPolicy.guard(AccessPolicy.make({ allowedCommands: ["sh", "base64", "sleep", "cat"] }))(
                SecretShell.layer.pipe(Layer.provide([leaf, readers])),
              ),
            ),
          )
          const runs = Effect.all([
            Stream.runDrain(Shell.exec(ShellExec.with(given, { commandId: "text" }))),
            Stream.runDrain(Shell.bytes(ShellExec.with(given, { commandId: "bytes" }))),
            Effect.flip(Shell.run(ShellExec.make("sh", ["-c", "echo"], { env: { A: Secrets.reference("none") } }))),
            Effect.flip(Shell.run(ShellExec.make("rm", [github]))),
          ], { concurrency: 2 })
          const [, , fault] = yield* Effect.provide(runs, shell)
          expect(held(JSON.stringify(fault))).toEqual([])
          return yield* Journal.read()
        })
        const entries = await Effect.runPromise(Effect.provide(program, layerOf(folder)))
        const exec = entries.find(({ correlationId, tag }) => correlationId === "text" && tag === "ShellExec")
        expect(exec?.body).toMatchObject({
          environment: { TOKEN: { _tag: "Redacted", label: "secret:github" } },
          input: { _tag: "Redacted", label: "secret:github" },
        })
        const output = JSON.stringify(entries.filter(({ tag }) => tag === "ShellOutputChunks"))
        expect(output).toContain("<redacted:secret:github>")
        expect(output).toContain("done")
        // Which secret, for which command.
        const asked = entries.find(({ tag }) => tag === "SecretGet")?.body
        expect(asked).toMatchObject({
          name: "github",
          purpose: "sh",
          commandId: expect.stringMatching(/^(text|bytes)$/),
        })
        expect(entries.filter(({ tag }) => tag === "SecretGiven").length).toBe(2)
        const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file), "latin1")).join("")
        expect(bytes.length).toBeGreaterThan(1_000)
        for (const form of ["hunter2-9f2", ...forms.slice(1)]) expect(bytes.includes(form)).toBe(false)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })
  }

  it("each of two journals around the shell leaves the value out", async () => {
    const program = Effect.gen(function* () {
      const [inner, outer] = [yield* MemoryJournal.make(), yield* MemoryJournal.make()]
      const over = (journal: typeof inner) =>
        Layer.fresh(JournaledShell.layer).pipe(Layer.provide(Layer.succeed(Journal, journal)))
      const shell = over(outer).pipe(Layer.provide(over(inner)), Layer.provide(local))
      yield* Effect.provide(Shell.run(given), shell)
      return [yield* inner.read(), yield* outer.read()].map((entries) => JSON.stringify(entries))
    })
    for (const entries of await Effect.runPromise(Effect.scoped(program))) {
      expect([entries.includes("<redacted:secret:github>"), held(entries)]).toEqual([true, []])
    }
  })

  it("logs, spans and faults have the reference", async () => {
    const told: Array<string> = []
    const logger = Logger.make(({ cause, fiber, message }) => {
      told.push(JSON.stringify([message, Cause.pretty(cause), fiber.getRef(References.CurrentLogAnnotations)]))
    })
    const collector: typeof globalThis.fetch = Object.assign(
      async (input: RequestInfo | URL, init?: RequestInit) => {
        told.push(await new Request(input, init).text())
        return new Response("{}", { headers: { "content-type": "application/json" } })
      },
      { preconnect: () => {} },
    )
    const telemetry = OtlpTracer.layer({ url: "http://localhost:4318/v1/traces", resource: { serviceName: "s" } }).pipe(
      Layer.provide(OtlpSerialization.layerJson),
      Layer.provide(FetchHttpClient.layer),
      Layer.provide(Layer.succeed(FetchHttpClient.Fetch, collector)),
    )
    const missing = ShellExec.make("no-such-program", [github], { env: { TOKEN: github } })
    const slow = ShellExec.with(given, { timeout: "50 millis" })
    const journaled = JournaledShell.layer.pipe(Layer.provide(local))
    const exits = await Effect.runPromise(
      Effect.all([missing, slow, given].map((exec) => Effect.exit(Stream.runDrain(Shell.exec(exec))))).pipe(
        Effect.withSpan("build"),
        Effect.provide(journaled),
        Effect.provide([telemetry, MemoryJournal.layer, Logger.layer([logger])]),
        Effect.provideService(References.MinimumLogLevel, "All"),
      ),
    )
    expect(told.join("")).toContain(`"name":"Shell.exec"`)
    expect(told.join("")).toContain("<redacted:secret:github>")
    expect(held(told.join(""))).toEqual([])
    const faults = exits.flatMap((exit) => Exit.isFailure(exit) ? [Cause.pretty(exit.cause)] : [])
    expect([faults.length, held(faults.join(""))]).toEqual([2, []])
  })

  it("a command encodes to its references, and is the same when it is decoded", () => {
    const encoded = JSON.parse(JSON.stringify(Schema.encodeSync(ShellExec)(given)))
    expect(encoded.environment).toEqual({ TOKEN: { _tag: "Redacted", label: "secret:github" } })
    const again = JSON.parse(JSON.stringify(Schema.encodeSync(ShellExec)(Schema.decodeUnknownSync(ShellExec)(encoded))))
    expect(again).toEqual(encoded)
  })
})

describe("policies", () => {
  const guarded = (allowedCommands: ReadonlyArray<string>) =>
    AccessPolicy.guard(AccessPolicy.make({ allowedCommands }))(local)

  it("see the reference: a secret is no script and no program that they allow", async () => {
    const names = await run(Shell.text(ShellExec.make("echo", [github])), guarded(["echo"]))
    expect(names).toBe(value)
    for (const exec of [ShellExec.make("env", [github]), ShellExec.make("timeout", ["5", "sh", "-c", github])]) {
      const fault = await run(Effect.flip(Shell.run(exec)), guarded(["env", "echo", "timeout"]))
      expect([fault.reason._tag, held(JSON.stringify(fault))]).toEqual(["NotAllowed", []])
    }
  })

  it("a script behind a policy passes the secret on to programs, and has the reference itself", async () => {
    const script = ShellExec.shell(`echo "$TOKEN"; printenv TOKEN; printenv TOKEN | wc -c; echo 'secret:npm'`, {
      env: { TOKEN: github },
    })
    const program = Effect.gen(function* () {
      const text = yield* Effect.provide(
        Shell.text(script),
        JournaledShell.layer.pipe(Layer.provide(guarded(["printenv", "echo", "wc"]))),
      )
      return { text, entries: JSON.stringify(yield* Journal.read()) }
    })
    const { entries, text } = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
    expect(text.split(/\s+/)).toEqual(["secret:github", value, "18", "secret:npm"])
    expect([held(entries), entries.includes("<redacted:secret:github>")]).toEqual([[], true])
  })
})

describe("other machines", () => {
  it("a daemon resolves the references of a journal, which has no value", async () => {
    const layer = Layer.merge(DaemonShell.layer, ShellDaemon.layer.pipe(Layer.provide(local)))
    const program = Effect.gen(function* () {
      const { stdout } = yield* Effect.provide(Shell.run(given), layer)
      return { stdout, entries: JSON.stringify(yield* Journal.read()) }
    })
    const { entries, stdout } = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
    // Its output is in the journal alone.
    expect(stdout.split("\n")[0]).toBe("<redacted:secret:github>")
    expect([held(entries), held(stdout), stdout.includes("done")]).toEqual([[], [], true])
  })

  it("the value of a client that resolves does not go through a journal", async () => {
    const layer = SecretShell.layer.pipe(Layer.provide([DaemonShell.layer, secrets]))
    const program = Effect.flip(Effect.provide(Shell.run(given), layer))
    const fault = await Effect.runPromise(Effect.provide(program, MemoryJournal.layer))
    expect(fault).toMatchObject({ _tag: "ShellFault", reason: { _tag: "InvalidRequest" } })
    expect([fault.message.includes("cannot be requested through a journal"), held(JSON.stringify(fault))]).toEqual([
      true,
      [],
    ])
  })

  it("a server is given the value by the client that resolves it, and refuses a reference", async () => {
    const program = Effect.gen(function* () {
      const server = yield* remote()
      const shell = SecretShell.make(yield* on(server)(Shell), yield* Secrets)
      const fault = yield* Effect.flip(on(server)(Shell.run(ShellExec.with(given, {}))))
      return { text: (yield* Effect.provideService(Shell.run(given), Shell, shell)).stdout, fault }
    })
    const { fault, text } = await Effect.runPromise(Effect.scoped(Effect.provide(program, secrets)))
    expect(text.split("\n")[0]).toMatch(/hunter2|redacted:secret:github/)
    expect((fault as ShellFault).message).toContain("refers to a secret")
  })
})
