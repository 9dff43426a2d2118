import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { readFileSync } from "node:fs"
import { Sandbox } from "../../../../src/sandbox/mod.ts"

const Recorded = Schema.Struct({
  files: Schema.Record(Schema.String, Schema.String),
  cases: Schema.Array(Schema.Struct({ script: Schema.String, stdout: Schema.String, exitCode: Schema.Int })),
})
const recorded = Schema.decodeUnknownSync(Schema.fromJsonString(Recorded))(
  readFileSync(new URL("./recorded.json", import.meta.url), "utf8"),
)

const open = (limits: Sandbox.SandboxLimits = {}) =>
  Sandbox.make({
    files: Object.fromEntries(Object.entries(recorded.files).map(([name, text]) => [`/w/${name}`, text])),
    cwd: "/w",
    env: { HOME: "/h", TZ: "UTC", LC_ALL: "C.UTF-8" },
    limits,
  })

it.live("has the output of gawk", () =>
  Effect.gen(function* () {
    for (const { exitCode, script, stdout } of recorded.cases) {
      const given = yield* Effect.flatMap(open(), (sandbox) => sandbox.run(script)).pipe(Effect.scoped)
      expect({ stdout: given.stdout, exitCode: given.exitCode }, script).toEqual({ stdout, exitCode })
    }
  }), 120_000)

it.live.each(
  [
    ["an endless loop", "awk 'BEGIN { while (1) n++ }'"],
    [
      "an endless function",
      "awk 'function f(n) { return n ? f(n) : 0 } BEGIN { for (;;) g(); } function g() { return 1 }'",
    ],
    ["endless input", "yes | awk '{ n++ } END { print n }'"],
    ["endless output", "awk 'BEGIN { for (;;) print \"x\" }' > /dev/null"],
    ["a command that never ends", "awk 'BEGIN { \"sleep 1000\" | getline x }'"],
  ] as const,
)("is ended at the timeout in %s", ([, script]) =>
  Effect.gen(function* () {
    const sandbox = yield* open()
    const error = yield* Effect.flip(sandbox.run(script, { timeout: "300 millis" }))
    expect(error).toMatchObject({ reason: { _tag: "Timeout" } })
    expect((yield* sandbox.run("echo alive")).stdout).toBe("alive\n")
  }).pipe(Effect.scoped))

it.live.each(
  [
    ["a text that doubles", "awk 'BEGIN { s = \"x\"; for (;;) s = s s }'", "longer than"],
    [
      "an array that grows",
      'awk \'BEGIN { s = sprintf("%100000s", ""); for (;;) a[i++] = s i }\'',
      "its values would take too much memory",
    ],
    ["a deep recursion", "awk 'function f(n) { return f(n + 1) } BEGIN { f(1) }'", "too deep"],
    ["a field far out", "awk 'BEGIN { $999999999 = 1 }'", "at most"],
    ["a negative field", "awk 'BEGIN { print $(-1) }'", "attempt to access field -1"],
    ["a wide format", "awk 'BEGIN { printf \"%999999999d\", 1 }'", "a width of 999999999"],
    ["many open files", "awk 'BEGIN { for (i = 0; i < 1000; i++) print i > (\"f\" i) }'", "are open"],
    ["division by zero", "awk 'BEGIN { x = 0; print 1 / x }'", "division by zero"],
    ["a line without an end", "awk 1 /dev/zero", "line too long"],
    ["a record without an end", "awk -v RS= 1 /dev/zero", "line too long"],
    ["a missing file", "awk 1 missing.txt", "cannot open file 'missing.txt'"],
  ] as const,
)("fails with exit code 2 for %s", ([, script, message]) =>
  Effect.gen(function* () {
    const result = yield* (yield* open()).run(script)
    expect(result.stderr).toMatch(/^awk: /)
    expect(result.stderr).toContain(message)
    expect(result.exitCode).toBe(2)
  }).pipe(Effect.scoped))

it.live.each(
  [
    ["awk 'BEGIN { print 1 +'", "syntax error: unexpected end of the program"],
    ["awk '{ print $1 ]'", "syntax error: unexpected ']'"],
    ["awk '/[/'", "unterminated regular expression"],
    ["awk 'BEGIN { print \"a'", "unterminated string"],
    ["awk 'BEGIN { f(1) }'", "function f is not defined"],
    ["awk 'BEGIN { a[1] = 1; print a }'", "the array a is used as a single value"],
    ["awk 'BEGIN { break }'", "'break' is outside of a loop"],
    ["awk 'BEGIN { print substr(\"x\") }'", "wrong number of arguments for substr"],
    ['awk \'BEGIN { print "x" |& "cat" }\'', "coprocess"],
  ] as const,
)("refuses %s", ([script, message]) =>
  Effect.gen(function* () {
    const result = yield* (yield* open()).run(script)
    expect(result.stderr).toContain(message)
    expect(result.exitCode).toBe(1)
  }).pipe(Effect.scoped))

it.live("keeps the order of its own output and that of its commands", () =>
  Effect.gen(function* () {
    const script =
      `awk 'BEGIN { print 1; system("echo 2"); print 3 | "cat"; close("cat"); print 4; fflush(); system("echo 5") }'`
    expect((yield* (yield* open()).run(script)).stdout).toBe("1\n2\n3\n4\n5\n")
  }).pipe(Effect.scoped))

it.live("finds a separator that continues in the next read", () =>
  Effect.gen(function* () {
    // The pipe gives pieces of 4 KiB and less: separators of several letters are cut.
    const script = `awk 'BEGIN { for (i = 0; i < 3000; i++) printf "%d--==--", i }' |
      awk 'BEGIN { RS = "-+=+-+" } { n++; s += $1 } END { print n, s }'`
    expect((yield* (yield* open()).run(script)).stdout).toBe("3000 4498500\n")
  }).pipe(Effect.scoped))
