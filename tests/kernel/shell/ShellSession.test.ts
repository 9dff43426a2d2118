import { expect, it } from "vitest"
import { ShellSession } from "../../../src/kernel/shell/ShellSession.ts"
import { Signal } from "../../../src/kernel/System.ts"
import { type Answer, makeWorld, start } from "./support.ts"

const session = () => {
  const [kernel, shell] = [makeWorld(), new ShellSession()]
  const begin = (script: string) => start(kernel, shell.program(script), ["bash"])
  const run = (script: string): Promise<Answer> => begin(script).answer
  return { begin, run, shell }
}

it("keeps variables, functions, aliases and options", async () => {
  const { run } = session()
  await run(
    'x=1; a=(1 2 3); declare -A m=([k]=v); f() { echo "f $1"; }; set -f; shopt -s nullglob; set -- p q; alias l=ls',
  )
  const { stdout } = await run("echo $x ${a[2]} ${m[k]} $(f y) * $2; alias l; shopt -q nullglob && echo null")
  expect(stdout).toBe("1 3 v f y * q\nalias l='ls'\nnull\n")
})

it("keeps exported variables", async () => {
  const { run, shell } = session()
  await run("export A=1 B=2; unset B; C=3")
  expect((await run("env | grep '^[ABC]='")).stdout).toBe("A=1\n")
  expect(shell.environment).toContainEqual(["A", "1"])
})

it("keeps the working directory and the umask", async () => {
  const { run, shell } = session()
  await run("mkdir -p /work/sub && cd sub && umask 027")
  expect((await run("pwd; echo ${OLDPWD##*/}; umask")).stdout).toBe("/work/sub\nwork\n0027\n")
  expect(shell.cwd).toBe("/work/sub")
})

it("has the name and the status after an unset parameter of `bash -c`", async () => {
  const { run } = session()
  for (const _ of [1, 2]) {
    const { exitCode, stderr } = await run("set -u; echo $nothing")
    expect([exitCode, stderr]).toEqual([127, "bash: line 1: nothing: unbound variable\n"])
  }
  expect((await run("(echo $nothing); echo $0 $?")).stdout).toBe("bash 1\n")
})

it("keeps the last status", async () => {
  const { run, shell } = session()
  expect((await run("(exit 7)")).exitCode).toBe(7)
  expect(shell.status).toBe(7)
  expect((await run("echo $?")).stdout).toBe("7\n")
})

it("continues after exit and after a syntax error", async () => {
  const { run } = session()
  expect((await run("x=kept; exit 3; x=no")).exitCode).toBe(3)
  expect((await run("if then")).exitCode).toBe(2)
  expect((await run("echo $x")).stdout).toBe("kept\n")
})

it("runs the EXIT trap at the end of its run, and keeps traps of signals", async () => {
  const { run } = session()
  expect((await run("trap 'echo bye' EXIT; trap 'echo usr' USR1; echo hi")).stdout).toBe("hi\nbye\n")
  expect((await run("kill -USR1 $BASHPID; echo on")).stdout).toBe("usr\non\n")
})

it("keeps its previous state when a run is killed", async () => {
  const { begin, run } = session()
  await run("x=before")
  const running = begin("x=during; while :; do :; done")
  await new Promise((resolve) => setTimeout(resolve, 30))
  running.handle.kill(Signal.SIGKILL)
  await running.answer
  expect((await run("echo $x")).stdout).toBe("before\n")
})

it("does not share its state with the previous run", async () => {
  const { run } = session()
  await run("a=(1)")
  expect((await run("a+=(2); echo ${#a[@]}; (a+=(3); echo ${#a[@]})")).stdout).toBe("2\n3\n")
  expect((await run("echo ${#a[@]}; readonly a; BASH_SUBSHELL=; echo $BASH_SUBSHELL")).stdout).toBe("2\n0\n")
})

it("lists the jobs of earlier runs with their exit codes", async () => {
  const { run } = session()
  await run("(sleep 0.2; exit 3) & (exit 4) & (sleep 0.01; exit 5) &")
  expect((await run("jobs %1")).stdout).toBe("[1]   Running                 (sleep 0.2; exit 3) &\n")
  expect((await run("wait %1; echo $?")).stdout).toBe("3\n")
  expect((await run("wait %2; echo $?; wait %3; echo $?; jobs; wait %1; echo $?")).stdout).toBe("4\n5\n127\n")
})

it("kills and awaits a background job of an earlier run", async () => {
  const { run } = session()
  const { stdout } = await run("sleep 100 & echo $!")
  expect((await run("kill %1; wait %1; echo $?; jobs")).stdout).toBe("143\n")
  expect((await run(`kill -0 ${stdout.trim()} 2>/dev/null; echo $?`)).stdout).toBe("1\n")
  await run("sleep 0.02 & last=$!; sleep 0.02 &")
  expect((await run("wait $last; echo $?; wait; echo $?; jobs")).stdout).toBe("0\n0\n")
  await run("(until [ -e go ]; do sleep 0.01; done; exit 6) &")
  // Signals until the wait is over, since the first may come before it.
  const signals = "(until [ -e waited ]; do kill -USR1 $$; sleep 0.01; done) &"
  const interrupted = await run(`trap 'echo usr' USR1; ${signals} wait %1; status=$?; touch waited; echo $status`)
  expect(interrupted.stdout).toMatch(/^(usr\n)+138\n(usr\n)*$/)
  expect((await run("trap '' USR1; touch go; wait -n %1; echo $?")).stdout).toBe("6\n")
})

it("has only the builtins that its options leave, also in subshells and after a fork", async () => {
  const kernel = makeWorld({
    programs: { echo: (system) => system.writeAll(1, new TextEncoder().encode("program\n")) },
  })
  const session = new ShellSession({ hasBuiltin: (name) => name !== "echo" })
  for (const each of [session, session.fork()]) {
    const { answer } = start(kernel, each.program("echo builtin; (echo builtin); type -t cd"), ["sh"])
    expect(await answer).toMatchObject({ exitCode: 0, stdout: "program\nprogram\nbuiltin\n" })
  }
})

it("returns the variables of its last run, exported or not", async () => {
  const session = new ShellSession()
  expect(session.variables).toEqual({})
  await start(makeWorld({}), session.program("a=1; export b=2; c=(3 4); declare -A d=([k]=v); unset HOME"), ["sh"])
    .answer
  expect(session.variables).toMatchObject({ a: "1", b: "2" })
  expect(session.variables).not.toHaveProperty("d")
  expect(session.variables).not.toHaveProperty("HOME")
  expect(session.fork().variables).toMatchObject({ a: "1" })
})
