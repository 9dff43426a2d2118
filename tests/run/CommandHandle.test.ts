import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { expect, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import {
  $,
  OutputError,
  run,
  Runner,
  secret,
  shell,
  ShellFault,
  type StandardSchema,
  TemplateError,
} from "../../src/run/mod.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-run-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A command that leaves a mark each time it is run. */
const counted = (name: string, output = "x") => shell`echo ran >> ${join(folder, name)}; printf %s ${output}`
const runs = async (name: string): Promise<number> =>
  (await readFile(join(folder, name), "utf8").catch(() => "")).split("\n").length - 1

/** Whether a process lives; one that waits to be reaped does not. */
const isRunning = async (pid: number): Promise<boolean> =>
  (await $`ps -o stat= -p ${pid}`.nothrow().text()).replace(/^\s*(Z.*)?$/, "") !== ""

it("starts nothing before it is awaited or read", async () => {
  const command = counted("lazy")
  void command.command
  void command.pid
  expect(await runs("lazy")).toBe(0)
  await command
  expect(await runs("lazy")).toBe(1)
})

it("runs once, however often and however its output is taken", async () => {
  const command = counted("once", "a\nb\n")
  const [result, text, bytes, buffer] = await Promise.all([
    command,
    command.text(),
    command.bytes(),
    command.arrayBuffer(),
  ])
  expect([result.stdout, text, bytes.length, buffer.byteLength]).toEqual(["a\nb\n", "a\nb", 4, 4])
  expect(await command.nothrow().text()).toBe("a\nb")
  const lines: Array<string> = []
  for await (const line of command) lines.push(line)
  expect(lines).toEqual(["a", "b"])
  expect(await new Response(command.stream()).text()).toBe("a\nb\n")
  expect(await runs("once")).toBe(1)
})

it("returns bytes as they were written, also if they are not text", async () => {
  const command = $`printf ${"\\\\377\\\\000"}`
  const raw = run("printf", ["\\377\\000\\200"])
  expect([...await raw.bytes()]).toEqual([255, 0, 128])
  expect([...new Uint8Array(await raw.arrayBuffer())]).toEqual([255, 0, 128])
  expect((await command.bytes()).length).toBeGreaterThan(0)
})

it("does not keep streamed output, and rejects with an explanation", async () => {
  const command = counted("streamed", "a\n")
  for await (const line of command) expect(line).toBe("a")
  await expect(command.text()).rejects.toThrow(/is streamed, and was not kept/)
  await expect(async () => {
    for await (const _ of command);
  }).rejects.toThrow(/streamed already/)
  expect(await command).toMatchObject({ ok: true, stdout: "", stdoutBytes: 2 })
  expect(await runs("streamed")).toBe(1)
})

it("refuses incomplete bytes", async () => {
  const command = run("seq", ["10000"], { maxOutputBytes: 1_000 })
  expect((await command).stdoutBytesOmitted).toBeGreaterThan(0)
  await expect(command.bytes()).rejects.toThrow(/maxOutputBytes/)
})

it("starts at once with start(), and streams its output later", async () => {
  const command = run("sh", ["-c", "echo ready; cat; echo over"], { stdin: "pipe" }).start()
  expect(await command.spawned).toBe(command.pid)
  expect(command.pid).toBeGreaterThan(1)
  const lines = command.lines()[Symbol.asyncIterator]()
  expect(await lines.next()).toEqual({ done: false, value: "ready" })
  const writer = command.stdin.getWriter()
  await writer.write("from here\n")
  expect(await lines.next()).toEqual({ done: false, value: "from here" })
  await writer.close()
  expect(await lines.next()).toEqual({ done: false, value: "over" })
  expect((await lines.next()).done).toBe(true)
  expect((await command.exited).ok).toBe(true)
})

it("reads in the background when it was started and is awaited later", async () => {
  const command = run("sh", ["-c", "seq 50000; exit 4"]).start()
  expect(await command.exited).toMatchObject({ exitCode: 4, ok: false })
  expect(await command.nothrow().text()).toMatch(/^1\n2\n[^]*\n50000$/)
  await expect(command).rejects.toMatchObject({ exitCode: 4 })
})

it("writes to stdin that was taken before the start", async () => {
  const command = $`cat`
  const writer = command.stdin.getWriter()
  const written = (async () => {
    await writer.write("a ")
    await writer.write(new TextEncoder().encode("b"))
    await writer.close()
  })()
  expect(await command.text()).toBe("a b")
  await written
})

it("starts with the first write to stdin", async () => {
  const command = $`cat`
  const writer = command.stdin.getWriter()
  await writer.write("a ")
  await writer.write("b")
  await writer.close()
  expect(await command.text()).toBe("a b")
  const piped = $`cat`.pipe($`tr a-z A-Z`)
  const first = piped.stdin.getWriter()
  await first.write("loud")
  await first.close()
  expect(await piped.text()).toBe("LOUD")
})

it("drops the first write to a command that cannot be started", async () => {
  const command = $`no-such-program-anywhere`
  const writer = command.stdin.getWriter()
  await writer.write("nobody reads this")
  await writer.close()
  await expect(command).rejects.toBeInstanceOf(ShellFault)
})

it("pipes into a template, with the options of its runner", async () => {
  expect(await $`printf ${"b\\na\\n"}`.pipe`sort`.pipe`head -n ${1}`.text()).toBe("a")
  const loud = Runner.make({ env: { WORD: "from the runner" } })
  expect(await loud.$`true`.pipe`printenv WORD`.text()).toBe("from the runner")
  expect(() => $`true`.pipe`ls | wc`).toThrow(TemplateError)
})

/** A schema as zod, valibot and Effect make them. */
const versionSchema: StandardSchema<{ readonly version: number }> = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => {
      const version = Object(value).version
      return typeof version === "number" ? { value: { version } } : {
        issues: [{ message: `Expected a number, got ${JSON.stringify(version)}`, path: ["version", { key: 0 }] }],
      }
    },
  },
}

it("checks JSON by a Standard Schema, or takes a type for it", async () => {
  const { version } = await $`echo ${'{"version": 3, "more": 1}'}`.json(versionSchema)
  expect(version).toBe(3)
  const typed = await $`echo ${'{"a": "b"}'}`.json<{ readonly a: string }>()
  expect(typed.a.length).toBe(1)
  const number = Schema.toStandardSchemaV1(Schema.Struct({ n: Schema.Finite }))
  expect(await $`echo ${'{"n": 4}'}`.json(number)).toEqual({ n: 4 })
  const error = await $`echo ${'{"n": "x"}'}`.json(number).catch((error: unknown) => error)
  expect(error).toMatchObject({ _tag: "OutputError", issues: [{ path: "n" }] })
})

it("refuses a value that is not a Standard Schema before it runs the command", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-schema-"))
  const effect =
    "json: a schema of Effect is not a Standard Schema by itself; write json(Schema.toStandardSchemaV1(schema))"
  const other = (what: string) =>
    `json: the schema must be a Standard Schema, as those of zod, valibot and arktype are, got ${what}`
  const given: ReadonlyArray<readonly [schema: unknown, message: string]> = [
    [Schema.Struct({ n: Schema.Finite }), effect],
    [Schema.Finite, effect],
    [class extends Schema.Class<object>("A")({ n: Schema.Finite }) {}, effect],
    [(value: unknown) => value, other("a function")],
    [null, other("null")],
    [{ "~standard": {} }, other("an object")],
    ["number", other("a string")],
  ]
  for (const [schema, message] of given) {
    const untyped: ReturnType<typeof JSON.parse> = schema
    const error = await $`touch ${join(folder, "ran")}`.json(untyped).catch((error: unknown) => error)
    expect(error).toMatchObject({ _tag: "OptionError", option: "schema", message })
    expect(String(Object(error).stack)).toContain("CommandHandle.test.ts")
  }
  expect(await readdir(folder)).toEqual([])
  await rm(folder, { recursive: true })
})

it("names the command, and no secret, where its stdout is not the expected JSON", async () => {
  const token = secret("hunter2secret", "token")
  const bad = run("sh", ["-c", "echo oops $TOKEN", "some-script"], { env: { TOKEN: token } })
  const error = await bad.json().catch((error: unknown) => error)
  expect(error).toBeInstanceOf(OutputError)
  expect(error).toMatchObject({
    name: "OutputError",
    command: bad.command,
    issues: [],
    message: expect.stringContaining(`the stdout of ${bad.command} is not JSON`),
  })
  expect(`${error} ${JSON.stringify(error)}`).not.toContain("hunter2secret")
  expect(String(Object(error).stack)).toContain("CommandHandle.test.ts")
  const other = run("sh", ["-c", 'printf \'{"version":"%s"}\' $TOKEN'], { env: { TOKEN: token } })
  await expect(other.json(versionSchema)).rejects.toMatchObject({
    _tag: "OutputError",
    issues: [{ path: "version.0", message: 'Expected a number, got "<redacted:token>"' }],
    message: expect.stringMatching(
      /^the stdout of sh -c .* is not as the schema has it: version\.0: Expected a number/,
    ),
  })
})

it("drops writes to stdin after the end of the command", async () => {
  const command = $`true`
  const writer = command.stdin.getWriter()
  await command
  await writer.write("nobody reads this")
  await writer.close()
})

it("has no stdin to write to when the options say another", async () => {
  expect(() => run("cat", [], { input: "x" }).stdin).toThrow(/cannot be written to/)
  const started = $`true`.start()
  expect(() => started.stdin).toThrow(/closed at its start/)
  await started
})

it("signals: SIGTERM ends the tree, others reach the process", async () => {
  const tree = shell("sleep 60 & echo $!; wait").start()
  const child = Number((await tree.lines()[Symbol.asyncIterator]().next()).value)
  expect(tree.kill()).toBe(true)
  expect(await tree.exited).toMatchObject({ ok: false })
  expect(await isRunning(child)).toBe(false)
  const trap = shell("trap 'echo usr1; exit 5' USR1; echo up; while :; do sleep 0.05; done").start()
  const lines = trap.lines()[Symbol.asyncIterator]()
  await lines.next()
  trap.kill("SIGUSR1")
  expect((await lines.next()).value).toBe("usr1")
  expect((await trap.exited).exitCode).toBe(5)
  expect(trap.kill()).toBe(false)
})

it("rejects as failed by the signal that was sent", async () => {
  const command = $`sleep 60`.start()
  await command.spawned
  command.kill("SIGKILL")
  await expect(command).rejects.toMatchObject({ _tag: "ShellExitError", signal: "SIGKILL" })
})

it("rejects `spawned` when no process can be started", async () => {
  await expect($`no-such-program-anywhere`.spawned).rejects.toBeInstanceOf(ShellFault)
})

it("refuses to pipe a command that was started or has another stdin", async () => {
  const started = $`echo a`.start()
  expect(() => started.pipe($`cat`)).toThrow(/was started already/)
  expect(() => $`echo a`.pipe(run("cat", [], { input: "x" }))).toThrow(/give it another stdin/)
  await started
})

it("emits events of both outputs, then the end", async () => {
  const seen = []
  for await (const event of run("sh", ["-c", "echo out; sleep 0.2; echo err >&2"]).events()) {
    seen.push(event._tag === "ShellOutput" ? event.exitCode : `${event.stream}: ${event.content}`)
  }
  expect(seen).toEqual(["stdout: out\n", "stderr: err\n", 0])
})

it("leaves the loop of events, and the command ends", async () => {
  const command = shell("while :; do echo tick; done")
  for await (const _ of command.events()) break
  await expect(command).rejects.toThrow()
})

it("refuses to give away a command whose stdin was taken, which nothing would read", async () => {
  const command = $`cat`
  const writer = command.stdin.getWriter()
  expect(() => command.pipe($`cat`)).toThrow(/the stdin of cat was taken.*take the stdin of the pipeline/)
  expect(() => $`true`.pipe(command)).toThrow(/the stdin of cat was taken/)
  await expect(command.terminal()).rejects.toThrow(/the stdin of cat was taken.*send/)
  await writer.write("x")
  await writer.close()
  expect(await command.text()).toBe("x")
})
