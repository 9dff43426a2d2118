import { describe, expect } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { ChildProcess } from "effect/process"
import { workshop } from "../../../../support/workshop.ts"
import { type Part, sh, stdoutOf } from "./target.ts"

const { make } = ChildProcess

export const places: Part = (test, { does }) => {
  describe("directory and environment", () => {
    test("are the caller's where nothing is said", () =>
      Effect.gen(function* () {
        expect((yield* stdoutOf(make("pwd"))).trim()).toBe(process.cwd())
        expect((yield* stdoutOf(sh("echo $PATH"))).trim()).toBe(process.env.PATH)
      }))

    test("a directory may be relative to the caller's", () =>
      Effect.gen(function* () {
        expect((yield* stdoutOf(make("pwd", [], { cwd: "src/../tests" }))).trim()).toBe(`${process.cwd()}/tests`)
        expect((yield* stdoutOf(make({ cwd: "/" })`pwd`)).trim()).toBe("/")
      }))

    test("a program's path may be relative to the directory", () =>
      Effect.gen(function* () {
        const { directory, write } = yield* workshop
        write("bin/tool", "#!/bin/sh\necho tool\n", 0o755)
        expect(yield* stdoutOf(make("./bin/tool", [], { cwd: directory }))).toBe("tool\n")
      }))

    test("variables are added, replaced and removed", () =>
      Effect.gen(function* () {
        const seen = sh('echo "$A-$B-${HOME-none}-${PATH:+path}"', {
          env: { A: "1", B: "2", HOME: undefined },
          extendEnv: true,
        })
        expect(yield* stdoutOf(seen)).toBe("1-2-none-path\n")
        expect(yield* stdoutOf(seen.pipe(ChildProcess.setEnv({ B: "3" })))).toBe("1-3-none-path\n")
      }))

    test("variables are all that the child has, unless they extend", () =>
      Effect.gen(function* () {
        const alone = make("/bin/sh", ["-c", 'echo "$A-${HOME-none}"'], { env: { A: "1", B: undefined } })
        expect(yield* stdoutOf(alone)).toBe("1-none\n")
      }))

    test("a program is looked for in the child's PATH", () =>
      Effect.gen(function* () {
        const { directory, write } = yield* workshop
        write("only-here", "#!/bin/sh\necho here\n", 0o755)
        expect(yield* stdoutOf(make("only-here", [], { env: { PATH: directory } }))).toBe("here\n")
      }))

    test("secrets reach the child unchanged", () =>
      Effect.gen(function* () {
        const secret = Redacted.make("s3cret")
        const told = make("sh", ["-c", 'echo "$1 $TOKEN"', "sh", secret], { env: { TOKEN: secret }, extendEnv: true })
        expect(yield* stdoutOf(told)).toBe("s3cret s3cret\n")
      }))

    test("words are words: nothing is expanded", () =>
      Effect.gen(function* () {
        expect(yield* stdoutOf(make("printf", ["%s|", "a b", "$HOME", "*", "", "'", "\n"]))).toBe("a b|$HOME|*||'|\n|")
        const [name, many] = ["x y", ["1", "2"]]
        expect(yield* stdoutOf(make`printf ${"%s|"} ${name} ${many}`.pipe(ChildProcess.prefix`env`))).toBe("x y|1|2|")
      }))

    test("a script runs in the requested shell", () =>
      Effect.gen(function* () {
        expect(yield* stdoutOf(make("echo $0 | tr a-z A-Z", { shell: true }))).toBe("/BIN/SH\n")
        expect(yield* stdoutOf(make("echo ${BASH_VERSION:+bash}", { shell: "bash" }))).toBe("bash\n")
        expect(yield* stdoutOf(make("echo", ["$HOME"], { shell: false }))).toBe("$HOME\n")
      }))

    test("a file without a first line runs as a script", () =>
      Effect.gen(function* () {
        const { write } = yield* workshop
        expect(yield* stdoutOf(make(write("plain", "echo plain $1\n", 0o755), ["text"]))).toBe("plain text\n")
      }))

    if (does.argv0) {
      test("a program receives the name it was called by", () =>
        Effect.gen(function* () {
          expect(yield* stdoutOf(make("bash", ["-c", "echo $0"]))).toBe("bash\n")
        }))
    }

    test("a process leads its own group, unless it is not detached", () =>
      Effect.gen(function* () {
        const numbers = sh("echo $$ $(ps -o pgid= -p $$)")
        const [pid, group] = (yield* stdoutOf(numbers)).trim().split(" ")
        expect(group).toBe(pid)
        const attached = make(numbers.command, numbers.args, { detached: false })
        const [other, shared] = (yield* stdoutOf(attached)).trim().split(" ")
        expect(shared).not.toBe(other)
      }))
  })
}
