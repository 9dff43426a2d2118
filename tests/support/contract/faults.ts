import { expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { Shell, ShellExec, ShellFault } from "@sluice/shell"
import { makeReference } from "../../../src/command/plain/secret.ts"
import { workshop } from "../workshop.ts"
import { faultOf, type Part, posixPrograms, sh } from "./target.ts"

/** A fault after encoding to JSON and back; it must be the same. */
const told = (exec: ShellExec) =>
  Effect.map(faultOf(exec), (fault) => {
    const again = Schema.decodeUnknownSync(ShellFault)(JSON.parse(JSON.stringify(Schema.encodeSync(ShellFault)(fault))))
    expect(again).toEqual(fault)
    expect(fault.commandId).toBe(exec.commandId)
    expect(fault.message).toMatch(/^exec: [^]+ \([A-Za-z0-9]+\)$/)
    return fault
  })

export const faults: Part = (test, { can, canonical = (path) => path, programs = posixPrograms }) => {
  test("faults with InvalidRequest for values that no process can have, and names the field", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [ShellExec, string]> = [
        [ShellExec.make(""), "command"],
        [sh("  \n"), "command"],
        [ShellExec.make("a\0b"), "command"],
        [ShellExec.make("echo", ["a\0b"]), "arguments"],
        [ShellExec.make("echo", ["half \ud800 a character"]), "arguments"],
        [ShellExec.make("echo", [], { cwd: "" }), "workingDirectory"],
        [ShellExec.make("echo", [], { cwd: "/tmp\0" }), "workingDirectory"],
      ]
      for (const [exec, field] of cases) {
        expect((yield* told(exec)).reason).toMatchObject({ _tag: "InvalidRequest", field })
      }
    }))

  test("refuses a secret that was lost on its way", () =>
    Effect.gen(function* () {
      const exec = ShellExec.make("echo", [Redacted.make("hunter2")])
      const decoded = Schema.decodeUnknownSync(ShellExec)(
        JSON.parse(JSON.stringify(Schema.encodeSync(ShellExec)(exec))),
      )
      const fault = yield* told(decoded)
      expect(fault.reason).toMatchObject({ _tag: "InvalidRequest", field: "arguments" })
      expect(JSON.stringify(fault)).not.toContain("hunter2")
    }))

  test("refuses a reference to a secret, which no shell around it has read", () =>
    Effect.gen(function* () {
      const reference = makeReference("github")
      const cases = [
        ShellExec.make("echo", [reference]),
        ShellExec.make("echo", [], { env: { TOKEN: reference } }),
        ShellExec.make("cat", [], { input: reference }),
      ]
      for (const exec of cases) expect((yield* told(exec)).reason).toMatchObject({ _tag: "InvalidRequest" })
    }))

  test("can be caught by its reason", () =>
    Effect.gen(function* () {
      const caught = (exec: ShellExec) =>
        Shell.exec(exec).pipe(
          Stream.catchReason("ShellFault", "NotFound", ({ what }) => Stream.succeed(what)),
          Stream.runCollect,
        )
      expect(yield* caught(ShellExec.make("no-such-program"))).toEqual(["command"])
      const other = yield* Effect.flip(caught(ShellExec.make("")))
      expect(other.reason._tag).toBe("InvalidRequest" satisfies ShellFault["reason"]["_tag"])
    }))

  if (can.machine === false) return

  test("faults with NotFound for a missing program, by name and by path", () =>
    Effect.gen(function* () {
      for (const name of ["no-such-program", canonical("/no/such/program")]) {
        const { message, reason } = yield* told(ShellExec.make(name))
        expect(reason).toEqual({ _tag: "NotFound", what: "command", path: name, code: "ENOENT" })
        expect(message).toContain(name)
      }
    }))

  test("faults with InvalidRequest for arguments or an environment that are too long", () =>
    Effect.gen(function* () {
      const long = "x".repeat(3_000_000)
      const args = yield* told(ShellExec.make(programs.true, [long]))
      expect(args.reason).toEqual({ _tag: "InvalidRequest", field: "arguments", code: "E2BIG" })
      const environment = yield* told(ShellExec.make(programs.true, [], { env: { A: long } }))
      expect(environment.reason).toEqual({ _tag: "InvalidRequest", field: "environment", code: "E2BIG" })
    }))

  if (!can.files || can.scriptFiles === false) return

  test("names the problem of a file that cannot be executed", () =>
    Effect.gen(function* () {
      const { directory, path, write } = yield* workshop
      write("plain", "echo never\n", 0o644)
      write("bad", "#!/no/such/interpreter\n", 0o755)
      const plain = yield* told(ShellExec.make(path("plain")))
      expect(plain.reason).toEqual({ _tag: "PermissionDenied", path: path("plain"), code: "EACCES" })
      const bad = yield* told(ShellExec.make(path("bad")))
      expect(bad.reason).toEqual({
        _tag: "NotFound",
        what: "interpreter",
        path: "/no/such/interpreter",
        code: "ENOENT",
      })
      const folder = yield* told(ShellExec.make(directory))
      expect(folder.reason).toMatchObject({ _tag: "PermissionDenied", path: directory, code: "EACCES" })
      const under = yield* told(ShellExec.make(path("plain/tool")))
      expect(under.reason).toMatchObject({ _tag: "NotFound", what: "command" })
    }))

  test("runs a script without #! through the shell, as execvp does", () =>
    Effect.gen(function* () {
      const { path, write } = yield* workshop
      write("script", 'echo "$0 $1"; exit 7\n', 0o755)
      for (const mergeStreams of [false, true]) {
        const exec = ShellExec.make(path("script"), ["a b"], { streamOutput: false, mergeStreams })
        const [output] = yield* Stream.runCollect(Shell.exec(exec))
        expect(output).toMatchObject({ exitCode: 7, stdout: `${path("script")} a b\n`, executable: path("script") })
      }
    }))
}
