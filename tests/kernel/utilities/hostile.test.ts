import { Sandbox } from "@sluice/shell/sandbox"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "@effect/vitest"
import { MemoryFolder } from "../../../src/kernel/fs/MemoryFolder.ts"
import { WaitCalls } from "../../../src/kernel/process/WaitCalls.ts"
import { withSandbox } from "../sandbox/support.ts"
import { makeWorld, start } from "../shell/support.ts"

const sh = (script: string) => start(makeWorld(), "sh", ["sh", "-c", script]).answer

/** A text of repeated letters, made by a program so that no argument is long. */
const many = (letter: string, count: number): string => `yes '${letter}' | head -n ${count} | tr -d '\\n'`

// Each of these took minutes, or the memory of the host, before it was bounded.
it.each([
  ["fractions of many digits", `{ printf 0.; ${many("0", 200_000)}; echo 1; echo 0; } | sort -n | wc -l`, "2"],
  ["version numbers of many parts", `{ ${many(".a", 100_000)}; echo '!'; echo b; } | sort -V | wc -l`, "2"],
  ["many blanks within a line", `{ printf a; ${many(" ", 200_000)}; echo b; } > f; join f f | wc -l`, "1"],
  ["blanks that become tabs", `{ ${many(" ", 400_000)}; echo a; } | unexpand | wc -c`, "50002"],
  ["continued lines", "yes 'a\\' | head -n 20000 | xargs | wc -c", "40001"],
  ["paths of many slashes", `basename "$(${many("/", 100_000)})a"; dirname "$(${many("/", 100_000)})a"`, "a\n/"],
  ["templates with many placeholders", `mktemp -u "$(${many("XaX", 30_000)})aaXXX" | wc -c`, "90006"],
  ["a list of many tests", "touch a; find a $(yes -- '-false -o' | head -n 20000) -name a", "a"],
  ["many words in columns", "seq 300000 | column -c 20 | wc -l", "150000"],
  ["many separators", `${many("a,", 300_000)} | awk '{ print split($0, a, ",", s), length(s) }'`, "300001 300000"],
  [
    "many blanks between fields",
    `${many("a ", 300_000)} | awk '{ print split($0, a, " ", s), length(s) }'`,
    "300000 299999",
  ],
  ["unclosed brackets", `touch a; find . -name "$(${many("[", 50_000)})]" | wc -l`, "0"],
  ["unclosed character classes", `touch a; find . -name "$(${many("[[:", 20_000)})" | wc -l`, "0"],
  [
    "many lines of context before a match",
    "seq 150000 | grep -c -B 60000 '^149999$'; seq 150000 | grep -B 60000 '^149999$' | wc -l",
    "1\n60001",
  ],
  [
    "long numbers",
    `${many("1", 1_000_000)} | awk '{ for (; i < 20000; i++) n = $0 "" + 0; print (n > 1e300) }'`,
    "1",
  ],
])("stays fast for %s", async (_, script, expected) => {
  expect(await sh(script)).toMatchObject({ stdout: `${expected}\n`, stderr: "", exitCode: 0 })
})

it.each([
  ["seq -f %.200f 1", "above 100"],
  ["date -d '99999999999999 days'", "invalid date"],
  ["date -d @99999999999999999999", "invalid date"],
  ["date -d \"$(yes ' ' | head -n 100000 | tr -d '\\n')\"", "invalid date"],
  ["echo a | xxd -c 100000000000", "invalid number of columns"],
  ["echo a | od -w100000000000", "invalid number of columns"],
  ["echo a | nl -w 1000000000", "invalid line number field width"],
  ["printf '\\t' | expand -t 1000000000", "tab stop is above"],
  ["echo a | split -a 1000000000", "invalid suffix length"],
  ["echo a > f; cat f >> f", "input file is output file"],
  ["/bin/test $(yes '(' | head -n 30000) a", "too many nested parentheses"],
  ["/bin/test $(yes '!' | head -n 30000) a -a b", "too many nested parentheses"],
  ["find . $(yes '(' | head -n 30000)", "too many nested parentheses"],
  ["find . $(yes '!' | head -n 30000) -true", "too many nested parentheses"],
  ["expr $(yes '(' | head -n 30000) a", "syntax error"],
  [`expr "$(${many("1", 5_000)})" + 1`, "Numerical result out of range"],
  [`/bin/test "$(${many("1", 65)})" -gt 1`, "integer expression expected"],
  ["echo a | grep -E 'a{0}{32767}{32767}{32767}'", "Regular expression too big"],
  ["head -c 1000000 /dev/zero | tr '\\0' a | grep -iE '^(a*)B?\\1b'", "the pattern takes too many steps"],
  ["yes '1 ' | head -n 1100000 | tr -d '\\n' | join - /dev/null", "more than 1000000 fields"],
  ["rev /dev/zero", "line too long (limits.maxLineBytes is 8388608)"],
])("refuses values that are too large: %s", async (script, message) => {
  const { exitCode, stderr } = await sh(script)
  expect(stderr).toContain(message)
  expect(exitCode).not.toBe(0)
})

it.each([
  ["rev", "rev f | wc -c"],
  ["fold", "fold -w1 f | wc -l"],
  ["sed", `sed -n '${"y/ab/ba/;".repeat(20)}' f`],
  ["grep", "{ head -c 3000 f; echo b; } > p; grep -cFf p f || true"],
  ["rg", "{ head -c 3000 f; echo b; } > p; rg -cFf p f || true"],
])("lets other processes run while %s processes one long line", async (_, script) => {
  const world = makeWorld()
  await start(world, "sh", ["sh", "-c", `${many("a", 1_000_000)} > f`]).answer
  const yields = vi.spyOn(WaitCalls.prototype, "yield")
  try {
    expect(await start(world, "sh", ["sh", "-c", script]).answer).toMatchObject({ stderr: "", exitCode: 0 })
    expect(yields.mock.calls.filter(([cost]) => cost === Infinity).length).toBeGreaterThan(10)
  } finally {
    yields.mockRestore()
  }
})

it.each([
  ["prints many digits of another base", "echo 'scale=5000; obase=2; 1/3' | bc | wc -l"],
  ["prints many digits of a base above 16", "echo 'obase=100; 7^20000' | bc | wc -l"],
  [
    "adds long fractions in one statement",
    "{ echo 'scale=9000; a=1/3'; printf 'b=a/7%s\\n' \"$(printf '+a/7%.0s' {1..50})\"; } | bc",
  ],
])("lets other processes run while bc %s", async (_, script) => {
  const yields = vi.spyOn(WaitCalls.prototype, "yield")
  try {
    expect(await start(makeWorld(), "sh", ["sh", "-c", script]).answer).toMatchObject({ stderr: "", exitCode: 0 })
    expect(yields.mock.calls.filter(([cost]) => cost === Infinity).length).toBeGreaterThan(50)
  } finally {
    yields.mockRestore()
  }
})

it("lets other processes run while it reads one endless line", async () => {
  const yields = vi.spyOn(WaitCalls.prototype, "yield")
  try {
    await sh("tac /dev/zero")
    expect(yields.mock.calls.length).toBeGreaterThan(10)
  } finally {
    yields.mockRestore()
  }
})

it("takes 150,000 operands", async () => {
  const script =
    'basename -a {1..150000} | tail -n 1; grep -c -F "$(seq 150000)" <<< 5; echo $?; env -- {1..150000} | head -n 1'
  const { stderr, stdout } = await sh(script)
  expect(stdout).toBe("150000\n2\n")
  expect(stderr).toContain("grep: Regular expression too big")
  expect(stderr).toContain("‘1’: No such file")
})

it("tee writes to the other files after one fails, and reports the failure once", async () => {
  const { exitCode, stderr, stdout } = await sh(
    "seq 100000 | tee /dev/full good | wc -l; wc -l < good; exit ${PIPESTATUS[1]}",
  )
  expect(stdout).toBe("100000\n100000\n")
  expect(stderr).toBe("tee: /dev/full: No space left on device\n")
  expect(exitCode).toBe(0)
})

/** Sets `d` to a path of 1,000 levels. */
const deepPath = "printf -v d '%999s' ''; d=d${d// //d}"

it.each([
  ["mkdir -p", `${deepPath}; mkdir -p $d && mkdir -pv $d/e//f | cut -d/ -f1000-`, "d/e'\nd/e//f'\n", 8_000],
  ["a pattern", `${deepPath}; mkdir -p $d; touch $d/x; echo $d/* | wc -c`, "2002\n", 8_000],
])("looks up the names of a deep path a few times each for %s", async (_, script, expected, most) => {
  const lookups = vi.spyOn(MemoryFolder.prototype, "lookup")
  try {
    expect(await sh(script)).toMatchObject({ stdout: expected, stderr: "", exitCode: 0 })
    expect(lookups.mock.calls.length).toBeLessThan(most)
  } finally {
    lookups.mockRestore()
  }
})

it.each(["mkdir -p a/{1..9}/{1..9}", "rm -r t", "cp -r t u", "find t -depth", "ls -R t"])(
  "offers other processes a turn at each directory: %s",
  async (script) => {
    const world = makeWorld()
    await start(world, "sh", ["sh", "-c", "mkdir -p t/{1..9}/{1..9}"]).answer
    const yields = vi.spyOn(WaitCalls.prototype, "yield")
    try {
      expect(await start(world, "sh", ["sh", "-c", script]).answer).toMatchObject({ stderr: "", exitCode: 0 })
      expect(yields.mock.calls.filter(([cost]) => cost === Infinity).length).toBeGreaterThan(90)
    } finally {
      yields.mockRestore()
    }
  },
)

it("mkdir -p enters directories, and makes the next operand from where it started", async () => {
  const { exitCode, stderr, stdout } = await sh(
    "mkdir x y; ln -s x l; ln -s no dangling; touch f; mkdir -p l/a/../b/ /tmp/n//o y/p/q ./r; mkdir -pm 700 s/t\n" +
      "find . /tmp | sort; stat -c %a s s/t; mkdir -p f/a dangling/a f; echo $?",
  )
  expect(stdout).toBe(
    ". ./dangling ./f ./l ./r ./s ./s/t ./x ./x/a ./x/b ./y ./y/p ./y/p/q /tmp /tmp/n /tmp/n/o 755 700 1 "
      .replaceAll(" ", "\n"),
  )
  expect(stderr).toBe(
    "mkdir: cannot create directory ‘f/a’: Not a directory\n" +
      "mkdir: cannot create directory ‘dangling/a’: No such file or directory\n" +
      "mkdir: cannot create directory ‘f’: File exists\n",
  )
  expect(exitCode).toBe(0)
})

const big = '("a" * 3000000 + "b" | ltrimstr("a"))'

const limited = { limits: { maxValueBytes: 16_777_216 } }

describe("the limit on the values of all programs", () => {
  it.each([
    [
      "variables of jq",
      `jq -n 'def f($n): ${big} as $x | if $n == 0 then 1 else f($n - 1) + ($x | length) end; f(10)'`,
    ],
    ["what jq computes next", `jq -n 'def f($n): if $n == 0 then 1 else f($n - 1) + ${big} end; f(10)'`],
    ["arguments of jq", `jq -n 'def f($n): if $n == 0 then [] else [${big}, f($n - 1)[]] end; f(10)'`],
    ["states of jq", `jq -n 'def f($n): if $n == 0 then 1 else reduce f($n - 1) as $y (${big}; .) end; f(10)'`],
    ["keys of jq", `jq -n 'def f($n): if $n == 0 then {} else (f($n - 1))[${big}] end; f(10)'`],
    ["arrays of jq", "jq -n '[range(4000000)] | length'"],
    ["inputs of jq", "yes '[1,2,3,4,5,6,7,8]' | head -n 400000 | jq -s length"],
    ["elements of awk", `awk 'BEGIN { for (;;) a[i++] = sprintf("%1000s", i) }'`],
    ["parts of awk", `awk 'BEGIN { s = sprintf("%300000s", ""); split(s, a, ""); print 1 }'`],
    ["locals of awk", `awk 'function f(n,  s) { s = sprintf("%1000000s", n); f(n + 1) } BEGIN { f(1) }'`],
    ["arrays of bc", "echo 'x = 2^30000; for (i = 0; i < 60000; i++) a[i] = x' | bc"],
    [
      "arrays of callers of bc",
      "echo 'define f(a[], n) { x = 2^30000; for (i = 0; i < 400; i++) { a[i] = x }; return f(a[], n + 1) }; f(b[], 1)' | bc",
    ],
    ["variables of a shell", 'while :; do printf -v "v$((i++))" %1000000s x; done'],
    [
      "variables of subshells",
      "printf -v x %6000000s x; for i in 1 2 3; do { sleep 9; : $x; } & done; wait -n; s=$?; kill $!; exit $s",
    ],
    ["here-documents", 'printf -v x %6000000s x; for i in 1 2 3; do exec {fd}<<< "$x"; done'],
  ])("stops %s", async (_, script) => {
    const { exitCode, stderr } = await Effect.runPromise(
      withSandbox((sandbox) => sandbox.run(script, { timeout: "60 seconds" }), limited),
    )
    expect(stderr).toContain("limits.maxValueBytes")
    expect(exitCode).not.toBe(0)
  })

  it.each([
    ["jq", "jq -n 'reduce range(2000) as $i (0; ([range(2000)] | length) + .)'", "4000000"],
    [
      "awk",
      "awk 'function f(a, i) { for (i = 0; i < 2000; i++) a[i] = i; return i } BEGIN { for (; j < 200; j++) n += f(); print n }'",
      "400000",
    ],
    ["a shell", "for i in {1..200}; do printf -v x %1000000s x; unset x; done; echo 1", "1"],
    ["one text in many places", `jq -n '("a" * 3000000) as $x | [range(20) | $x] | length'`, "20"],
  ])("does not count what %s holds no more", async (_, script, expected) => {
    await using sandbox = await Sandbox.open(limited)
    expect(await sandbox.run(script)).toMatchObject({ stdout: `${expected}\n`, stderr: "", exitCode: 0 })
  })

  it("is free again when a program has ended", async () => {
    await using sandbox = await Sandbox.open(limited)
    for (let at = 0; at < 4; at++) {
      const { stdout } = await sandbox.run("jq -n '[range(700000)] | length'; printf -v x %6000000s x; echo ${#x}")
      expect(stdout).toBe("700000\n6000000\n")
    }
  })
})

it.each([
  ["jq lists entries", "jq -n '[range(300000)] | to_entries | length'"],
  ["jq sorts keys", "jq -n '[range(100000) | {(tostring): 1}] | add | keys | length'"],
  ["jq flattens", "jq -n 'reduce range(18) as $i ([1]; [., .]) | flatten | length'"],
  ["jq searches a long text", `jq -n '("a" * 10000000) | contains("b" + "a" * 200)'`],
  ["awk splits a long text", `awk 'BEGIN { s = sprintf("%1000000s", ""); n = split(s, a, ""); print n }'`],
  ["sed parses a long script", "sed \"$(yes 's/a/b/;' | head -n 20000)\" /dev/null"],
  ["awk sorts", "awk 'BEGIN { for (; i < 200000; i++) a[i] = -i; print asort(a) }'"],
  ["awk searches a long text", `awk 'BEGIN { s = sprintf("%1000000s", ""); print index(s s s s, s s "b") }'`],
])("lets other processes run while %s", async (_, script) => {
  const yields = vi.spyOn(WaitCalls.prototype, "yield")
  try {
    expect(await sh(script)).toMatchObject({ stderr: "", exitCode: 0 })
    expect(yields.mock.calls.filter(([cost]) => cost === Infinity).length).toBeGreaterThan(20)
  } finally {
    yields.mockRestore()
  }
})

it.each([
  ["jq -n '[range(100000)] as $p | null | setpath($p | map(\"a\"); 1) | 1'", "Path too deep"],
  [`jq -n "$(${many("1,", 200_000)}; echo 1)"`, "nested too deep"],
  [`awk "BEGIN { x = 1$(${many(" 1", 200_000)}) }"`, "nested too deep"],
  [`awk 'BEGIN { s = sprintf("%1000000s", ""); a[s s] = 1 }'`, "a key is longer than"],
])("refuses %s", async (script, message) => {
  const { exitCode, stderr } = await sh(script)
  expect(stderr).toContain(message)
  expect(exitCode).not.toBe(0)
})
