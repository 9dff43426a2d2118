import * as assert from "node:assert/strict"
import * as Effect from "effect/Effect"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import process from "node:process"
import { ShellExec, WindowsShell } from "@sluice/shell"
import { AccessPolicy } from "@sluice/shell/access"
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

  promise(
    "tries each directory of PATH with the extensions of PATHEXT in order, but for those that cannot be started",
    () =>
      Effect.gen(function* () {
        const { path, write } = yield* bench
        const [one, two] = ["one", "two;quoted"]
        for (const folder of [one, two]) mkdirSync(path(folder))
        for (const name of ["tool.js", "tool", "my.tool", "my.tool.cmd"]) write(`${one}\\${name}`, `@echo ${name}`)
        for (const name of ["tool.bat", "tool.cmd", "only.cmd"]) write(`${two}\\${name}`, `@echo ${name}`)
        const env = { PATH: `;C:\\none;${path(one)};"${path(two)}"`, PATHEXT: ".JS;.VBS;.CMD;.BAT" }
        const found = [["tool", two, "tool.cmd"], ["TOOL.BAT", two, "TOOL.BAT"], [
          "my.tool",
          one,
          "my.tool.cmd",
        ]] as const
        for (const [name, folder, file] of [...found, ["only", two, "only.cmd"] as const]) {
          const { executable, stdout } = yield* whole(ShellExec.make(name, [], { env }))
          same(executable, path(`${folder}\\${file}`))
          same(stdout, `${file}\r\n`)
        }
        // A path is one of the caller's directory, and gets the extensions, too.
        same((yield* whole(ShellExec.make(path(`${two}\\only`)))).stdout, "only.cmd\r\n")
        const fault = yield* faultOf(ShellExec.make("only", [], { env: { ...env, PATHEXT: ".BAT" } }))
        assert.deepEqual(fault.reason, { _tag: "NotFound", what: "command", path: "only", code: "ENOENT" })
      }),
  ),

  promise(
    "takes no program for one of PATH that lies in the command's directory, or in this program's",
    () =>
      Effect.gen(function* () {
        const { directory, write } = yield* bench
        const name = basename(directory)
        const own = `${name}-planted.cmd`
        write("planted.cmd", "@echo planted")
        yield* Effect.acquireRelease(
          Effect.sync(() => writeFileSync(join(process.cwd(), own), "@echo planted")),
          () => Effect.sync(() => rmSync(join(process.cwd(), own))),
        )
        for (const path of ["planted", "planted.cmd", `${name}-planted`, own]) {
          const fault = yield* faultOf(ShellExec.make(path, [], { cwd: directory }))
          assert.deepEqual(fault.reason, { _tag: "NotFound", what: "command", path, code: "ENOENT" })
        }
        same((yield* whole(ShellExec.make(`.\\${own}`, [], { cwd: directory }))).stdout, "planted\r\n")
      }),
  ),

  promise("takes the last of two variables whose names differ in case, PATH too", () =>
    Effect.gen(function* () {
      const { directory, write } = yield* bench
      write("tool.cmd", "@set path")
      for (const names of [["Path", "PATH"], ["PATH", "Path"], ["PATH", "path", "pAtH"]]) {
        const env = Object.fromEntries(
          names.map((name, at) => [name, at === names.length - 1 ? directory : "C:\\none"]),
        )
        const { stdout } = yield* whole(ShellExec.make("tool", [], { env }))
        assert.match(stdout, /^path=/i)
        const [path, ...more] = stdout.trimEnd().split("\r\n").filter((line) => /^path=/i.test(line))
        assert.deepEqual([path?.slice(5), more], [directory, []])
      }
    })),

  promise(
    "refuses scripts behind an access policy and says why; runs a program of its list, found as without one",
    () =>
      Effect.gen(function* () {
        const { directory, write } = yield* bench
        write("tool.cmd", "@echo %1")
        const policy = AccessPolicy.make({ allowedCommands: ["tool"], searchPath: directory })
        const guarded = AccessPolicy.guard(policy)(WindowsShell.layer)
        const refuse = (exec: ShellExec) => Effect.provide(faultOf(exec), guarded)
        const { message, reason } = yield* refuse(cmd("tool 1"))
        assert.equal(reason._tag, "NotAllowed")
        assert.match(message, /scripts are not allowed on Windows: run a program with its arguments/)
        assert.equal((yield* refuse(ShellExec.make("cmd", ["/c", "tool"]))).reason._tag, "NotAllowed")
        const { stdout } = yield* Effect.provide(whole(ShellExec.make("TOOL", ["a&b"])), guarded)
        assert.equal(stdout, '"a&b"\r\n')
      }),
  ),

  promise("runs in the working directory that it is given", () =>
    Effect.gen(function* () {
      const { directory } = yield* bench
      const { stdout } = yield* whole(cmd("cd", { cwd: directory }))
      same(stdout.trimEnd(), directory)
    })),

  promise("puts node_modules\\.bin first on PATH if configured", () =>
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

  promise("reports a failed start by a typed fault", () =>
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
