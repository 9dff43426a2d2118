import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ShellExec } from "@sluice/shell"
import { workshop } from "../workshop.ts"
import { faultOf, type Part, posixPrograms, whole } from "./target.ts"

const show = (...names: ReadonlyArray<string>) => ["-c", names.map((name) => `echo "\${${name}-unset}"`).join(";")]

export const environment: Part = (test, { can, programs = posixPrograms, systemVariables }) => {
  test("refuses names and values that no environment can hold", () =>
    Effect.gen(function* () {
      for (const environment of [{ "": "x" }, { "A=B": "x" }, { A: "nul\0" }, { "N\0": "x" }]) {
        const fault = yield* faultOf(ShellExec.make("true", [], { env: environment }))
        expect(fault.reason).toMatchObject({ _tag: "InvalidRequest", field: "environment" })
        expect(fault.message).toMatch(/^exec: .+ \(EINVAL\)$/)
      }
    }))

  if (can.machine === false) return

  test("adds entries to the environment unchanged, secrets too", () =>
    Effect.gen(function* () {
      const { stdout } = yield* whole(ShellExec.make(programs.sh, show("A", "B", "C", "D"), {
        env: {
          A: "a b",
          B: "",
          C: "é\n$A=1",
          D: can.secretWords === false ? "hunter2" : Redacted.make("hunter2"),
        },
      }))
      expect(stdout).toBe(`a b\n\né\n$A=1\n${can.secrets === false ? "<redacted>" : "hunter2"}\n`)
    }))

  test("inherits variables, overrides them by the command's, and removes null ones", () =>
    Effect.gen(function* () {
      const command = (environment: Record<string, string | null>) =>
        whole(ShellExec.make(programs.sh, show("PATH", "HOME"), { env: environment }))
      const inherited = (yield* command({})).stdout
      expect(inherited.split("\n")[0]).not.toBe("unset")
      expect((yield* command({ HOME: "/elsewhere" })).stdout).toBe(inherited.replace(/.*\n$/, "/elsewhere\n"))
      expect((yield* command({ HOME: null })).stdout).toBe(inherited.replace(/.*\n$/, "unset\n"))
      expect((yield* command({ HOME: null, NEVER_THERE: null })).stdout).toMatch(/unset\n$/)
    }))

  test("clears the environment when extendEnv is false", () =>
    Effect.gen(function* () {
      const options = { extendEnv: false, env: { ONLY: "this" } }
      const { stdout } = yield* whole(ShellExec.make(programs.env, [], options))
      const names = stdout.trim().split("\n").map((line) => line.split("=")[0])
      // The leaf's own marker, by which it finds its descendants again, may be there too.
      const others = names.filter((name = "") => !name.startsWith("SLUICE_") && systemVariables?.test(name) !== true)
      expect(others).toEqual(["ONLY"])
    }))

  test("uses the leaf's environment options when the command has none", () =>
    Effect.gen(function* () {
      const bare = yield* whole(ShellExec.make(programs.sh, show("HOME")))
      expect(bare.stdout).toBe("unset\n")
      const full = yield* whole(ShellExec.make(programs.sh, show("HOME"), { extendEnv: true }))
      expect(full.stdout).not.toBe("unset\n")
    }), { extendEnv: false })

  if (!can.resolvesPath || can.scriptFiles === false) return

  test("looks for the program in the PATH of the command", () =>
    Effect.gen(function* () {
      const { directory, path, write } = yield* workshop
      write("greet", "#!/bin/sh\necho from $0\n", 0o755)
      const there = ShellExec.make("greet", [], { env: { PATH: `/nowhere:${directory}` } })
      const found = yield* whole(there)
      expect(found.stdout).toBe(`from ${path("greet")}\n`)
      expect(found.executable).toBe(path("greet"))
      const { reason } = yield* faultOf(ShellExec.make("greet"))
      expect(reason).toMatchObject({ _tag: "NotFound", what: "command", path: "greet" })
      const gone = yield* faultOf(ShellExec.make("ls", [], { env: { PATH: "/nowhere" } }))
      expect(gone.reason).toMatchObject({ _tag: "NotFound", what: "command", path: "ls" })
    }))

  test("puts node_modules/.bin of the directory and its parents first on PATH", () =>
    Effect.gen(function* () {
      const { makeDirectory, write } = yield* workshop
      write("node_modules/.bin/tool", "#!/bin/sh\necho outer\n", 0o755)
      write("app/node_modules/.bin/tool", "#!/bin/sh\necho inner\n", 0o755)
      write("node_modules/.bin/other", "#!/bin/sh\necho other\n", 0o755)
      const workingDirectory = makeDirectory("app/src")
      const command = (name: string) => whole(ShellExec.make(name, [], { localBin: true, cwd: workingDirectory }))
      expect((yield* command("tool")).stdout).toBe("inner\n")
      expect((yield* command("other")).stdout).toBe("other\n")
      expect((yield* command("uname")).exitCode).toBe(0)
      const without = yield* faultOf(ShellExec.make("tool", [], { cwd: workingDirectory }))
      expect(without.reason._tag).toBe("NotFound")
    }))
}
