import { expect, it } from "vitest"
import { makeWorld, start } from "./support.ts"

const limits = { depth: 50, substitutionBytes: 10_000, words: 1_000, valueLength: 100_000 }

const sh = (script: string, kernel = makeWorld({}, { limits })) => start(kernel, "sh", ["sh", "-c", script]).answer

it.each([
  ["braces that would make too many words", "echo {1..1000000000}", "brace expansion"],
  ["braces within braces that would", "echo {1..100}{1..100}", "brace expansion"],
  ["a substitution that never ends", "x=$(yes)", "more than 10000 bytes"],
  ["fields that are too many", "x=$(seq 1500); echo $x", "more than 1000 words"],
  ["a function that calls itself for ever", "f() { f; }; f", "maximum function nesting level exceeded"],
  ["an eval that evaluates itself", 'x=\'eval "$x"\'; eval "$x"', "maximum nesting level exceeded"],
  ["a file that sources itself", "echo '. ./me' > me; . ./me", "maximum nesting level exceeded"],
  ["a value that grows for ever", "x=a; while :; do x=$x$x; done", "too long"],
  ["a replacement that grows for ever", "x=aaaaaaaaaa; while :; do x=${x//a/aaaaaaaaaa}; done", "too long"],
  ["arithmetic that refers to itself", "x=x; echo $((x))", "recursion level exceeded"],
  ["a reference that refers to itself", "declare -n a=b; declare -n b=a; echo $a", "circular"],
])("refuses %s", async (_, script, message) => {
  const { exitCode, stderr } = await sh(script)
  expect(stderr).toContain(message)
  expect(exitCode).not.toBe(0)
})

it("is not hung by a regular expression that tries every way", async () => {
  const script = 'x=$(printf "a%.0s" {1..60}); [[ $x =~ ^(a+)+$ ]] && echo "${#BASH_REMATCH[0]}"; ' +
    "[[ ${x}b =~ ^(a+)+$ ]] || echo no; [[ ${x}b =~ (a|aa)+$ ]] || echo no"
  expect(await sh(script)).toMatchObject({ stdout: "60\nno\nno\n", exitCode: 0 })
})

it("goes on after a limit, on the next line", async () => {
  expect((await sh("echo {1..1000000000}\necho next")).stdout).toBe("next\n")
})

it("reports a fork bomb as an error, and leaves nothing", async () => {
  const kernel = makeWorld({ limits: { processes: 40 } })
  const running = start(kernel, "sh", ["sh", "-c", "f() { f | f & }; f; wait"])
  await running.answer
  running.handle.endAll()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(kernel.processes).toBeLessThan(41)
  kernel.close()
})

it("lets no children that ended pile up", async () => {
  const script =
    "for i in {1..200}; do (exit 3) & sleep 0; read x < <(echo $i); done; p=$!; wait; echo $x; big=$(seq 30000)\n" +
    "for i in {1..50}; do read x <<E\n$big\nE\ndone; echo $x"
  const { stderr, stdout } = await sh(script, makeWorld({ limits: { processes: 60 } }))
  expect(stderr).toBe("")
  expect(stdout).toBe("200\n1\n")
})

it("tells when no process can be started", async () => {
  const { exitCode, stderr } = await sh("echo a | cat", makeWorld({ limits: { processes: 1 } }))
  expect(stderr).toContain("fork: Resource temporarily unavailable")
  expect(exitCode).toBe(254)
})

it("calls functions deeper than the stack of the host would bear", async () => {
  const kernel = makeWorld({}, { limits: { depth: 20_000 } })
  const script = "f() { if [ $1 -gt 0 ]; then f $(($1 - 1)); else echo deep; fi; }; f 3000"
  expect((await sh(script, kernel)).stdout).toBe("deep\n")
})

it("matches patterns that make others backtrack for ever", async () => {
  const { stdout } = await start(makeWorld(), "sh", [
    "sh",
    "-c",
    "x=; for i in {1..60}; do x+=aaaa; done; shopt -s extglob\n[[ $x == *(*(*(a)))b ]] || echo no; [[ $x == *a*a*a*a*a*a*a*a*b ]] || echo no",
  ]).answer
  expect(stdout).toBe("no\nno\n")
})
