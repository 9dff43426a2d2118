import { expect, it } from "@effect/vitest"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { OptionError } from "../../../src/base/OptionError.ts"
import { ShellExec } from "../../../src/command/ShellExec.ts"
import { resolveLocalSettings } from "../../../src/leaves/local/LocalShellOptions.ts"
import { DryRunShell } from "../../../src/leaves/local/DryRunShell.ts"
import { LocalShell } from "../../../src/leaves/local/LocalShell.ts"
import { PosixShell } from "../../../src/leaves/local/LocalShell.ts"
import { WindowsShell } from "../../../src/leaves/local/LocalShell.ts"
import { Shell } from "../../../src/shell/Shell.ts"

const provider = (values: Record<string, string>) =>
  Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(values))

it("has the defaults of the Compute document", () => {
  const settings = resolveLocalSettings({})
  expect(settings).toMatchObject({
    extendEnv: true,
    maxConcurrency: 4,
    timeoutMillis: Infinity,
    preferPowerShell: false,
    useJobObjects: true,
    drainGraceMillis: 100,
  })
  expect(Duration.toMillis(settings.grace)).toBe(5_000)
})

it.live("takes its settings from Config", () =>
  Effect.gen(function* () {
    const fault = yield* Stream.runDrain(Shell.exec(ShellExec.make("sleep", ["30"]))).pipe(
      Effect.flip,
      Effect.provide(PosixShell.layerConfig()),
      provider({ TIMEOUT: "80 millis", GRACE: "100 millis", MAX_CONCURRENCY: "2" }),
    )
    expect(fault).toMatchObject({ reason: { _tag: "Timeout", kind: "total", afterMillis: 80 } })
  }))

it.live("says which setting is wrong", () =>
  Effect.gen(function* () {
    const error = yield* Stream.runDrain(Shell.exec(ShellExec.make("true"))).pipe(
      Effect.provide(PosixShell.layerConfig()),
      provider({ MAX_CONCURRENCY: "many" }),
      Effect.flip,
    )
    expect(String(error)).toContain("MAX_CONCURRENCY")
  }))

it.live("uses another shell for scripts", () =>
  Effect.gen(function* () {
    const output = yield* Shell.run(ShellExec.shell("echo $0")).pipe(
      Effect.provide(PosixShell.layerWith({ defaultShell: "bash" })),
    )
    expect(output).toMatchObject({ exitCode: 0, executable: expect.stringMatching(/\/bash$/) })
    expect(output.stdout.trim()).toMatch(/\/bash$/)
  }))

it("refuses limits under which no command could run", () => {
  for (const bad of [0, -1, 1.5, NaN]) {
    expect(() => resolveLocalSettings({ maxConcurrency: bad })).toThrow(OptionError)
  }
  expect(() => resolveLocalSettings({ maxQueued: -1 })).toThrow(OptionError)
  expect(resolveLocalSettings({ maxConcurrency: Infinity, maxQueued: 0 })).toMatchObject({ maxQueued: 0 })
})

it.live("is a defect on another system, since no caller can handle it", () =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Shell.run(ShellExec.make("true")).pipe(Effect.provide(WindowsShell.layer)))
    expect(String(exit)).toContain("Windows")
  }))

it.live("fails with an OptionError for an invalid option, in every layer and constructor", () =>
  Effect.gen(function* () {
    for (const [name, leaf] of Object.entries({ LocalShell, PosixShell, DryRunShell })) {
      const layers = [leaf.layerWith({ maxConcurrency: 0 }), leaf.layerConfig(Config.succeed({ maxQueued: -1 }))]
      for (const layer of layers) {
        const error = yield* Effect.flip(Shell.run(ShellExec.make("true")).pipe(Effect.provide(layer)))
        expect(error).toBeInstanceOf(OptionError)
        expect(error.message).toMatch(new RegExp(`^${name}: max`))
      }
      expect(yield* Effect.flip(Effect.scoped(leaf.make({ grace: -1 })))).toMatchObject({ option: "grace" })
    }
  }))

it.live("makes a service without a layer", () =>
  Effect.gen(function* () {
    const shell = yield* LocalShell.make({ defaultShell: "bash" })
    const events = yield* Stream.runCollect(shell.exec(ShellExec.shell("echo $0")))
    expect(events.at(-1)).toMatchObject({ exitCode: 0, executable: expect.stringMatching(/\/bash$/) })
  }).pipe(Effect.scoped))
