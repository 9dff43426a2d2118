import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { KernelShell, Sandbox } from "@sluice/shell/sandbox"
import { OptionError } from "../../../src/base/OptionError.ts"
import type { SandboxOptions } from "../../../src/kernel/sandbox/SandboxOptions.ts"

/** Options as plain JavaScript may give them. */
const untyped = (options: unknown): SandboxOptions => Object(options)

const errorOf = (options: unknown) => Effect.flip(Effect.scoped(Effect.asVoid(Sandbox.make(untyped(options)))))

const invalid: ReadonlyArray<readonly [limit: string, value: unknown, shown: string]> = [
  ["maxProcesses", -1, "from 0 or Infinity, got -1"],
  ["maxProcesses", NaN, "got NaN"],
  ["maxDescriptors", -1, "from 0 or Infinity, got -1"],
  ["maxPipes", 1.5, "got 1.5"],
  ["maxArgumentBytes", -Infinity, "got -Infinity"],
  ["maxMemoryPages", "64", 'got "64"'],
  ["maxTotalMemoryPages", 2n, "got 2"],
  ["maxWorkers", true, "got true"],
  ["maxSpoolBytes", {}, "got [object Object]"],
  ["maxLineBytes", 0.5, "got 0.5"],
  ["maxOutputBytes", "1 MB", 'got "1 MB"'],
  ["maxTotalFileBytes", NaN, "got NaN"],
  ["maxFiles", -5, "got -5"],
]

for (const [limit, value, shown] of invalid) {
  it.effect(`refuses limits.${limit}: ${String(value)}`, () =>
    Effect.gen(function* () {
      const error = yield* errorOf({ limits: { [limit]: value } })
      expect(error).toBeInstanceOf(OptionError)
      expect(error).toMatchObject({ _tag: "OptionError", option: `limits.${limit}` })
      expect(error.message).toContain(`Sandbox: limits.${limit} must be a whole number from 0`)
      expect(error.message).toContain(shown)
    }))
}

it.effect("refuses a timeout of processes that is not a duration", () =>
  Effect.gen(function* () {
    for (const processTimeout of [-1, NaN, "soon", true]) {
      expect(yield* errorOf({ limits: { processTimeout } })).toMatchObject({ option: "limits.processTimeout" })
    }
  }))

it.effect("refuses limits with another name, and limits that are not an object", () =>
  Effect.gen(function* () {
    expect(yield* errorOf({ limits: { processes: 4 } })).toMatchObject({
      option: "processes",
      message: 'Sandbox: limits: unknown option "processes"; did you mean "maxProcesses"?',
    })
    expect((yield* errorOf({ limits: { outputBytes: 4 } })).message).toContain('did you mean "maxOutputBytes"?')
    expect((yield* errorOf({ limits: 5 })).message).toBe("Sandbox: limits: the options must be an object, got number")
    expect((yield* errorOf({ limits: null })).message).toBe("Sandbox: limits: the options must be an object, got null")
  }))

it.effect("refuses files, volumes, programs and extensions of another type", () =>
  Effect.gen(function* () {
    const cases: ReadonlyArray<readonly [options: object, message: string]> = [
      [
        { files: { "a.txt": 5 } },
        'files["a.txt"]: write text, bytes, a function that returns them, or { content }, got a number',
      ],
      [
        { files: { a: { content: null } } },
        'files["a"]: write text, bytes, a function that returns them, or { content }, got an object',
      ],
      [
        { mounts: { "/x": "/tmp" } },
        'mounts["/x"]: write a volume, such as hostFolder(path) or memory(), got a string',
      ],
      [
        { programs: { lua: "lua.wasm" } },
        'programs["lua"]: write a function, the bytes of a WASI program, or { source }, got a string',
      ],
      [{ extensions: { greet: "hello" } }, 'extensions["greet"]: write a function, got a string'],
      [{ network: ["https://example.org"] }, "network: the options must be an object, got array"],
    ]
    for (const [options, message] of cases) expect((yield* errorOf(options)).message).toContain(message)
  }))

it.effect("refuses a network policy with invalid values", () =>
  Effect.gen(function* () {
    const optionOf = (network: unknown) =>
      Effect.map(errorOf({ network }), (error) => "option" in error && error.option)
    expect(yield* optionOf({ origins: ["example.org"] })).toBe("network.origins")
    expect(yield* optionOf({ origins: ["ftp://example.org"] })).toBe("network.origins")
    expect(yield* optionOf({ origins: [], maxBodyBytes: -1 })).toBe("network.maxBodyBytes")
    expect(yield* optionOf({ origins: [], timeout: "soon" })).toBe("network.timeout")
    expect(yield* optionOf({ origins: [], timeoutMillis: 5 })).toBe("timeoutMillis")
  }))

it.effect("refuses an isolation that does not exist, of the sandbox and of a program", () =>
  Effect.gen(function* () {
    const message = 'isolate: "workers" is neither "none" nor "worker"'
    expect(yield* errorOf({ isolate: "workers" })).toMatchObject({ option: "isolate", message })
    const programs = { x: { source: new Uint8Array(8), isolate: "workers" } }
    expect(yield* errorOf({ programs })).toMatchObject({ option: "isolate", message })
  }))

it.effect("accepts Infinity, 0, undefined and every form of a time span", () =>
  Effect.scoped(Effect.gen(function* () {
    const limits = { maxProcesses: Infinity, maxPipes: 0, maxFiles: undefined, processTimeout: "1 minute" } as const
    const sandbox = yield* Sandbox.make({ limits })
    expect((yield* sandbox.run("echo $((1 + 1))")).stdout).toBe("2\n")
    expect((yield* sandbox.run("echo a | cat")).exitCode).not.toBe(0)
  })))

it.effect("names the layer whose limits are invalid", () =>
  Effect.gen(function* () {
    const layer = KernelShell.layerWith({ limits: { maxProcesses: 0.5 } })
    const error = yield* Effect.flip(Effect.scoped(Effect.asVoid(Layer.build(layer))))
    expect(error.message).toBe("KernelShell: limits.maxProcesses must be a whole number from 0 or Infinity, got 0.5")
  }))

it("rejects a promise of a sandbox, and a run, with the same error", async () => {
  await expect(Sandbox.open(untyped({ limits: { maxFiles: NaN } }))).rejects.toMatchObject({
    option: "limits.maxFiles",
  })
  await using sandbox = await Sandbox.open()
  for (const maxOutputBytes of [NaN, -1, 0.5]) {
    await expect(sandbox.run("true", { maxOutputBytes })).rejects.toMatchObject({ option: "maxOutputBytes" })
    const events = sandbox.events("true", { maxOutputBytes })[Symbol.asyncIterator]()
    await expect(events.next()).rejects.toThrow(OptionError)
    await expect(sandbox.readFile("/etc", { maxBytes: maxOutputBytes })).rejects.toMatchObject({ option: "maxBytes" })
  }
})

it.effect("fails with the error when a run starts, not where it is made", () =>
  Effect.scoped(Effect.gen(function* () {
    const sandbox = yield* Sandbox.make()
    const refused: ReadonlyArray<Effect.Effect<unknown, Sandbox.SandboxError | OptionError>> = [
      sandbox.run("true", { maxOutputBytes: -1 }),
      Effect.flatMap(sandbox.session(), (session) => session.run("true", { timeout: -1 })),
      Stream.runDrain(sandbox.stream("true", { maxOutputBytes: NaN })),
      Stream.runDrain(sandbox.bytes("true", { timeout: "soon" as "1s" })),
      sandbox.readText("/etc", { maxBytes: 0.5 }),
    ]
    for (const run of refused) expect((yield* Effect.flip(run))._tag).toBe("OptionError")
  })))
