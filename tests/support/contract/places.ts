import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { symlinkSync } from "node:fs"
import { relative } from "node:path"
import { ShellExec } from "@sluice/shell"
import { workshop } from "../workshop.ts"
import { faultOf, type Part, sh, whole } from "./target.ts"

export const places: Part = (test, { can, canonical = (path) => path, layer }) => {
  test("refuses arguments of a script", () =>
    Effect.gen(function* () {
      const args = yield* faultOf(ShellExec.make("echo", ["a"], { useShell: true }))
      expect(args.reason).toMatchObject({ _tag: "InvalidRequest", field: "arguments" })
    }))

  if (can.machine === false) return

  test("distinguishes a missing working directory from a missing program", () =>
    Effect.gen(function* () {
      const ghost = yield* faultOf(sh("pwd", { cwd: "/no/such/directory" }))
      expect(ghost.reason).toEqual({
        _tag: "NotFound",
        what: "workingDirectory",
        path: "/no/such/directory",
        code: "ENOENT",
      })
      expect(ghost.message).toBe("exec: Working directory does not exist '/no/such/directory' (ENOENT)")
      const both = yield* faultOf(ShellExec.make("/no/such/program", [], { cwd: "/no/such/directory" }))
      expect(both.reason).toMatchObject({ what: "workingDirectory" })
      const file = yield* faultOf(sh("pwd", { cwd: "/etc/passwd" }))
      expect(file.reason).toMatchObject({ _tag: "NotFound", what: "workingDirectory", code: "ENOTDIR" })
    }))

  test("runs only scripts through the shell", () =>
    Effect.gen(function* () {
      expect((yield* whole(sh("echo a | tr a b; echo $((2 + 3))"))).stdout).toBe("b\n5\n")
      expect((yield* whole(ShellExec.make("echo", ["a | tr a b; $((2 + 3))"]))).stdout).toBe("a | tr a b; $((2 + 3))\n")
      const split = yield* faultOf(ShellExec.make("echo a"))
      expect(split.reason).toMatchObject({ _tag: "NotFound", what: "command", path: "echo a" })
    }))

  if (!can.files) return

  if (can.links !== false) {
    test("runs in the directory that the command names, by its canonical path", () =>
      Effect.gen(function* () {
        const { makeDirectory, path } = yield* workshop
        symlinkSync(makeDirectory("real"), path("link"))
        const { stdout } = yield* whole(sh("pwd; pwd -P", { cwd: path("link") }))
        expect(stdout).toBe(`${path("real")}\n${path("real")}\n`)
      }))
  }

  test("runs in the leaf's directory by default, and resolves relative directories against it", () =>
    Effect.gen(function* () {
      const { directory, makeDirectory, path } = yield* workshop
      makeDirectory("inner")
      const based = Layer.fresh(layer({ cwd: directory }))
      const run = (workingDirectory?: string) =>
        Effect.map(Effect.provide(whole(sh("pwd -P", { cwd: workingDirectory })), based), ({ stdout }) => stdout)
      expect(yield* run()).toBe(`${directory}\n`)
      expect(yield* run("inner")).toBe(`${path("inner")}\n`)
      expect(yield* run("/")).toBe("/\n")
      expect(yield* Effect.flip(run("ghost"))).toMatchObject({ reason: { what: "workingDirectory" } })
    }))

  test("faults with NotFound for a shell that is not there", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.provide(faultOf(sh("true")), Layer.fresh(layer({ defaultShell: "/no/such/sh" })))
      expect(gone.reason).toMatchObject({ _tag: "NotFound", path: canonical("/no/such/sh") })
    }))

  if (can.scriptFiles === false) return

  test("runs scripts with the shell that the leaf names", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      write("fake", '#!/bin/sh\necho "fake $1 $2 $#"\n', 0o755)
      const { executable, stdout } = yield* Effect.provide(
        whole(sh("echo a | b")),
        Layer.fresh(layer({ defaultShell: path("fake") })),
      )
      expect([executable, stdout]).toEqual([path("fake"), "fake -c echo a | b 2\n"])
      const gone = yield* Effect.provide(faultOf(sh("true")), Layer.fresh(layer({ defaultShell: "/no/such/sh" })))
      expect(gone.reason).toMatchObject({ _tag: "NotFound", what: "interpreter", path: "/no/such/sh" })
    }))

  if (!can.resolvesPath) return

  test("resolves a relative program independently of the working directory", () =>
    Effect.gen(function* () {
      const { makeDirectory, path, write } = yield* workshop
      write("tool", "#!/bin/sh\necho right; pwd -P\n", 0o755)
      const workingDirectory = makeDirectory("work")
      write("work/tool", "#!/bin/sh\necho wrong\n", 0o755)
      const program = `./${relative(process.cwd(), path("tool"))}`
      const { executable, stdout } = yield* whole(ShellExec.make(program, [], { cwd: workingDirectory }))
      expect(stdout).toBe(`right\n${workingDirectory}\n`)
      expect(executable).toMatch(/^\//)
    }))
}
