import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { IsolatedShell } from "@sluice/shell/isolated"

const wrong: ReadonlyArray<readonly [option: string, options: object]> = [
  ["writeable", { writeable: ["/tmp"] }],
  ["network", { network: "all" }],
  ["network", { network: { hosts: ["example.com"] } }],
  ["protected", { protected: ["../outside"] }],
  ["tmp.maxBytes", { tmp: { maxBytes: Infinity } }],
  ["engine", { engine: "chroot" }],
  ["env", { env: { SLUICE_TOKEN: "a" } }],
  ["env", { env: { A: 5 } }],
  ["env", { env: { "A=B": "x" } }],
  ["env", { env: { A: Redacted.make("x\0") } }],
  ["env", { env: "A=x" }],
  ["writable", { writable: "/tmp" }],
  ["readable", { readable: [5] }],
  ["hidden", { hidden: [""] }],
  ["protected", { protected: [5] }],
  ["inheritedVariables", { inheritedVariables: "PATH" }],
  ["size", { tmp: { size: 4096 } }],
  ["memory", { limits: { memory: 4096 } }],
  ["limits.cpuSeconds", { limits: { cpuSeconds: 0.5 } }],
]

it.effect.each(wrong)("refuses %s in %o, and starts nothing", ([option, options]) =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make(options)))
    expect(error).toMatchObject({ _tag: "OptionError", option })
  }))

it.effect("names the leaf in messages about options that other leaves have too", () =>
  Effect.gen(function* () {
    const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make({ maxConcurrency: 0 })))
    expect(error.message).toMatch(/^IsolatedShell: maxConcurrency/)
  }))

it.effect("names hosts that are not a list", () =>
  Effect.gen(function* () {
    const options: object = { network: { allow: "github.com" } }
    const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make(options)))
    expect(error.message).toContain('got { allow: "github.com" }')
  }))

it.effect("names the engines of this system in place of another system's", () =>
  Effect.gen(function* () {
    const engine = process.platform === "darwin" ? "bwrap" : "sandbox-exec"
    const error = yield* Effect.flip(Effect.scoped(IsolatedShell.make({ engine })))
    expect(error).toMatchObject({ _tag: "IsolationError", attempts: [] })
    expect(error.message).toMatch(/^isolation: \S+ is not an engine of \w+: leave the option engine out, or choose \w/)
  }))
