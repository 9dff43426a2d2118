import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { OptionError } from "../../src/base/OptionError.ts"
import { display, reveal } from "../../src/command/Secret.ts"
import { ShellExec, type ShellExecOptions } from "../../src/command/ShellExec.ts"
import { TemplateError } from "../../src/command/TemplateError.ts"

const encode = Schema.encodeSync(Schema.fromJsonString(ShellExec))
const decode = Schema.decodeUnknownSync(ShellExec)
const overTheWire = (exec: ShellExec): ShellExec => decode(JSON.parse(encode(exec)))

it("is made of a program, its arguments and settings", () => {
  const exec = ShellExec.make("git", ["log"], { timeout: "2 seconds", grace: 100, cwd: "/tmp" })
  expect(exec).toMatchObject({ _tag: "ShellExec", command: "git", arguments: ["log"], workingDirectory: "/tmp" })
  expect(exec.timeout !== undefined && Duration.toMillis(exec.timeout)).toBe(2_000)
  expect(exec.grace !== undefined && Duration.toMillis(exec.grace)).toBe(100)
  expect(exec.streamOutput).toBe(true)
  expect(exec.useShell).toBe(false)
})

it("omits settings that were not given", () => {
  expect(Object.keys(ShellExec.make("ls", [], { timeout: undefined, env: undefined })).sort()).toEqual(
    ["_tag", "arguments", "command", "commandId", "streamOutput", "useShell"],
  )
})

it("gets an id of its own unless it is given one", () => {
  expect(ShellExec.make("ls").commandId).not.toBe(ShellExec.make("ls").commandId)
  expect(ShellExec.make("ls", [], { commandId: "mine" }).commandId).toBe("mine")
})

it("goes through a shell only when it is made so", () => {
  const exec = ShellExec.shell("ls | wc -l", { commandId: "mine" })
  expect(exec).toMatchObject({ command: "ls | wc -l", arguments: [], useShell: true, commandId: "mine" })
})

it("looks like this on the wire", () => {
  const exec = ShellExec.make("tool", ["a", Redacted.make("hunter2", { label: "token" })], {
    commandId: "mine",
    cwd: "/tmp",
    env: { A: "1", B: null, C: Redacted.make("swordfish") },
    extendEnv: false,
    timeout: "1 minute",
    idleTimeout: 1_500,
    grace: "1 second",
    streamOutput: false,
    mergeStreams: true,
    localBin: true,
    encoding: "latin1",
    input: new Uint8Array([0, 255]),
    maxOutputBytes: 10,
    limits: { memoryBytes: 1_024, cpuSeconds: 1 },
    onHostLoss: "rerun",
  })
  expect(JSON.parse(encode(exec))).toEqual({
    _tag: "ShellExec",
    commandId: "mine",
    command: "tool",
    arguments: ["a", { _tag: "Redacted", label: "token" }],
    workingDirectory: "/tmp",
    environment: { A: "1", B: null, C: { _tag: "Redacted" } },
    inheritEnvironment: false,
    timeout: 60_000,
    idleTimeout: 1_500,
    grace: 1_000,
    streamOutput: false,
    useShell: false,
    mergeStreams: true,
    localBin: true,
    encoding: "latin1",
    input: { _tag: "Bytes", base64: "AP8=" },
    maxOutputBytes: 10,
    limits: { memoryBytes: 1_024, cpuSeconds: 1 },
    onHostLoss: "rerun",
  })
})

/**
 * Keys that JSON writes as one escape sequence: once V8 (Node 24, Deno 2.9) has parsed an object with the key `\`, it reads
 * such a key in an object that begins alike as a backslash (`JSON.parse('{"\\\\":1}')`, then `JSON.parse('{"\\n":1}')`).
 */
const isMisread = (key: string): boolean => /^["\\\p{Cc}\p{Cs}]$/u.test(key)

it.prop(
  "decodes to the encoded value",
  {
    command: Schema.String,
    args: Schema.Array(Schema.String),
    environment: Schema.Record(Schema.String, Schema.NullOr(Schema.String)),
    input: Schema.Union([Schema.String, Schema.Uint8Array]),
    millis: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 })),
    flag: Schema.Boolean,
  },
  ({ args, command, environment, flag, input, millis }) => {
    if (Object.keys(environment).some(isMisread)) return
    const options = { env: environment, input, timeout: millis, streamOutput: flag, mergeStreams: !flag }
    const exec = ShellExec.make(command, args, options)
    expect(overTheWire(exec)).toEqual(exec)
  },
)

it("decodes secrets as markers without their values", () => {
  const exec = overTheWire(ShellExec.make("tool", [Redacted.make("hunter2", { label: "token" })]))
  const [word] = exec.arguments
  expect(word === undefined ? word : display(word)).toBe("<redacted:token>")
  expect(word === undefined ? word : reveal(word)).toBeUndefined()
})

it("decodes fields with defaults that are missing", () => {
  const first = decode({ _tag: "ShellExec", command: "ls" })
  expect(first).toMatchObject({ arguments: [], streamOutput: true, useShell: false })
  expect(first.commandId).toMatch(/^[0-9a-f-]{36}$/)
  expect(decode({ _tag: "ShellExec", command: "ls" }).commandId).not.toBe(first.commandId)
})

it("refuses fields of the wrong kind", () => {
  const table: ReadonlyArray<Record<string, unknown>> = [
    { command: 3 },
    { command: "ls", arguments: "a" },
    { command: "ls", arguments: [3] },
    { command: "ls", environment: { A: 3 } },
    { command: "ls", commandId: "" },
    { command: "ls", commandId: "a b" },
    { command: "ls", timeout: "soon" },
    { command: "ls", maxOutputBytes: -1 },
    { command: "ls", maxOutputBytes: 1.5 },
    { command: "ls", limits: { memoryBytes: 0 } },
    { command: "ls", input: 3 },
    { command: "ls", useShell: "no" },
    { command: "ls", onHostLoss: "restart" },
    { arguments: [] },
  ]
  for (const fields of table) expect(() => decode({ _tag: "ShellExec", ...fields })).toThrow()
  expect(() => decode({ _tag: "Other", command: "ls" })).toThrow()
  expect(() => ShellExec.make("ls", [], { maxOutputBytes: -1 })).toThrow()
})

it("names the wrong field and the problem", () => {
  const bad = (options: ShellExecOptions): unknown => {
    try {
      return ShellExec.make("true", [], options)
    } catch (error) {
      return error
    }
  }
  expect(String(bad({ timeout: -1 }))).toMatch(/^OptionError: timeout: -1 is not a duration/)
  for (const timeout of [0, Infinity]) {
    const error = bad({ timeout })
    expect(error).toBeInstanceOf(Schema.SchemaError)
    expect(String(error)).toMatch(/finite time above zero[^]*timeout/)
  }
  expect(String(bad({ maxOutputBytes: 1.5 }))).toMatch(/maxOutputBytes/)
  expect(String(bad({ commandId: "two words" }))).toMatch(/commandId/)
  expect(bad({ grace: 0 })).toBeInstanceOf(ShellExec)
})

describe("with", () => {
  const exec = ShellExec.make("git", ["log", Redacted.make("s3cret")], {
    commandId: "first",
    cwd: "/srv",
    env: { A: "1", B: null },
    extendEnv: false,
    timeout: "5s",
    idleTimeout: "2s",
    grace: 100,
    streamOutput: false,
    mergeStreams: true,
    localBin: true,
    encoding: "utf-16le",
    input: "in",
    maxOutputBytes: 10,
    limits: { cpuSeconds: 3 },
    onHostLoss: "rerun",
  })

  it("changes the given options, keeps every other field, and has an id of its own", () => {
    const { commandId, timeout, ...rest } = ShellExec.with(exec, { timeout: "1m" })
    const { commandId: _id, timeout: _timeout, ...before } = exec
    expect(rest).toEqual(before)
    expect(timeout === undefined ? 0 : Duration.toMillis(timeout)).toBe(60_000)
    expect([commandId === "first", commandId.length]).toEqual([false, 36])
    expect(ShellExec.with({ timeout: "1m" })(exec)).toMatchObject({ ...rest, timeout })
    expect(ShellExec.with(exec, {}).commandId).not.toBe(ShellExec.with(exec, {}).commandId)
  })

  it("takes an id that is given, takes an option away with undefined, and keeps a script a script", () => {
    expect(ShellExec.with(exec, { commandId: "second" }).commandId).toBe("second")
    expect(ShellExec.with(exec, { cwd: undefined, input: undefined })).not.toHaveProperty("workingDirectory")
    expect(ShellExec.with(ShellExec.shell("ls | wc"), { cwd: "/" })).toMatchObject({
      useShell: true,
      command: "ls | wc",
    })
  })

  it("refuses an unknown option and an invalid time span", () => {
    const wrong: Record<string, unknown> = { timeuot: "5s" }
    expect(() => ShellExec.with(exec, wrong)).toThrow(
      'ShellExec.with: unknown option "timeuot"; did you mean "timeout"?',
    )
    const soon: Record<string, unknown> = { timeout: "soon" }
    expect(() => ShellExec.with(exec, soon)).toThrow(OptionError)
  })
})

it("refuses arguments that are not a list: ignoring them would run another command", () => {
  const wrong: ReadonlyArray<never> = JSON.parse('"-rf"')
  expect(() => ShellExec.make("ls", wrong)).toThrow(
    'ShellExec.make: the arguments must be a list, got string: write ["a", "b"]',
  )
})

it("names an argument of the wrong kind", () => {
  const wrong: ReadonlyArray<readonly [args: unknown, message: string]> = [
    [[undefined], "arguments[0] is undefined"],
    [["a", null], "arguments[1] is null"],
    [["a", , "b"], "arguments[1] is undefined"],
    [["a", { secret: "k3y" }], "arguments[1] is an object"],
    [[["a"]], "arguments[0] is a list"],
    [[true], "arguments[0] is a boolean"],
  ]
  for (const [args, message] of wrong) {
    const untyped: ReturnType<typeof JSON.parse> = args
    const make = () => ShellExec.make("echo", untyped)
    expect(make).toThrow(OptionError)
    expect(make).toThrow(`ShellExec.make: ${message}; expected a string, a number or a Redacted`)
  }
})

describe("make as a tag", () => {
  it("makes each value one argument, and each element of a list one", () => {
    const exec = ShellExec.make`git commit --message=${"a | b; $c"} -- ${["x y", "z"]}`
    expect([exec.command, ...exec.arguments]).toEqual(["git", "commit", "--message=a | b; $c", "--", "x y", "z"])
    expect(exec).toMatchObject({ useShell: false, streamOutput: true })
    expect(ShellExec.make`ls`.commandId).not.toBe(ShellExec.make`ls`.commandId)
  })

  it("keeps a secret secret", () => {
    expect(ShellExec.make`login --token=${Redacted.make("hush")}`.arguments.map(String)).toEqual(["<redacted>"])
  })

  it("throws for syntax that needs a shell, and for an invalid value", () => {
    expect(() => ShellExec.make`ls | wc`).toThrow(TemplateError)
    const missing: ReadonlyArray<string> = []
    const [first] = missing
    expect(() => Reflect.apply(ShellExec.make, ShellExec, [Object.assign(["rm ", ""], { raw: ["rm ", ""] }), first]))
      .toThrow("the value after template part 0")
  })
})
