import { expect, it } from "vitest"
import { ShellExec } from "@sluice/shell"
import { OptionError, refuseUnknownOptions, requireBooleans } from "../../src/base/OptionError.ts"
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
