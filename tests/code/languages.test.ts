/** Tests each language with its real interpreter. */
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { LocalShell } from "@sluice/shell"
import * as Code from "@sluice/shell/code"
import { KernelShell } from "@sluice/shell/sandbox"
import { MockRun, MockShell } from "@sluice/shell/testing"
import { bash, has, result, run } from "./support.ts"

interface Sample {
  /** Prints `ok`, and ends with 3. */
  readonly fails: string
  /** Prints what stdin has, after `read `. */
  readonly reads: string
  /** A line that does nothing, of so many characters. */
  readonly comment: (length: number) => string
}

const slashes = (length: number): string => `//${"x".repeat(length - 2)}\n`
const hash = (length: number): string => `#${"é".repeat(length - 1)}\n`

const samples: Readonly<Record<string, Sample>> = {
  bash: { fails: "echo ok; exit 3", reads: 'echo "read $(cat)"', comment: hash },
  javascript: {
    fails: "console.log('ok'); process.exitCode = 3",
    reads: "console.log('read ' + require('node:fs').readFileSync(0, 'utf8'))",
    comment: slashes,
  },
  python: {
    fails: "print('ok')\nraise SystemExit(3)",
    reads: "import sys; print('read ' + sys.stdin.read())",
    comment: hash,
  },
  bun: {
    fails: "const ok: string = 'ok'; console.log(ok, typeof Bun === 'object' ? '' : 'no'); process.exit(3)",
    reads: "console.log('read ' + await Bun.stdin.text())",
    comment: slashes,
  },
  deno: {
    fails: "console.log('ok', typeof Deno === 'object' ? '' : 'no'); Deno.exit(3)",
    reads: "console.log('read ' + await new Response(Deno.stdin.readable).text())",
    comment: slashes,
  },
  perl: { fails: "print 'ok'; exit 3", reads: "print 'read ', <STDIN>", comment: hash },
  typescript: {
    fails: "enum Say { Ok = 'ok' }; console.log(Say.Ok); Deno.exit(3)",
    reads: "const text: string = await new Response(Deno.stdin.readable).text(); console.log('read ' + text)",
    comment: slashes,
  },
}

const here = Object.entries(samples).filter(([language]) => has(Code.interpreters[language]?.command ?? language))

describe.each(here)("%s", { concurrent: true }, (language, { comment, fails, reads }) => {
  it.live("runs code, and ends with its status", () =>
    Effect.gen(function* () {
      const got = yield* result({ language, code: fails })
      expect(got).toMatchObject({ success: false, level: "execution", exitCode: 3, stderr: "" })
      expect(got.stdout.trim()).toBe("ok")
    }))

  it.live("gives code its input", () =>
    Effect.gen(function* () {
      expect((yield* run({ language, code: reads, input: "été" })).stdout.trim()).toBe("read été")
    }))

  it.live("runs 1 MiB of code, whose stdin is at its end", () =>
    Effect.gen(function* () {
      const code = comment(1_048_576) + reads
      expect((yield* run({ language, code })).stdout.trim()).toBe("read")
    }))

  it.live("accepts code that is empty or begins with a dash", () =>
    Effect.gen(function* () {
      expect(yield* result({ language, code: "" })).toMatchObject({ success: true, stdout: "", stderr: "" })
      const dashed = yield* result({ language, code: `-1;\n${fails}` })
      // Bash finds no command of that name, and goes on; for the others it is a number.
      expect(dashed.exitCode).toBe(3)
      expect(dashed.stdout.trim()).toBe("ok")
    }))
})

it("has real interpreters to test with", () => {
  expect(here.map(([language]) => language)).toEqual(expect.arrayContaining(["bash", "javascript", "bun", "deno"]))
})

describe("longer code than an argument can be", { concurrent: true }, () => {
  const longest = 131_071
  const code = (bytes: number): string => `${"#".repeat(bytes - '\necho $# "$(cat)"'.length)}\necho $# "$(cat)"`

  it.live("goes as an argument as long as it can, and then by stdin", () =>
    Effect.gen(function* () {
      expect((yield* run(bash(code(longest), { input: "input" }))).stdout).toBe("0 input\n")
      const error = yield* Effect.flip(run(bash(code(longest + 1), { input: "input" })))
      expect(error).toMatchObject({
        _tag: "PreExecutionError",
        reason: { _tag: "InvalidRequest", field: "code", code: "E2BIG" },
        message: "exec: the code has 131072 bytes, and code of more than 131071 is passed by stdin, " +
          "which has other input (E2BIG)",
      })
      expect((yield* run(bash(code(longest + 1)))).stdout).toBe("0 \n")
    }))

  it.live("counts bytes, not characters", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(run(bash(`#${"é".repeat(65_536)}`, { input: "" })))
      expect(error.message).toContain("exec: the code has 131073 bytes")
    }))

  it.live("is refused where the interpreter takes it as an argument only", () =>
    Effect.gen(function* () {
      const interpreters = { sh: { command: "sh", args: ["-c"] } }
      const got = yield* Effect.flip(run({ language: "sh", code: "#".repeat(longest + 1) })).pipe(
        Effect.provideService(Code.Interpreters, interpreters),
      )
      expect(got.message).toBe(
        "exec: the code has 131072 bytes, and sh takes code only as an argument, of at most 131071 (E2BIG)",
      )
    }))

  it.effect("is as long as a command line can be on Windows", () =>
    Effect.gen(function* () {
      yield* Code.run(bash("x".repeat(8_191)))
      yield* Code.run(bash("x".repeat(8_192)))
      const [asArgument, byStdin] = yield* MockShell.calls
      expect(asArgument?.exec.arguments.at(-1)).toHaveLength(8_191)
      expect(byStdin?.exec).toMatchObject({ arguments: ["-c", 'eval "$(cat)"'], input: "x".repeat(8_192) })
    }).pipe(
      Effect.provide(
        MockShell.layerWith([MockShell.on(() => true, MockRun.readInput)], { capabilities: { platform: "windows" } }),
      ),
    ))
})

describe("the table of interpreters", () => {
  it.live("is a value of the context: a language more, or one less", () =>
    Effect.gen(function* () {
      const { bash: own, python: _, ...rest } = Code.interpreters
      const upper = { command: "sh", args: ["-c", 'printf %s "$0" | tr a-z A-Z'] }
      const interpreters = { ...rest, shell: own ?? upper, upper }
      yield* Effect.gen(function* () {
        expect((yield* run({ language: "upper", code: "loud" })).stdout).toBe("LOUD")
        expect((yield* run({ language: "shell", code: "echo $BASH" })).stdout).toContain("bash")
        expect(yield* Effect.flip(run({ language: "python", code: "" }))).toMatchObject({
          reason: { _tag: "UnknownLanguage", known: Object.keys(interpreters) },
        })
      }).pipe(Effect.provideService(Code.Interpreters, interpreters))
    }))

  it.live("says on one line that it has no interpreter, whatever the request", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(run({ language: "bash\n\u001b[2J", code: "" }))
      expect(message).toMatch(/^exec: no interpreter for the language "bash\\n\\u001b\[2J"; .* \(EINVAL\)$/)
    }))

  it.effect("knows ruby like the other languages", () =>
    Effect.gen(function* () {
      yield* Code.run({ language: "ruby", code: "puts 1" })
      yield* Code.run({ language: "ruby", code: "#".repeat(200_000) })
      const [short, long] = yield* MockShell.calls
      expect(short?.exec).toMatchObject({ command: "ruby", arguments: ["-e", "puts 1"] })
      expect(long?.exec).toMatchObject({ command: "ruby", arguments: ["-"] })
    }).pipe(Effect.provide(MockShell.layer([MockShell.on("ruby", MockRun.readInput)]))))
})

describe("a chosen leaf", () => {
  it.live("runs bash in the kernel, without this machine", () =>
    Effect.gen(function* () {
      const kernel = KernelShell.layerWith({ files: { "names.txt": "Ada\nGrace\nAda\n" } })
      const code = "sort names.txt | uniq -c | sort -rn | head -n 1; ls /etc/passwd; echo $((6 * 7)) >&2; exit 4"
      const got = yield* Effect.provide(Code.result(bash(code)), kernel)
      expect(got).toMatchObject({ level: "execution", exitCode: 4, stdout: "      2 Ada\n" })
      expect(got.stderr).toMatch(/\/etc\/passwd[^]*\n42\n$/)
    }))

  it.live("runs 1 MiB of bash in the kernel, too", () =>
    Effect.gen(function* () {
      const code = `#${"x".repeat(1_048_576)}\necho end; cat`
      expect((yield* Effect.provide(Code.run(bash(code)), KernelShell.layer)).stdout).toBe("end\n")
    }))

  it.live("reports what the kernel lacks", () =>
    Effect.gen(function* () {
      const got = yield* Effect.provide(Code.result({ language: "python", code: "print(1)" }), KernelShell.layer)
      expect(got).toMatchObject({ level: "pre-execution", error: "exec: python3 not found in PATH (ENOENT)" })
    }))

  it.live("ends code in the kernel at its timeout", () =>
    Effect.gen(function* () {
      const request = bash("echo on; while :; do sleep 0.01; done", { timeout: "300 millis" })
      expect(yield* Effect.provide(Code.result(request), KernelShell.layer)).toMatchObject({
        level: "resource",
        error: "exec: Process timeout after 300ms (TIMEOUT)",
        stdout: "on\n",
      })
    }))

  it.live("runs in the base directory of the leaf", () =>
    Effect.gen(function* () {
      const layer = LocalShell.layerWith({ cwd: "/" })
      expect(yield* result(bash("pwd"), {}, layer)).toMatchObject({ stdout: "/\n" })
    }))
})
