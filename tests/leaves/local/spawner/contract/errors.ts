import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as PlatformError from "effect/PlatformError"
import * as Redacted from "effect/Redacted"
import { ChildProcess } from "effect/process"
import { inspect } from "node:util"
import { workshop } from "../../../../support/workshop.ts"
import { causeCode, errorOf, type Part, sh } from "./target.ts"

const { make } = ChildProcess

const facts = (error: PlatformError.PlatformError) => [
  error._tag,
  error.reason._tag,
  error.reason.module,
  error.reason.method,
  causeCode(error),
]

const bad = ["PlatformError", "BadArgument", "ChildProcess", "spawn", undefined]

export const errors: Part = (test, { does }) => {
  describe("errors", () => {
    test("say which program was not found", () =>
      Effect.gen(function* () {
        const error = yield* errorOf(make("no-such-program", ["a b"]))
        expect(facts(error)).toEqual(["PlatformError", "NotFound", "ChildProcess", "spawn", "ENOENT"])
        expect(error.reason).toMatchObject({
          pathOrDescriptor: "no-such-program 'a b'",
          syscall: "spawn no-such-program",
        })
        expect(error.message).toBe("NotFound: ChildProcess.spawn (no-such-program 'a b')")
        expect(facts(yield* errorOf(make("/no/such/program"))).slice(1)).toEqual([
          "NotFound",
          "ChildProcess",
          "spawn",
          "ENOENT",
        ])
        expect(facts(yield* errorOf(make("true", [], { shell: "/no/such/shell" })))[1]).toBe("NotFound")
      }))

    test("say that the working directory is not there", () =>
      Effect.gen(function* () {
        const error = yield* errorOf(make("true", [], { cwd: "/no/such/directory" }))
        expect(facts(error)).toEqual(["PlatformError", "NotFound", "FileSystem", "access", "ENOENT"])
        expect(error.reason).toMatchObject({ pathOrDescriptor: "/no/such/directory" })
        expect(facts(yield* errorOf(make("true", [], { cwd: "" })))[1]).toBe("NotFound")
      }))

    test("say that a program may not be run", () =>
      Effect.gen(function* () {
        const { directory, write } = yield* workshop
        write("not-executable", "#!/bin/sh\n", 0o644)
        for (const command of [make("./not-executable", [], { cwd: directory }), make(directory)]) {
          expect(facts(yield* errorOf(command))).toEqual([
            "PlatformError",
            "PermissionDenied",
            "ChildProcess",
            "spawn",
            "EACCES",
          ])
        }
      }))

    test("say that a script's interpreter is not there", () =>
      Effect.gen(function* () {
        const { write } = yield* workshop
        const error = yield* errorOf(make(write("script", "#!/no/such/interpreter\n", 0o755)))
        expect(facts(error)).toEqual(["PlatformError", "NotFound", "ChildProcess", "spawn", "ENOENT"])
      }))

    if (does.typedThrows) {
      test("are failures where a runtime throws", () =>
        Effect.gen(function* () {
          expect(facts(yield* errorOf(make("true", [], { cwd: "/etc/passwd" }))).slice(1)).toEqual([
            "BadResource",
            "ChildProcess",
            "spawn",
            "ENOTDIR",
          ])
          expect(facts(yield* errorOf(make("true", ["x".repeat(3_000_000)]))).slice(1)).toEqual([
            "Unknown",
            "ChildProcess",
            "spawn",
            "E2BIG",
          ])
          expect(facts(yield* errorOf(make("")))).toEqual(bad)
          const handle = yield* make("sleep", ["30"])
          const error = yield* Effect.flip(handle.kill({ killSignal: "SIGLOST" }))
          expect(facts(error).slice(1, 4)).toEqual(["Unknown", "ChildProcess", "kill"])
          expect(yield* handle.isRunning).toBe(true)
        }))
    }

    test("refuse values that no process can receive, without quoting them", () =>
      Effect.gen(function* () {
        const secret = Redacted.make("s3c\0ret")
        const cases = [
          make("tr\0ue"),
          make("true", ["a", "b\0c"]),
          make("true", [secret]),
          make("true", [], { env: { A: "a\0b" } }),
          make("true", ["a"], { shell: true }),
          make("true", ["a"], { shell: "/bin/sh" }),
        ]
        for (const command of cases) expect(facts(yield* errorOf(command))).toEqual(bad)
        expect((yield* errorOf(make("true", ["a", "b\0c"]))).message).toBe(
          "ChildProcess.spawn: Argument 2 contains a NUL character",
        )
        expect((yield* errorOf(make("true", [], { env: { A: secret } }))).message).toBe(
          "ChildProcess.spawn: The environment variable A contains a NUL character",
        )
        expect(inspect(yield* errorOf(make("true", [secret])), { depth: 9 })).not.toContain("s3c")
      }))

    test("show no secrets", () =>
      Effect.gen(function* () {
        const secret = Redacted.make("s3cret")
        const command = make("no-such-program", ["--token", secret], { env: { TOKEN: secret } })
        const error = yield* errorOf(command)
        expect(error.message).toContain("no-such-program --token <redacted>")
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain("s3cret")
        const { write } = yield* workshop
        const script = make(write("script", "#!/no/such/interpreter\n", 0o755), [secret])
        expect(inspect(yield* errorOf(script), { depth: 9, showHidden: true })).not.toContain("s3cret")
        const handle = yield* make("sh", ["-c", "kill -9 $$", secret])
        expect(inspect(yield* Effect.flip(handle.exitCode), { depth: 9 })).not.toContain("s3cret")
      }))

    test("replace the exit code of a process that a signal ended", () =>
      Effect.gen(function* () {
        const handle = yield* sh("kill -9 $$")
        const error = yield* Effect.flip(handle.exitCode)
        expect(facts(error).slice(0, 4)).toEqual(["PlatformError", "Unknown", "ChildProcess", "exitCode"])
        expect(error.reason).toMatchObject({ pathOrDescriptor: "sh -c 'kill -9 $$'" })
        expect(String(error.cause)).toBe("Error: Process interrupted due to receipt of signal: 'SIGKILL'")
      }))

    test("are not made of exit codes, which are values", () =>
      Effect.gen(function* () {
        for (const code of [0, 1, 42, 255]) expect(yield* (yield* sh(`exit ${code}`)).exitCode).toBe(code)
      }))
  })
}
