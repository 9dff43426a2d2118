/** Paths that can lead nowhere, and commands that are too long: the same words on every runtime. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { symlinkSync } from "node:fs"
import { LocalShell, Shell, ShellExec } from "@sluice/shell"
import { argumentLimit } from "../../../src/host/faults/argumentLimit.ts"
import { faultOf } from "../../support/contract/target.ts"
import { workshop } from "../../support/workshop.ts"

const local = Effect.provide(LocalShell.layer)

describe.runIf(process.platform === "linux")("invalid paths", () => {
  it.live("are explained, for a program and a working directory", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      write("file", "")
      symlinkSync(path("loop"), path("loop"))
      const long = path("x".repeat(300))
      const deep = path("x/".repeat(3_000))
      const notDirectory = "a part of its path is not a directory"
      const circle = "its symbolic links go round in a circle"
      for (
        const [name, code, problem] of [
          [path("file/x"), "ENOTDIR", notDirectory],
          [path("loop"), "ELOOP", circle],
          [path("loop/x"), "ELOOP", circle],
        ] as const
      ) {
        const program = yield* faultOf(ShellExec.make(name))
        expect(program.reason).toEqual({ _tag: "NotFound", what: "command", path: name, code })
        expect(program.message).toBe(`exec: ${name} not found: ${problem} (${code})`)
        const directory = yield* faultOf(ShellExec.make("true", [], { cwd: name }))
        expect(directory.reason).toEqual({ _tag: "NotFound", what: "workingDirectory", path: name, code })
        expect(directory.message).toBe(`exec: Working directory does not exist '${name}': ${problem} (${code})`)
      }
      for (const name of [long, deep]) {
        const directory = yield* faultOf(ShellExec.make("true", [], { cwd: name }))
        expect(directory.reason).toEqual({ _tag: "InvalidRequest", field: "workingDirectory", code: "ENAMETOOLONG" })
        expect(directory.message).toBe("exec: the name of the working directory is too long (ENAMETOOLONG)")
      }
      for (const name of [long, deep, "x".repeat(300)]) {
        const program = yield* faultOf(ShellExec.make(name))
        expect(program.reason).toEqual({ _tag: "InvalidRequest", field: "command", code: "ENAMETOOLONG" })
        expect(program.message).toBe("exec: the name of the command is too long (ENAMETOOLONG)")
      }
    }).pipe(local))

  it.live("names the limit that arguments or variables are over", () =>
    Effect.gen(function* () {
      const one = yield* faultOf(ShellExec.make("true", ["x".repeat(200_000)]))
      expect(one.reason).toEqual({ _tag: "InvalidRequest", field: "arguments", code: "E2BIG" })
      expect(one.message).toMatch(
        /^exec: the arguments are too long: 200006 bytes in 2 strings, and one of them 200001; one may have 131072; here /,
      )
      const env = { A: "x".repeat(200_000) }
      expect((yield* faultOf(ShellExec.make("true", [], { env }))).message).toMatch(
        /^exec: the environment is too long: 200003 bytes .*may have \d+ together.* \(E2BIG\)$/,
      )
    }).pipe(local))

  it.live("is refused without a try if it is larger than any process allows", () =>
    Effect.gen(function* () {
      const env = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`VARIABLE_${index}`, "value"]))
      const fault = yield* faultOf(ShellExec.make("true", [], { env }))
      expect(fault.reason).toEqual({ _tag: "InvalidRequest", field: "environment", code: "E2BIG" })
      // What the runtime throws would be there if it had been tried.
      expect(fault.exception).toBeUndefined()
      const args = Array.from({ length: 2_000 }, String)
      expect((yield* Shell.run(ShellExec.make("echo", args))).stdout).toBe(`${args.join(" ")}\n`)
    }).pipe(local))
})

it("takes the limit from the stack", () => {
  const limit = (stack: string) =>
    argumentLimit({ os: "linux", readText: () => `Max stack size             ${stack}       unlimited   bytes\n` })
  expect([limit("8388608"), limit("1024"), limit("unlimited"), limit("1073741824")]).toEqual([
    2_097_152,
    131_072,
    6_291_456,
    6_291_456,
  ])
  expect(argumentLimit({ os: "linux", readText: () => undefined })).toBeUndefined()
})

it("accepts numbers as arguments, as they are written", () => {
  expect(ShellExec.make("sleep", [5, "x", 0.5]).arguments).toEqual(["5", "x", "0.5"])
})
