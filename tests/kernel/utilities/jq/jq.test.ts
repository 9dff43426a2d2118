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

const open = (files: Readonly<Record<string, string>> = {}, limits: Sandbox.SandboxLimits = {}) =>
  Sandbox.make({
    files: Object.fromEntries(Object.entries(files).map(([name, text]) => [`/w/${name}`, text])),
    cwd: "/w",
    env: { HOME: "/h", TZ: "UTC", LC_ALL: "C.UTF-8" },
    limits,
  })

const run = (script: string) => Effect.flatMap(open(), (sandbox) => sandbox.run(script)).pipe(Effect.scoped)

it.live("has the output of jq", () =>
  Effect.gen(function* () {
    for (const { exitCode, script, stdout } of recorded.cases) {
      const given = yield* Effect.flatMap(open(recorded.files), (sandbox) => sandbox.run(script)).pipe(Effect.scoped)
      expect({ stdout: given.stdout, exitCode: given.exitCode }, script).toEqual({ stdout, exitCode })
    }
  }), 120_000)

it.live.each(
  [
    ["[path(nth(1; .[][]))]", "[[1],[2,3]]", "[[1,0]]"],
    ["[path(nth(1.5; .[][]))], [path(nth(5; .[][]))]", "[[1],[2,3]]", "[[1,1]]\n[]"],
    ["del(nth(1; .[]))", "[1,[2]]", "[1]"],
    ["[limit(3; nth(0, 1; .[]))], [nth(1; 1, 2, error)]", "[7,8]", "[7,8]\n[2]"],
    ["try nth(-1; .[]) catch .", "[1]", `"nth doesn't support negative indices"`],
    ['del(.a | ltrimstr("z"))', '{"a":"abc"}', "{}"],
    [
      'del(.a | tostring), del(.b | tonumber), del(.a | rtrimstr("z"))',
      '{"a":"x","b":3}',
      '{"b":3}\n{"a":"x"}\n{"b":3}',
    ],
    ["try del(.a | tonumber) catch .", '{"a":"3"}', '"Invalid path expression with result 3"'],
    [
      "try del(.a | map(.)) catch .",
      '{"a":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}',
      '"Invalid path expression with result [1,2,3,4,5,6,7,8,9,10,11,1..."',
    ],
    ["try (. - 1) catch .", '"héllo wörld"', `"string (\\"héllo wö...) and number (1) cannot be subtracted"`],
  ] as const,
)("keeps paths and shortens values as jq 1.7 does: %s", ([program, input, expected]) =>
  Effect.gen(function* () {
    const { stdout } = yield* run(`echo '${input}' | jq -c '${program.replaceAll("'", "'\\''")}'`)
    expect(stdout).toBe(`${expected}\n`)
  }))

it.live.each(
  [
    ["a long range", "jq -n '[range(1e9) | select(. < 0)]'"],
    ["an endless recursion in tail position", "jq -n 'def f: f; f'"],
    ["an endless repetition", "jq -n 'last(repeat(1))'"],
    ["a loop without an end", "jq -n '0 | until(false; . + 1)'"],
    ["endless input", "yes '{\"a\":1}' | jq -n 'reduce inputs as $x (0; . + 1)'"],
    ["endless output", "jq -n 'repeat(1)' > /dev/null"],
    ["input that never comes", "sleep 1000 | jq ."],
    [
      "matches of a long text",
      'jq -n \'("ab" * 300000) | [match("(a|b|ab)*c"; "g")]\' > /dev/null; jq -n \'def f: f; f\'',
    ],
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
    ["an array of a billion numbers", "jq -n '[range(1e9)] | length'", "a value holds more than"],
    ["a text that is repeated", `jq -n '"x" * 1e9 | length'`, "a text is longer than"],
    ["a text that doubles", `jq -n '"x" | until(false; . + .)'`, "a text is longer than"],
    ["an array that doubles", "jq -n '[1] | until(false; . + .)'", "a value holds more than"],
    ["a tree that shares its parts", "jq -n 'reduce range(100) as $i (1; [., .])'", "a value holds more than"],
    ["an index far out", "jq -n '.[1e8] = 1'", "an array has at most 4194304 elements"],
    ["a recursion that is not in tail position", "jq -n 'def f: 1 + f; f'", "the program recurses too deep"],
    ["choices without an end", "jq -n 'def f: (f, 1); f'", "the program has too many choices"],
    ["all input in one value", "yes '[]' | jq -s length", "a value holds more than"],
    ["a text without an end", `{ printf '"'; yes | tr -d '\\n'; } | jq .`, "line too long"],
    ["a line without an end", "jq -R . /dev/zero", "line too long"],
  ] as const,
)("fails for %s", ([, script, message]) =>
  Effect.gen(function* () {
    const { exitCode, stderr } = yield* run(script)
    expect(stderr).toMatch(/^jq: /)
    expect(stderr).toContain(message)
    expect(exitCode).not.toBe(0)
  }), 60_000)

it.live("refuses input that is nested deeper than 10,000 levels, and accepts other input", () =>
  Effect.gen(function* () {
    const nested = (levels: number): string =>
      `{ yes [ | head -n ${levels}; yes ] | head -n ${levels}; } | tr -d '\\n' |
        jq -c 'reduce recurse(.[0]; . != null) as $x (0; . + 1)'`
    expect((yield* run(nested(10_000))).stdout).toBe("10000\n")
    const { exitCode, stderr } = yield* run(nested(10_001))
    expect(stderr).toBe("jq: parse error: Exceeds depth limit for parsing at line 1, column 10001\n")
    expect(exitCode).toBe(5)
  }))

it.live("turns an error of the engine's stack into one of the program", () =>
  Effect.gen(function* () {
    const { exitCode, stderr } = yield* run("jq -n 'reduce range(200000) as $i (1; [.]) | . == (.[0] | [.])'")
    expect(stderr).toContain("nested too deep")
    expect(exitCode).toBe(5)
  }))

it.live.each(
  [
    ["jq '.['", "syntax error, unexpected end of file"],
    ["jq 'if . then 1'", "syntax error"],
    ["jq '\"a'", "unexpected end of file"],
    ["jq -n '$x'", "$x is not defined"],
    ["jq -n 'f(1)'", "f/1 is not defined"],
    ["jq -n 'break $x'", "$*label-x is not defined"],
    ["jq -n '{(1): 2}'", "Cannot use number (1) as object key"],
    ["jq -n 'import \"nowhere\" as m; 1'", "module not found: nowhere"],
    ["jq -n '1 == 1 == 1'", "syntax error, unexpected '=='"],
    [`jq -n "$(yes '(' | head -n 5000 | tr -d '\\n')"`, "nested too deep"],
  ] as const,
)("refuses the program of %s", ([script, message]) =>
  Effect.gen(function* () {
    const { exitCode, stderr } = yield* run(script)
    expect(stderr).toContain(message)
    expect(exitCode).toBe(3)
  }))

it.live.each(
  [
    ["a loop in tail position", "jq -n 'def f: if . > 100000 then . else . + 1 | f end; 0 | f'", "100001"],
    ["a state that grows", "jq -n 'reduce range(200000) as $i ([]; . + [$i]) | length'", "200000"],
    ["an object that grows", `jq -n 'reduce range(100000) as $i ({}; .["k\\($i)"] = $i) | length'`, "100000"],
    ["a text that matches badly", `jq -n '("a" * 20000) | test("(a|a)*(a|aa)*b")'`, "false"],
    ["an update that takes long", "jq -n '[[range(100000)]] | .[0] |= tojson | .[0] | length'", "588891"],
    ["a trim of many spaces", `jq -n '" " * 300000 + "x" | rtrim | length'`, "300001"],
    ["a sort of many values", "jq -n '[range(200000) | -.] | sort | .[0]'", "-199999"],
  ] as const,
)("stays fast for %s", ([, script, expected]) =>
  Effect.gen(function* () {
    expect(yield* run(script)).toMatchObject({ stdout: `${expected}\n`, stderr: "", exitCode: 0 })
  }), 30_000)

it.live.each(
  [
    ["a value that was added to", `. as $a | ($a + [9]) as $b | ($a + [8]) as $c | [$a, $b, $c]`, "[[1],[1,9],[1,8]]"],
    ["a value that was changed", `. as $a | (.[0] = 5) as $b | (.[0] = 6) as $c | [$a, $b, $c]`, "[[1],[5],[6]]"],
    ["an array while it is iterated", `[1, 2, 3] | [reduce .[] as $x (.; .[2] = $x * 2) , .]`, "[[1,2,6],[1,2,3]]"],
    ["every state of an array", "[foreach range(3) as $i ([]; . + [$i])]", "[[0],[0,1],[0,1,2]]"],
    ["every state of an object", `[foreach range(2) as $i ({}; ."k\\($i)" = $i)]`, `[{"k0":0},{"k0":0,"k1":1}]`],
    [
      "an object while it is iterated",
      `{"a": 1} | [reduce to_entries[] as $e (.; .b = 2), .]`,
      `[{"a":1,"b":2},{"a":1}]`,
    ],
  ] as const,
)("keeps %s", ([, program, expected]) =>
  Effect.gen(function* () {
    expect((yield* run(`echo '[1]' | jq -c '${program}'`)).stdout).toBe(`${expected}\n`)
  }))

it.live("passes on each result before the next input comes", () =>
  Effect.gen(function* () {
    const script =
      "{ echo 1; sleep 0.05; echo alive >&2; echo 2; } | jq -c --unbuffered '.' | { read a; echo \"got $a\" >&2; cat; }"
    const { stderr, stdout } = yield* run(script)
    expect(stderr).toBe("got 1\nalive\n")
    expect(stdout).toBe("2\n")
  }))

it.live.each(
  [
    [
      "the order in one expression",
      `("a" * 2e7) as $s | ${Array(20).fill(`($s + "a") < ($s + "b")`).join(" and ")}`,
      "true",
    ],
    ["slices of a text of pairs", `("😀" * 2e6) as $s | reduce range(9) as $i (0; . + ($s[1999990:] | length))`, "90"],
    ["equal texts", `("a" * 2e7) as $s | [range(20) | select(($s + "a") == ($s + "a"))] | length`, "20"],
    ["@uri", `"é" * 1e6 | @uri | length`, "6000000"],
    ["@uri in a text", `"é" * 1e6 | @uri "\\(.)" | length`, "6000000"],
    ["@base64", `"é" * 2e6 | @base64 | length`, "5333336"],
    ["@base64d", `"w6nD" * 1e6 | @base64d | length`, "2000000"],
    ["@base32", `"é" * 1e6 | @base32 | length`, "3200000"],
    ["@html", `"<" * 2e6 | @html | length`, "8000000"],
    ["@csv", `["\\"" * 2e6] | @csv | length`, "4000002"],
    ["@json", `"\\u0001" * 2e6 | @json | length`, "12000002"],
    ["format", `"é" * 1e6 | format("uri") | length`, "6000000"],
    ["explode", `"a" * 5e6 | explode | length`, "5000000"],
    ["split", `"a," * 1e6 | split(",") | length`, "1000001"],
    ["a division", `"a," * 1e6 / "," | length`, "1000001"],
    ["indices", `"a" * 2e6 | indices("a") | length`, "2000000"],
    ["ascii_upcase", `"aA" * 2e6 | ascii_upcase | length`, "4000000"],
    ["fromjson of escapes", `"\\"" + "\\\\u0041" * 1e6 + "\\"" | fromjson | length`, "1000000"],
    ["fromjson of numbers", `"[" + "1," * 1e6 + "1]" | fromjson | length`, "1000001"],
  ] as const,
)("gives others turns during %s", ([, program, expected]) =>
  Effect.gen(function* () {
    let turns = 0
    const timer = setInterval(() => turns++, 1)
    const { stderr, stdout } = yield* run(`jq -n '${program}'`)
    clearInterval(timer)
    expect({ stdout, stderr }).toEqual({ stdout: `${expected}\n`, stderr: "" })
    expect(turns).toBeGreaterThan(0)
  }), 30_000)
