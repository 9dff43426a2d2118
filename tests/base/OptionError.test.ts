import { expect, it } from "vitest"
import { ShellExec } from "@sluice/shell"
import { OptionError, refuseUnknownOptions } from "../../src/base/OptionError.ts"
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
})
