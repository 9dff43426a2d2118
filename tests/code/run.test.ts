/** Tests `Code.run` and `Code.result` beyond the scenarios of the exec document: options, limits, errors and Schemas. */
import { describe, expect, it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { LocalShell, type ShellExec } from "@sluice/shell"
import * as Code from "@sluice/shell/code"
import { MockRun, MockShell } from "@sluice/shell/testing"
import { workshop } from "../support/workshop.ts"
import { bash, liveWith, python, result, run } from "./support.ts"

const encoder = new TextEncoder()
const limits = liveWith("prlimit")

describe("v2", { concurrent: true }, () => {
  it.live("Custom environment variables: added, overridden, removed, or alone", () =>
    Effect.gen(function* () {
      const code = 'echo "$MINE ${HOME-none} $SECRET"'
      const env = { MINE: "a b", HOME: null, SECRET: Redacted.make("s3cret") }
      expect((yield* run(bash(code, { env }))).stdout).toBe("a b none s3cret\n")
      const alone = yield* run(bash("env", { env: { ONLY: "this" }, extendEnv: false }))
      expect(alone.stdout).toContain("ONLY=this\n")
      expect(alone.stdout).not.toContain("HOME=")
    }))

  it.live("Stdin: text, bytes, and a stream that is pulled only as it is read", () =>
    Effect.gen(function* () {
      expect((yield* run(bash("cat; echo", { input: "text é" }))).stdout).toBe("text é\n")
      expect((yield* run(bash("wc -c", { input: Uint8Array.of(0, 255, 10) }))).stdout.trim()).toBe("3")
      const stdin = Stream.make("one\n", "two\n").pipe(Stream.map((text) => encoder.encode(text)))
      expect((yield* run(bash("read a; read b; echo $b $a"), { stdin })).stdout).toBe("two one\n")
      const error = yield* Effect.flip(run(bash("#".repeat(200_000)), { stdin }))
      expect(error).toMatchObject({ _tag: "PreExecutionError", reason: { code: "E2BIG" } })
    }))

  limits("Resource limits: processor time that is over", () =>
    Effect.gen(function* () {
      expect(yield* result(bash("echo on; while :; do :; done", { limits: { cpuSeconds: 1 } }))).toMatchObject({
        success: false,
        level: "resource",
        exitCode: 152,
        signal: "SIGXCPU",
        error: "exec: Process exceeded its limit of 1s of processor time (SIGXCPU)",
        stdout: "on\n",
      })
    }))

  limits("Resource limits: memory that is used up, in the words of the language", () =>
    Effect.gen(function* () {
      const memoryBytes = 300_000_000
      const code = "echo on; x=$(head -c 1000000000 /dev/zero | tr '\\0' a)"
      expect(yield* result(bash(code, { limits: { memoryBytes } }))).toMatchObject({
        success: false,
        level: "resource",
        stdout: "on\n",
        error: `exec: Process exceeded its limit of ${memoryBytes} bytes of memory (ENOMEM)`,
      })
      const own = yield* Effect.flip(run(bash("echo out of memory >&2; exit 1")))
      expect(own._tag).toBe("ExecutionError")
    }))

  limits("Resource limits: a file that is too large", () =>
    Effect.gen(function* () {
      const { directory, size } = yield* workshop
      const error = yield* Effect.flip(
        run(bash("while :; do echo 123456789; done > large", {
          cwd: directory,
          limits: { fileSizeBytes: 1_000 },
        })),
      )
      expect(error).toMatchObject({
        _tag: "ResourceError",
        reason: { _tag: "LimitExceeded", limit: "fileSizeBytes", value: 1_000 },
        message: "exec: Process exceeded its limit of 1000 bytes of a file (SIGXFSZ)",
      })
      expect(size("large")).toBe(1_000)
    }))

  limits("Resource limits: buffers of Node that do not fit", () =>
    Effect.gen(function* () {
      const memoryBytes = 3_000_000_000
      for (const code of ["new ArrayBuffer(8e9)", "const a = []; for (;;) a.push(Buffer.alloc(1e8))"]) {
        const got = yield* result({ language: "javascript", code, limits: { memoryBytes }, timeout: "30 seconds" })
        const error = `exec: Process exceeded its limit of ${memoryBytes} bytes of memory (ENOMEM)`
        expect(got).toMatchObject({ level: "resource", error, exitCode: 1 })
      }
    }))

  liveWith("prlimit", "python3")(
    "Resource limits: memory, whose exhaustion the code sees itself",
    () =>
      Effect.gen(function* () {
        const got = yield* result(python("x = bytearray(10**9)", { limits: { memoryBytes: 300_000_000 } }))
        expect(got).toMatchObject({ success: false, level: "resource", exitCode: 1 })
        expect(got.stderr).toContain("MemoryError")
      }),
  )

  it.live("Parallel execution: up to the limit of the leaf, the others queued", () =>
    Effect.gen(function* () {
      const { directory } = yield* workshop
      // Each sees how many are there with it.
      const code = "mkdir $$; ls | wc -l; sleep 0.3; rmdir $$"
      const counts = yield* Effect.forEach(
        [1, 2, 3, 4, 5, 6],
        () => Code.run(bash(code, { cwd: directory })),
        { concurrency: "unbounded" },
      ).pipe(Effect.provide(LocalShell.layerWith({ maxConcurrency: 2 })))
      const most = Math.max(...counts.map(({ stdout }) => Number(stdout)))
      expect(counts).toHaveLength(6)
      expect(most).toBe(2)
    }))

  it.effect("Parallel execution: a request beyond the queue is refused and not started", () =>
    Effect.gen(function* () {
      const results = yield* Effect.forEach([1, 2, 3], () => Code.result(bash("x", { timeout: "1 minute" })), {
        concurrency: "unbounded",
      })
      expect(results.filter(({ success }) => success)).toHaveLength(2)
      expect(results.find(({ success }) => !success)).toMatchObject({
        level: "pre-execution",
        error: "exec: 1 commands run (maxConcurrency) and 1 wait (maxQueued); " +
          "try again later, or raise these options of the leaf (THROTTLED)",
      })
    }).pipe(
      Effect.provide(
        MockShell.layerWith([MockShell.on(() => true, MockRun.effect(() => Effect.yieldNow))], {
          maxConcurrency: 1,
          maxQueued: 1,
        }),
      ),
    ))

  it.live("cancels by a signal, and by one that was aborted before", () =>
    Effect.gen(function* () {
      const aborted = AbortSignal.abort()
      expect(yield* result(bash("echo never"), { signal: aborted })).toMatchObject({
        level: "resource",
        error: "exec: bash was cancelled (CANCELLED)",
        stdout: "",
      })
    }))
})

describe("requests that no process can represent", () => {
  const wrong: ReadonlyArray<readonly [what: string, more: Partial<Code.CodeInput>, error: RegExp]> = [
    ["a NUL in the code", { code: "a\0b" }, /^exec: the code contains a NUL \(EINVAL\)$/],
    ["half a surrogate pair", { code: "\ud800" }, /^exec: the code contains half a surrogate pair \(EINVAL\)$/],
    ["a timeout of no time", { timeout: 0 }, /^exec: the request cannot be run: .*time.* \(EINVAL\)$/],
    ["a timeout without end", { timeout: Duration.infinity }, /^exec: the request cannot be run: .* \(EINVAL\)$/],
    ["an id with a line break", { commandId: "a\nb" }, /^exec: the request cannot be run: .* \(EINVAL\)$/],
    ["half a byte of output", { maxOutputBytes: 0.5 }, /^exec: maxOutputBytes must be a whole number .* \(EINVAL\)$/],
    [
      "more output than fits",
      { maxOutputBytes: 2 ** 40 },
      /^exec: maxOutputBytes must be a whole number .* \(EINVAL\)$/,
    ],
    ["less than no output", { maxOutputBytes: -1 }, /^exec: maxOutputBytes must be a whole number .* \(EINVAL\)$/],
    ["a variable without a name", { env: { "": "x" } }, /^exec: the variable "" has an empty name \(EINVAL\)$/],
    ["a directory without a name", { cwd: "" }, /^exec: the working directory is empty \(EINVAL\)$/],
  ]

  it.live.each(wrong)("reports the problem with %s", ([, more, error]) =>
    Effect.gen(function* () {
      const got = yield* result({ language: "bash", code: "true", ...more })
      expect(got).toMatchObject({ success: false, level: "pre-execution" })
      expect(got.error).toMatch(error)
    }))
})

describe("Code.run and Code.result", () => {
  it.live("are two shapes of one outcome", () =>
    Effect.gen(function* () {
      for (
        const request of [
          bash("echo fine"),
          bash("echo bad >&2; exit 9"),
          bash("kill -TERM $$"),
          bash("printf '\\xff'"),
          bash("true", { cwd: "/tmp/ghost" }),
          { language: "klingon", code: "" },
        ]
      ) {
        const same = { ...request, commandId: "same" }
        const { duration: _, ...flat } = yield* result(same)
        const outcome = yield* Effect.match(run(same), { onFailure: Code.toResult, onSuccess: Code.toResult })
        const { duration: __, ...derived } = outcome
        expect(derived).toEqual(flat)
      }
    }))

  it.live("distinguish the three levels by tag, and the problems by reason", () =>
    Effect.gen(function* () {
      const what = (request: Code.CodeInput) =>
        run(request).pipe(
          Effect.map(({ stdout }) => `fine ${stdout}`),
          Effect.catchReason("ExecutionError", "Exited", ({ exitCode }) => Effect.succeed(`exit ${exitCode}`)),
          Effect.catchTag("ExecutionError", ({ signal }) => Effect.succeed(`crash ${signal}`)),
          Effect.catchReason("ResourceError", "BinaryOutput", ({ offset }) => Effect.succeed(`binary ${offset}`)),
          Effect.catchTag("PreExecutionError", ({ reason }) => Effect.succeed(`not run ${reason._tag}`)),
        )
      expect(yield* what(bash("printf x"))).toBe("fine x")
      expect(yield* what(bash("exit 5"))).toBe("exit 5")
      expect(yield* what(bash("kill -ABRT $$"))).toBe("crash SIGABRT")
      expect(yield* what(bash("printf '\\xff'"))).toBe("binary 0")
      expect(yield* what(bash("true", { env: { PATH: "/nowhere" } }))).toBe("not run NotFound")
    }))

  it.live("encode every outcome to JSON and back", () =>
    Effect.gen(function* () {
      const json = Schema.fromJsonString(Code.CodeResult)
      const errors = Schema.fromJsonString(Code.CodeError)
      for (const request of [bash("echo é; exit 2"), bash("printf '\\xff'"), { language: "none", code: "" }]) {
        const flat = yield* result(request)
        expect(yield* Schema.decodeEffect(json)(yield* Schema.encodeEffect(json)(flat))).toEqual(flat)
        const error = yield* Effect.flip(run(request))
        const back = yield* Schema.decodeEffect(errors)(yield* Schema.encodeEffect(errors)(error))
        expect(back).toEqual(error)
        expect(Code.toResult(back)).toEqual(Code.toResult(error))
      }
    }))

  it.live("read a request of JSON: language and code are enough, times are milliseconds", () =>
    Effect.gen(function* () {
      const decode = Schema.decodeUnknownEffect(Code.CodeRequest)
      const least = yield* decode({ language: "bash", code: "echo $A; cat" })
      expect(Duration.toMillis(least.timeout)).toBe(30_000)
      expect(least.maxOutputBytes).toBe(1_048_576)
      const most = yield* decode({
        ...{ language: "bash", code: "echo $A; cat", timeout: 2_000, grace: 0, maxOutputBytes: 5 },
        ...{ environment: { A: "abc", B: null }, input: { _tag: "Bytes", base64: "ZA==" }, commandId: "id-1" },
        ...{ workingDirectory: "/", inheritEnvironment: true, limits: {} },
      })
      expect((yield* decode({ language: "bash", code: "", version: "5" })).version).toBe("5")
      expect(yield* result(most)).toMatchObject({ success: true, stdout: "abc\nd", commandId: "id-1" })
      for (
        const wrong of [{ code: "x" }, { language: 1, code: "x" }, { language: "bash", code: "", timeout: -1 }, {
          ...bash(""),
          maxOutputBytes: 2 ** 40,
        }]
      ) {
        expect((yield* Effect.flip(decode(wrong)))._tag).toBe("SchemaError")
      }
    }))

  it.effect("hand every field of a request to the leaf", () =>
    Effect.gen(function* () {
      const seen = yield* Effect.gen(function* () {
        yield* Code.run({
          ...bash("code", { commandId: "c-1", cwd: "/w", env: { A: null } }),
          ...{ extendEnv: false, timeout: "5 seconds", grace: "1 second", input: "in" },
          limits: { cpuSeconds: 3 },
        })
        return (yield* MockShell.calls)[0]?.exec
      }).pipe(Effect.provide(MockShell.layer([MockShell.on("bash", MockRun.exit(0))])))
      const expected: Partial<ShellExec> = {
        commandId: "c-1",
        command: "bash",
        workingDirectory: "/w",
        environment: { A: null },
        inheritEnvironment: false,
        timeout: Duration.seconds(5),
        grace: Duration.seconds(1),
        input: "in",
        limits: { cpuSeconds: 3 },
        useShell: false,
      }
      expect(seen).toMatchObject(expected)
    }))
})
