import { expect, it } from "vitest"
import { ShellExec } from "@sluice/shell"
import {
  type CountBounds,
  finiteFrom,
  OptionError,
  refuseUnknownOptions,
  requireBooleans,
  requireCount,
} from "../../src/base/OptionError.ts"
import { resolveLocalSettings } from "../../src/leaves/local/LocalShellOptions.ts"

const known = { cwd: true, env: true, timeout: true, check: true }

it("names the nearest option, and ours for the names of other tools", () => {
  const said = (name: string): unknown => {
    try {
      refuseUnknownOptions("run", { cwd: "/", [name]: 1 }, known)
      return undefined
    } catch (error) {
      return error
    }
  }
  expect(said("tiemout")).toBeInstanceOf(OptionError)
  expect(said("tiemout")).toMatchObject({
    _tag: "OptionError",
    option: "tiemout",
    message: `run: unknown option "tiemout"; did you mean "timeout"?`,
  })
  expect(String(said("workingDirectory"))).toContain(`did you mean "cwd"?`)
  expect(String(said("reject"))).toContain(`did you mean "check"?`)
  expect(said("env")).toBeUndefined()
  expect(String(said("timeoutMillis"))).toContain(`did you mean "timeout"?`)
  // Half of it is different: a guess would mislead.
  expect(said("parallel")).toMatchObject({ message: `run: unknown option "parallel"` })
})

it("holds for ShellExec.make and for layers, also in plain JavaScript", () => {
  const old = { workingDirectory: "/" }
  expect(() => Reflect.apply(ShellExec.make, ShellExec, ["ls", [], old])).toThrow(/did you mean "cwd"/)
  expect(() => Reflect.apply(ShellExec.shell, ShellExec, ["ls", { enviroment: {} }])).toThrow(/unknown option/)
  expect(() => Reflect.apply(ShellExec.make, ShellExec, ["ls", [], { timeout: "soon" }])).toThrow(/^timeout: "soon"/)
  expect(() => Reflect.apply(resolveLocalSettings, undefined, [old])).toThrow(/LocalShell: unknown option/)
  const wrong = (options: object) => () => Reflect.apply(resolveLocalSettings, undefined, [options])
  expect(wrong({ cleanup: "false" })).toThrow(/^LocalShell: cleanup must be true or false, got "false"/)
  expect(wrong({ extendEnv: 0 })).toThrow(/^LocalShell: extendEnv must be true or false, got 0/)
  expect(wrong({ drainGrace: { a: 5 } })).toThrow(/^drainGrace: .* is not a duration/)
})

it("accepts only true and false for a boolean", () => {
  const read = (flush: unknown) => Reflect.apply(requireBooleans, undefined, ["Leaf", { flush }])
  for (const value of [true, false, undefined]) expect(read(value)).toEqual({ flush: value })
  for (const value of ["false", 0, 1, null, {}]) {
    expect(() => read(value)).toThrow(/^Leaf: flush must be true or false, got /)
  }
})

it("checks counts by their bounds, and names the bounds in one wording", () => {
  const said = (bounds: CountBounds, value: number): unknown => {
    try {
      return requireCount("Leaf", "size", value, bounds)
    } catch (error) {
      return error instanceof OptionError ? error.message : error
    }
  }
  for (const value of [1, 7, Infinity]) expect(said({ min: 1 }, value)).toBe(value)
  for (const value of [0, 1.5, NaN, -Infinity]) {
    expect(said({ min: 1 }, value)).toBe(`Leaf: size must be a whole number from 1 or Infinity, got ${value}`)
  }
  for (const value of [0, 65_536, Infinity]) {
    expect(said({ min: 1, max: 65_535 }, value)).toBe(`Leaf: size must be a whole number from 1 to 65535, got ${value}`)
  }
  for (const value of [-1, Infinity]) {
    expect(said(finiteFrom(0), value)).toBe(`Leaf: size must be a whole number from 0, got ${value}`)
  }
  const text: unknown = "5"
  expect(() => Reflect.apply(requireCount, undefined, ["Leaf", "size", text, { min: 1 }])).toThrow(/, got "5"$/)
})
