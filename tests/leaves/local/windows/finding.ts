import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import { mkdirSync, writeFileSync } from "node:fs"
import process from "node:process"
import { ShellExec } from "@sluice/shell"
import { cmd, faultOf, promise, whole, type WindowsPromise } from "./promise.ts"
import { bench } from "./programs.ts"

const same = (one: string | undefined, other: string): void => assert.equal(one?.toLowerCase(), other.toLowerCase())

/** The value of a variable, whatever the case of its name: the leaf's, not ours. */
const systemRoot = process.env.SystemRoot ?? "C:\\Windows"

export const finding: ReadonlyArray<WindowsPromise> = [
  promise("finds programs by PATH and PATHEXT of the child, and tells the full path", () =>
    Effect.gen(function* () {
      const { directory, path, write } = yield* bench
      write("tool.bat", "@echo batch")
      write("tool", "for sh")
      const found = yield* whole(ShellExec.make("tool", [], { env: { Path: directory } }))
      same(found.executable, path("tool.bat"))
      assert.equal(found.stdout, "batch\r\n")
      write("tool.cmd", "@echo command")
      const first = yield* whole(ShellExec.make("TOOL", [], { env: { path: directory, pathext: ".CMD;.BAT" } }))
      same(first.executable, path("tool.cmd"))
      assert.equal(first.stdout, "command\r\n")
      same((yield* whole(ShellExec.make("cmd", ["/c", "exit"]))).executable, `${systemRoot}\\System32\\cmd.exe`)
    })),

  promise("does not take a program from the working directory for one of PATH", () =>
    Effect.gen(function* () {
      const { directory, write } = yield* bench
      write("planted.cmd", "@echo planted")
      const fault = yield* faultOf(ShellExec.make("planted", [], { cwd: directory }))
      assert.deepEqual(fault.reason, { _tag: "NotFound", what: "command", path: "planted", code: "ENOENT" })
    })),

  promise("runs in the working directory that it is given", () =>
    Effect.gen(function* () {
      const { directory } = yield* bench
      const { stdout } = yield* whole(cmd("cd", { cwd: directory }))
      same(stdout.trimEnd(), directory)
    })),

  promise("puts node_modules\\.bin first on PATH where that is asked for", () =>
    Effect.gen(function* () {
      const { directory, path } = yield* bench
      mkdirSync(path("node_modules\\.bin"), { recursive: true })
      writeFileSync(path("node_modules\\.bin\\local-tool.cmd"), "@echo local")
      const { stdout } = yield* whole(ShellExec.make("local-tool", [], { cwd: directory, localBin: true }))
      assert.equal(stdout, "local\r\n")
    })),

  promise("overrides and removes variables whatever the case of their names", () =>
    Effect.gen(function* () {
      process.env.Sluice_Case = "parent"
      const value = (environment: Record<string, string | null>) =>
        Effect.map(whole(cmd("set sluice_case", { env: environment })), ({ stdout }) => stdout.trimEnd().split("\r\n"))
      for (const name of ["SLUICE_CASE", "sluice_case"]) {
        const [only, ...more] = yield* value({ [name]: "child" })
        assert.match(only ?? "", /^sluice_case=child$/i)
        assert.deepEqual(more, [])
      }
      assert.deepEqual(yield* value({ sluice_CASE: null }), [""])
      delete process.env.Sluice_Case
    })),

  promise("clears the environment but for what Windows itself cannot do without", () =>
    Effect.gen(function* () {
      process.env.SLUICE_SECRET = "parent"
      const { stdout } = yield* whole(cmd("set", { env: { ONLY: "this" }, extendEnv: false }))
      delete process.env.SLUICE_SECRET
      assert.match(stdout, /^ONLY=this\r$/m)
      assert.match(stdout, /^SystemRoot=/im)
      assert.doesNotMatch(stdout, /SLUICE_SECRET/i)
    })),

  promise("says of what cannot be started why, by a typed fault", () =>
    Effect.gen(function* () {
      const { directory, path, write } = yield* bench
      write("garbage.exe", "not a program")
      write("text.txt", "text")
      const reasons = [
        [ShellExec.make("sluice-no-such-program"), {
          _tag: "NotFound",
          what: "command",
          path: "sluice-no-such-program",
          code: "ENOENT",
        }],
        [ShellExec.make(path("missing.exe")), {
          _tag: "NotFound",
          what: "command",
          path: path("missing.exe"),
          code: "ENOENT",
        }],
        [cmd("exit", { cwd: path("missing") }), {
          _tag: "NotFound",
          what: "workingDirectory",
          path: path("missing"),
          code: "ENOENT",
        }],
        [cmd("exit", { cwd: path("text.txt") }), {
          _tag: "NotFound",
          what: "workingDirectory",
          path: path("text.txt"),
          code: "ENOTDIR",
        }],
        [ShellExec.make("folder.exe", [], { env: { PATH: directory } }), {
          _tag: "PermissionDenied",
          path: path("folder.exe"),
          code: "EACCES",
        }],
        [cmd("one\r\ntwo"), { _tag: "InvalidRequest", field: "command", code: "EINVAL" }],
      ] as const
      for (const [exec, reason] of reasons) assert.deepEqual((yield* faultOf(exec)).reason, reason)
      const garbage = (yield* faultOf(ShellExec.make(path("garbage.exe")))).reason
      assert.equal(garbage._tag, "InvalidRequest")
      const long = (yield* faultOf(ShellExec.make("cmd", ["x".repeat(40_000)]))).reason
      assert.equal(long._tag, "InvalidRequest")
    })),
]
