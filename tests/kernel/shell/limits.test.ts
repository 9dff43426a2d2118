import { expect, it } from "vitest"
import { shellProgram } from "../../../src/kernel/shell/ShellProgram.ts"
import { ShellSession } from "../../../src/kernel/shell/ShellSession.ts"
import { makeWorld, start } from "./support.ts"

const limits = {
  maxDepth: 50,
  maxSubstitutionBytes: 10_000,
  maxWords: 1_000,
  maxValueLength: 100_000,
  maxVariablesLength: 1_000_000,
}

const sh = (script: string, kernel = makeWorld({}, { limits })) => start(kernel, "sh", ["sh", "-c", script]).answer

it.each([
  ["braces that make too many words", "echo {1..1000000000}", "brace expansion"],
  ["nested braces that make too many words", "echo {1..100}{1..100}", "brace expansion"],
  ["a substitution that never ends", "x=$(yes)", "more than 10000 bytes"],
  ["too many fields", "x=$(seq 1500); echo $x", "more than 1000 words"],
  ["a function that calls itself endlessly", "f() { f; }; f", "maximum function nesting level exceeded"],
  ["an eval that evaluates itself", 'x=\'eval "$x"\'; eval "$x"', "maximum nesting level exceeded"],
  ["a file that sources itself", "echo '. ./me' > me; . ./me", "maximum nesting level exceeded"],
  ["a test of many parentheses", "test $(printf '( %.0s' {1..900})", "too many nested parentheses"],
  ["an expression of many functions", "expr $(printf 'length %.0s' {1..900}) a", "syntax error"],
  ["a value that grows endlessly", "x=a; while :; do x=$x$x; done", "too long"],
  ["a replacement that grows endlessly", "x=aaaaaaaaaa; while :; do x=${x//a/aaaaaaaaaa}; done", "too long"],
  ["arithmetic that refers to itself", "x=x; echo $((x))", "recursion level exceeded"],
  ["a subscript that refers to itself", "x='x[x]'; echo $((x))", "x[x]: expression recursion level exceeded"],
  ["an assignment to such a subscript", "x='x[x]'; ((x[x] = 1))", "x[x]: expression recursion level exceeded"],
  [
    "arguments that are too long together",
    "x=$(seq 9000 | tr -d '\\n' | head -c 9999); echo a {1..11}\"$x\"",
    "too long",
  ],
  [
    "variables that grow in number",
    "x=$(seq 900 | tr -d '\\n'); while :; do eval \"v$((n++))=\\$x\"; done",
    "variables: more than 1000000",
  ],
  ["an array that grows endlessly", "while :; do a+=(a b c d e f g h); done", "variables: more than 1000000"],
  [
    "many unclosed groups",
    "x=$(printf '@(%.0s' {1..900})')'; x=$x$x$x$x$x$x$x$x$x$x; case a in $x) ;; esac",
    "too long to parse",
  ],
  [
    "many unclosed brackets",
    "x=$(printf '[\\\\]%.0s' {1..900}); x=$x$x$x$x$x; case a in $x) ;; esac",
    "too long to parse",
  ],
  ["name references in a circle", "declare -n a=b; declare -n b=a; echo $a", "circular"],
])("refuses %s", async (_, script, message) => {
  const { exitCode, stderr } = await sh(script)
  expect(stderr).toContain(message)
  expect(exitCode).not.toBe(0)
})

it.each([
  ["commands", "for i in 1 2 3; do echo $i; (echo $i; true); done", "more than 7 commands", "1\n1\n2\n2\n3\n"],
  ["commands in a pipeline", "echo 1 | cat | cat; echo 2 | cat | cat; echo 3 | cat", "more than 7 commands", "1\n2\n"],
  [
    "iterations of a loop",
    "for i in {1..9}; do echo $i; done; echo after",
    "loop: more than 5 iterations",
    "1\n2\n3\n4\n5\n",
  ],
  [
    "iterations of the inner loop",
    "for i in 1; do for ((;;)); do printf .; done; done",
    "more than 5 iterations",
    ".....",
  ],
])("ends a script at its limit of %s with 126", async (_, script, message, printed) => {
  const counts = { maxCommands: 7, maxIterations: 5 }
  const { exitCode, stderr, stdout } = await sh(script, makeWorld({}, { limits: counts }))
  expect({ exitCode, stdout }).toEqual({ exitCode: 126, stdout: printed })
  expect(stderr).toContain(message)
})

it("counts the iterations of each loop, and the commands of each run of a session, on their own", async () => {
  const { exitCode, stdout } = await sh(
    "for i in 1 2 3 4 5; do for j in 1 2 3 4 5; do printf .; done; done",
    makeWorld({}, { limits: { maxIterations: 5 } }),
  )
  expect([exitCode, stdout.length]).toEqual([0, 25])
  const session = new ShellSession({ limits: { maxCommands: 3 } })
  const kernel = makeWorld({})
  for (let i = 0; i < 3; i++) {
    const { answer } = start(kernel, session.program("echo 1; echo 2; echo 3"), ["sh"])
    expect(await answer).toMatchObject({ exitCode: 0, stdout: "1\n2\n3\n" })
  }
})

it("does not hang on a regular expression that backtracks exponentially", async () => {
  const script = 'x=$(printf "a%.0s" {1..60}); [[ $x =~ ^(a+)+$ ]] && echo "${#BASH_REMATCH[0]}"; ' +
    "[[ ${x}b =~ ^(a+)+$ ]] || echo no; [[ ${x}b =~ (a|aa)+$ ]] || echo no"
  expect(await sh(script)).toMatchObject({ stdout: "60\nno\nno\n", exitCode: 0 })
})

it("matches nested negations", async () => {
  const script = "shopt -s extglob\nx=$(printf 'b%.0s' {1..900})\n" +
    "case $x in !(*!(*!(*!(*!(*a)))))) echo yes;; *) echo no;; esac"
  expect(await sh(script)).toMatchObject({ stdout: "yes\n", stderr: "", exitCode: 0 })
})

it("does not hang on a pattern with unclosed groups and brackets", async () => {
  const script = "for p in '@(' '[' '[]' '[[:' '!('; do\n" +
    'x=$(printf "$p%.0s" {1..500}); x=$x$x$x$x$x$x$x$x; case a in $x) echo no;; esac; x=${x#$x}; done; echo done'
  expect((await sh(script, makeWorld())).stdout).toBe("done\n")
})

it("does not hang on a large expression or an ambiguous one", async () => {
  const script = "x=$(printf 'a%.0s' {1..20000}); [[ $x =~ (a?){10000}a{10000} ]]; echo $?; " +
    "[[ $x =~ ((a|aa)*b|a)*c ]]; echo $?"
  expect((await sh(script, makeWorld())).stdout).toBe("2\n1\n")
})

it("prints wide fields piece by piece and limits the value of printf -v", async () => {
  const script = "printf '%40000000s%.40000000d' x 1 | wc -c; printf '%99999999999d' 1; echo $?; printf -v x '%200000s'"
  const { exitCode, stderr, stdout } = await sh(script)
  expect(stdout).toBe("80000000\n1\n")
  expect(stderr).toContain("printf: %99999999999d: the field is too wide")
  expect(stderr).toContain("x: the value is too long")
  expect(exitCode).not.toBe(0)
})

it("limits the length of a script's line from a pipe", async () => {
  const { stderr, stdout } = await sh("yes a | tr -d '\\n' | sh; echo ${PIPESTATUS[2]}", makeWorld())
  expect(stderr).toContain("a line is too long")
  expect(stdout).toBe("1\n")
})

it("continues to read its script after a signal", async () => {
  const script = "{ echo 'trap \"echo got\" USR1; echo $$ > pid'; " +
    "until test -e sent; do sleep 0.01; done; echo 'echo after'; } | sh & " +
    "until test -s pid; do sleep 0.01; done; kill -USR1 $(cat pid); : > sent; wait"
  expect((await sh(script)).stdout.split("\n").sort()).toEqual(["", "after", "got"])
})

it("reads the last element of a large array", async () => {
  const script = "a=({1..300000}); echo ${a[-1]}; a[-1]=x; echo ${a[299999]}; unset 'a[-1]'; echo ${#a[@]}"
  expect((await sh(script, makeWorld())).stdout).toBe("300000\nx\n299999\n")
})

it.each([
  ["appends elements", "for ((i = 0; i < 200000; i++)); do a+=($i); done; echo ${#a[@]} ${a[-1]}", "200000 199999\n"],
  ["counts elements", "a=({1..200000}); for ((i = 0; i < ${#a[@]}; i++)); do :; done; echo $i", "200000\n"],
  ["unsets last elements", "a=({1..100000}); while ((${#a[@]})); do unset 'a[-1]'; done; echo ${#a[@]}", "0\n"],
  ["shifts arguments", "set -- {1..200000}; while (($#)); do x=$1; shift; done; echo $x", "200000\n"],
  ["appends text", "for ((i = 0; i < 200000; i++)); do s+=ab; done; echo ${#s}", "400000\n"],
  ["appends after subshells", "a=({1..100000}); for i in {1..1000}; do a+=($(:) x); done; echo ${#a[@]}", "101000\n"],
])("%s in time linear in their number", async (_, script, stdout) => {
  // Were it quadratic, it would take minutes, and the test would time out.
  expect(await sh(script, makeWorld())).toMatchObject({ stdout, stderr: "" })
})

it("keeps the arrays of a subshell and its parent independent", async () => {
  const script = "a=(1 2 3); declare -A t=([x]=1)\n" +
    "(a+=(4); a[0]=9; t[y]=3; unset 'a[1]' 't[x]'; (a[0]=z); echo ${a[@]} ${t[@]}); echo ${a[@]} ${t[@]}\n" +
    "b=$(a[5]=7; echo ${a[@]}); echo $b; (echo ${a[@]}); a[1]=x; (a=()); (unset 'a[@]'); echo ${a[@]}"
  expect((await sh(script)).stdout).toBe("9 3 4 3\n1 2 3 1\n1 2 3 7\n1 2 3\n1 x 3\n")
})

it("continues with the next line after a limit", async () => {
  expect((await sh("echo {1..1000000000}\necho next")).stdout).toBe("next\n")
})

it("reports a fork bomb as an error and leaves no process behind", async () => {
  const kernel = makeWorld({ limits: { maxProcesses: 40 } })
  const running = start(kernel, "sh", ["sh", "-c", "f() { f | f & }; f; wait"])
  await running.answer
  running.handle.endAll()
  await expect.poll(() => kernel.processes).toBe(0)
  kernel.close()
})

it("reaps children that have ended", async () => {
  const script =
    "for i in {1..200}; do (exit 3) & sleep 0; read x < <(echo $i); done; p=$!; wait; echo $x; big=$(seq 30000)\n" +
    "for i in {1..50}; do read x <<E\n$big\nE\ndone; echo $x"
  const { stderr, stdout } = await sh(script, makeWorld({ limits: { maxProcesses: 60 } }))
  expect(stderr).toBe("")
  expect(stdout).toBe("200\n1\n")
})

it("reports that no process can be started", async () => {
  const { exitCode, stderr } = await sh("echo a | cat", makeWorld({ limits: { maxProcesses: 1 } }))
  expect(stderr).toContain("fork: Resource temporarily unavailable")
  expect(exitCode).toBe(254)
})

it("calls functions to a depth that would overflow the host's stack", async () => {
  const kernel = makeWorld({}, { limits: { maxDepth: 20_000 } })
  const script = "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else echo deep; fi; }; f 3000"
  expect((await sh(script, kernel)).stdout).toBe("deep\n")
})

it("matches patterns that make backtracking matchers hang", async () => {
  const { stdout } = await start(makeWorld(), "sh", [
    "sh",
    "-c",
    "x=; for i in {1..60}; do x+=aaaa; done; shopt -s extglob\n[[ $x == *(*(*(a)))b ]] || echo no; [[ $x == *a*a*a*a*a*a*a*a*b ]] || echo no",
  ]).answer
  expect(stdout).toBe("no\nno\n")
})

it("refuses limits that are unknown or not whole numbers, before a script runs", () => {
  const make = (limits: object) => () => shellProgram({ limits: Object.fromEntries(Object.entries(limits)) })
  expect(make({ maxDepth: NaN })).toThrow(
    "ShellProgram: limits.maxDepth must be a whole number from 0 or Infinity, got NaN",
  )
  expect(make({ maxWords: "9" })).toThrow('limits.maxWords must be a whole number from 0 or Infinity, got "9"')
  expect(make({ depth: 3 })).toThrow('ShellProgram: limits: unknown option "depth"; did you mean "maxDepth"?')
  expect(() => new ShellSession({ limits: { maxValueLength: -1 } })).toThrow("limits.maxValueLength")
})
