import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { InputReader } from "../../../src/cli/CliProcess.ts"
import { codeFlags } from "../../../src/cli/code/codeSpec.ts"
import * as Code from "../../../src/code/mod.ts"
import { eventually, settled } from "../../support/eventually.ts"
import { heartbeat } from "../../support/heartbeat.ts"
import { workshop } from "../../support/workshop.ts"
import { fakeProcess, runFakeProcess, runInProcess, sluice, startSluice } from "../support.ts"

const bash = (...words: ReadonlyArray<string>) => runInProcess("code", "--language", "bash", ...words)

const JsonObject = Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown))

const camelCase = (name: string): string => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

/** The result of a line; each name of it is in snake case. */
const resultOf = (line: string): Code.CodeResult => {
  const entries = Object.entries(Schema.decodeUnknownSync(JsonObject)(line))
  expect(entries.filter(([name]) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([])
  const { durationMs: duration, ...result } = Object.fromEntries(
    entries.map(([name, value]) => [camelCase(name), value]),
  )
  return Schema.decodeUnknownSync(Code.CodeResult)(duration === undefined ? result : { ...result, duration })
}

it.live("writes both outputs of code, and exits with its status", () =>
  Effect.gen(function* () {
    expect(yield* bash("echo out; echo err >&2; exit 7")).toEqual({ status: 7, stdout: "out\n", stderr: "err\n" })
    expect(yield* bash("kill -KILL $$")).toEqual({ status: 137, stdout: "", stderr: "" })
    expect(yield* runInProcess("code", "echo $#", "--language=bash")).toMatchObject({ status: 0, stdout: "0\n" })
    expect(yield* bash("--", "-no-such-thing")).toMatchObject({ status: 127, stdout: "" })
  }))

it.live("writes one result as JSON, and exits as the code does", () =>
  Effect.gen(function* () {
    const fine = yield* bash("--json", "echo out; echo err >&2")
    expect([fine.status, fine.stderr]).toEqual([0, ""])
    expect(fine.stdout.match(/\n/g)).toHaveLength(1)
    expect(resultOf(fine.stdout)).toMatchObject({ success: true, exitCode: 0, stdout: "out\n", stderr: "err\n" })
    const bad = yield* bash("--json", "exit 3")
    expect(bad.stdout).toMatch(/^\{"success":false,.*"exit_code":3.*"duration_ms":\d.*"command_id":"/)
    for (const name of ["success", "exit_code", "stdout", "stderr", "error"]) {
      expect(codeFlags.json.about).toContain(name)
      if (name !== "error") expect(bad.stdout).toContain(`"${name}":`)
    }
    expect([bad.status, resultOf(bad.stdout)]).toEqual([3, expect.objectContaining({ success: false, exitCode: 3 })])
    const much = yield* bash("--json", "--max-output", "10", "echo 12345678901234567890")
    expect(much.status).toBe(125)
    expect(resultOf(much.stdout)).toMatchObject({
      success: false,
      stdout: "12345\n[… 11 bytes left out …]\n7890\n",
      error: "exec: output exceeded 10 bytes, 11 bytes were omitted from its middle (EMSGSIZE)",
    })
    const unread = yield* bash("--json", "--file", "/tmp/ghost")
    expect([unread.status, unread.stderr]).toEqual([125, ""])
    expect(resultOf(unread.stdout)).toMatchObject({ success: false, level: "pre-execution" })
    const none = yield* bash("--json", "--cwd", "/tmp/ghost", "true")
    expect([none.status, none.stderr]).toEqual([127, ""])
    expect(resultOf(none.stdout).error).toBe("exec: Working directory does not exist '/tmp/ghost' (ENOENT)")
  }))

it.live("has a status of its own for failures outside the code, and reports them in one line", () =>
  Effect.gen(function* () {
    expect(yield* bash("--timeout", "1s", "--grace", "100ms", "trap '' TERM; echo so far; sleep 60")).toEqual({
      status: 124,
      stdout: "so far\n",
      stderr: "exec: Process timeout after 1s (TIMEOUT)\n",
    })
    expect(yield* bash("--cwd", "/tmp/ghost", "true")).toEqual({
      status: 127,
      stdout: "",
      stderr: "exec: Working directory does not exist '/tmp/ghost' (ENOENT)\n",
    })
    expect(yield* bash("--env", "PATH=/nowhere", "true")).toEqual({
      status: 127,
      stdout: "",
      stderr: "exec: bash not found in PATH (ENOENT)\n",
    })
    expect(yield* runInProcess("code", "--language", "klingon", "x")).toMatchObject({
      status: 125,
      stderr: expect.stringMatching(/^exec: no interpreter for the language "klingon"; there are bash, [^\n]*\n$/),
    })
  }))

it.live("runs the version of --version, which other commands keep for their own", () =>
  Effect.gen(function* () {
    const major = (yield* bash("echo $BASH_VERSINFO")).stdout
    expect(yield* bash("--version", major.trim(), "echo $BASH_VERSINFO")).toMatchObject({ status: 0, stdout: major })
    expect(yield* bash("--version", "0.1", "true")).toMatchObject({
      status: 127,
      stdout: "",
      stderr: expect.stringMatching(
        /^exec: no bash of version 0\.1 for the language "bash"; there is [\d., ]+ \(ENOENT\)\n$/,
      ),
    })
    expect(yield* bash("--version", "new", "true")).toMatchObject({
      status: 125,
      stderr: 'exec: the version "new" is not numbers with dots, as in 3 or 3.11 (EINVAL)\n',
    })
    expect(yield* runInProcess("run", "--version")).toMatchObject({ stdout: expect.stringMatching(/^sluice v/) })
  }))

const latin = Uint8Array.of(0x65, 0xff)

/** Bash, with inputs that are read a few bytes at a time. */
const bashReading = (inputs: Readonly<Record<string, string | Uint8Array>>, ...words: ReadonlyArray<string>) => {
  const openInput = (source: string): Promise<InputReader> => {
    const input = inputs[source]
    if (input === undefined) return Promise.reject(new Error(`no ${source} here`))
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input
    const size = Math.max(3, Math.ceil(bytes.length / 20))
    let at = 0
    const read = () => Promise.resolve(at < bytes.length ? bytes.subarray(at, at += size) : undefined)
    return Promise.resolve({ read, close: () => {} })
  }
  return runFakeProcess({ ...fakeProcess(["code", "--language", "bash", ...words]), openInput })
}

it.live("reads code from stdin or from a file, and input for it", () =>
  Effect.gen(function* () {
    const code = "\ufeffread -r line; echo é got $line $A; exit 4\n"
    const got = { status: 4, stdout: "é got a line x y\n", stderr: "" }
    const input = ["--env", "A=x y", "--input"]
    expect(yield* bashReading({ "-": code, "in": "a line\n" }, "-", ...input, "in")).toEqual(got)
    expect(yield* bashReading({ "c.sh": code, "-": "a line\n" }, "--file", "c.sh", ...input, "-")).toEqual(got)
    const long = `#${"x".repeat(1_048_576)}\necho long`
    expect(yield* bashReading({ "-": long }, "--file", "-")).toMatchObject({ status: 0, stdout: "long\n" })
  }))

const unreadable: ReadonlyArray<readonly [what: string, file: string, problem: string]> = [
  ["a file that is not there", "none", "--file: none: no none here"],
  ["a file that is not UTF-8", "latin", "--file: latin: it is not UTF-8"],
  ["a stdin that is not UTF-8 at its end", "-", "--file: stdin: it is not UTF-8"],
  ["a file of more than 16 MiB", "large", "--file: large: it has more than 16777216 bytes"],
]

it.live.each(unreadable)("takes no code from %s", ([, file, problem]) =>
  Effect.gen(function* () {
    const inputs = { latin, "-": Uint8Array.of(0x65, 0xe2), "large": new Uint8Array(16_777_217) }
    expect(yield* bashReading(inputs, "--file", file)).toEqual({
      status: 125,
      stdout: "",
      stderr: `sluice: ${problem}\n`,
    })
  }))

it.live("reads its own stdin as a process of its own", () =>
  Effect.gen(function* () {
    const { status, stdout } = yield* sluice(["code", "--language", "bash", "-"], {
      input: "printf 'a\\xc3\\xa9'; exit 2",
    })
    expect({ status, stdout }).toEqual({ status: 2, stdout: "aé" })
  }))

it.live("ends the whole tree at Ctrl-C, and exits with the status of the signal", () =>
  Effect.scoped(Effect.gen(function* () {
    const { path, size } = yield* workshop
    const code = `(${heartbeat(path("heartbeat"))}) & wait`
    const running = yield* startSluice(["code", "--language", "bash", "--grace", "200ms", code])
    yield* eventually("it runs", () => size("heartbeat") > 2)
    running.signal("SIGINT")
    expect(yield* running.status).toBe(130)
    expect(running.stderr()).toBe("exec: bash was cancelled (CANCELLED)\n")
    const beats = size("heartbeat")
    expect(yield* settled(() => size("heartbeat"))).toBe(beats)
  })))

it.live("journals a run with --journal", () =>
  Effect.scoped(Effect.gen(function* () {
    const { path, read } = yield* workshop
    const journal = path("runs.ndjson")
    expect(yield* bash("--journal", journal, "echo kept")).toMatchObject({ status: 0, stdout: "kept\n" })
    expect(yield* bash("--journal", journal, "--json", "echo also")).toMatchObject({ status: 0 })
    expect(read("runs.ndjson").match(/"tag":"ShellOutput"/g)).toHaveLength(2)
    expect(read("runs.ndjson")).toContain("echo also")
  })))

const wrong: ReadonlyArray<readonly [words: ReadonlyArray<string>, problem: string]> = [
  [[], "missing --language, as in sluice code --language python 'print(1)'"],
  [["--language", "bash"], "missing code: quote it"],
  [["--language", "bash", "echo", "1"], "the code must be one argument: quote it"],
  [["--languag", "bash", "true"], 'unknown flag --languag; did you mean "--language"?'],
  [["--language", "bash", "--timeout", "5d", "true"], `--timeout: "5d" is not a duration`],
]

it.effect.each(wrong)(
  "reports the problem with %j in one line, and exits with 125",
  ([words, problem]) =>
    Effect.gen(function* () {
      const { status, stderr, stdout } = yield* runInProcess("code", ...words)
      expect({ status, stdout }).toEqual({ status: 125, stdout: "" })
      expect(stderr).toMatch(/^sluice: /)
      expect(stderr).toContain(problem)
      expect(stderr.match(/\n/g)).toHaveLength(1)
    }),
)

it.effect("lists every flag and every language in its help", () =>
  Effect.gen(function* () {
    const { status, stdout } = yield* runInProcess("code", "--help")
    expect(status).toBe(0)
    for (const [name, { about }] of Object.entries(codeFlags)) {
      expect(stdout).toContain(`--${name}`)
      expect(stdout).toContain(about)
    }
    for (const language of Object.keys(Code.interpreters)) expect(stdout).toContain(language)
  }))
