import { existsSync } from "node:fs"
import { inspect } from "node:util"
import { expect, it } from "@effect/vitest"
import {
  $,
  type LazyCommand,
  lines,
  pipeline,
  run,
  Runner,
  secret,
  shell,
  ShellExitError,
  ShellFault,
  within,
} from "../../src/run/mod.ts"

const rejection = async (promise: PromiseLike<unknown>): Promise<unknown> => {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error("it did not reject")
}

const exitError = async (promise: PromiseLike<unknown>): Promise<ShellExitError> => {
  const error = await rejection(promise)
  if (!(error instanceof ShellExitError)) throw new Error(`no ShellExitError: ${String(error)}`)
  return error
}

const failing = (): ReturnType<typeof run> => run("sh", ["-c", "echo out; echo one >&2; echo two >&2; exit 7"])

it("rejects with the command, the code, the duration, the end of stderr, and the whole result", async () => {
  const error = await exitError(failing())
  expect(error.message).toMatch(/^sh -c '.*exit 7' exited with 7 after .*\d+ms \(EXIT\)\none\ntwo$/)
  expect(error).toMatchObject({ exitCode: 7, signal: undefined, stdout: "out\n", stderr: "one\ntwo\n" })
  expect(error.output).toMatchObject({ _tag: "ShellOutput", exitCode: 7, stdout: "out\n" })
  expect(error.duration).toBeGreaterThan(0)
})

it.each(
  [
    ["text", () => failing().text()],
    ["json", () => failing().json()],
    ["bytes", () => failing().bytes()],
    ["arrayBuffer", () => failing().arrayBuffer()],
    ["lines", async () => {
      const seen = []
      for await (const line of failing()) seen.push(line)
    }],
    ["stream", () => new Response(failing().stream()).text()],
    ["events", async () => {
      for await (const _ of failing().events());
    }],
    ["a pipeline", () => pipeline([$`echo a`, failing()])],
    ["a script", () => shell("exit 7")],
  ] as const,
)("rejects a failure of %s", async (_, take) => {
  expect((await exitError(take())).exitCode).toBe(7)
})

it("has no prefix of the library in its messages, however the failure is read", async () => {
  const missing = () => $`no-such-program-anywhere`
  const failures = await Promise.all([
    rejection(missing()),
    rejection(missing().spawned),
    rejection(missing().exited),
    rejection(missing().text()),
    rejection((async () => {
      for await (const _ of missing().events());
    })()),
  ])
  for (const error of failures) expect(String(error)).toMatch(/^ShellFault: no-such-program-anywhere not found/)
  expect(String(Object(failures[0]).stack)).toMatch(/^ShellFault: no-such-program-anywhere not found/)
  const unopened = await rejection(run("cat", [], { stdin: { file: "/no/such/file" } }))
  expect(String(unopened)).toMatch(/^ShellFault: cat was not started/)
  expect(inspect(await rejection(failing()))).not.toContain("exec:")
})

it("says of a command line as one text that its first word is the program", async () => {
  const error = await rejection(run("ls -la /tmp"))
  expect(error).toMatchObject({ _tag: "ShellFault", reason: { _tag: "NotFound", what: "command" } })
  expect(String(error)).toContain(
    'the first argument of run is a program: write run("ls", ["-la", "/tmp"]), $`ls -la /tmp` or shell("ls -la /tmp")',
  )
  expect(String(await rejection(run("ls|wc -l", ["-x"])))).toContain("shell(")
  const quoted = await rejection(run("no 'such'\t$`file`"))
  expect(String(quoted)).toContain(`shell("no 'such'\\t$\`file\`")`)
  expect(String(await rejection(run("no-such-program", ["a b"])))).not.toContain("shell(")
})

it.skipIf(existsSync("/usr/bin/cd"))("names the options that stand for builtins of a shell", async () => {
  expect(String(await rejection($`cd /tmp`))).toMatch(/\$\(\{ cwd: "…" \}\)`…`.*within\(\{ cwd: "…" \}/)
  expect(String(await rejection($`export A=1`))).toMatch(/the option env/)
  expect(String(await rejection(run("source", ["file"])))).toMatch(/shell`…`/)
})

it("yields all lines before the failure", async () => {
  const seen: Array<string> = []
  await exitError((async () => {
    for await (const line of failing()) seen.push(line)
  })())
  expect(seen).toEqual(["out"])
})

it("names the signal", async () => {
  const error = await exitError(shell("kill -KILL $$"))
  expect(error).toMatchObject({ exitCode: 137, signal: "SIGKILL" })
  expect(error.message).toContain("was ended by SIGKILL after")
})

it("answers any end with nothrow, check: false and codes of a list", async () => {
  expect(await failing().nothrow()).toMatchObject({ ok: false, exitCode: 7, stdout: "out\n", stderr: "one\ntwo\n" })
  expect(await failing().nothrow().text()).toBe("out")
  expect(await shell("kill -KILL $$").nothrow()).toMatchObject({ ok: false, exitCode: 137, signal: "SIGKILL" })
  expect((await $({ check: false })`sh -c ${"exit 3"}`).exitCode).toBe(3)
  expect((await $({ check: [0, 1] })`sh -c ${"exit 1"}`).exitCode).toBe(1)
  expect((await exitError($({ check: [0, 1] })`sh -c ${"exit 2"}`)).exitCode).toBe(2)
  expect((await exitError($({ check: [1] })`true`)).exitCode).toBe(0)
  expect((await Runner.make({ check: false }).run("false")).ok).toBe(false)
})

it("rejects with a fault, not an exit code, for a command that cannot be executed, with and without check", async () => {
  const error = await rejection($`no-such-program-anywhere`.nothrow())
  expect(error).toBeInstanceOf(ShellFault)
  expect(error).toMatchObject({ _tag: "ShellFault", reason: { _tag: "NotFound" } })
})

it("keeps secrets out of the message, also secrets that the command printed", async () => {
  const token = secret("hunter2-and-more", "token")
  const command = $`sh -c ${'echo "no $1, no ${KEY-key}" >&2; exit 1'} sh ${token}`
  const error = await exitError(command)
  expect(command.command).toContain("<redacted>")
  expect(error.message).not.toContain("hunter2")
  expect(error.message).toContain("no <redacted:token>, no")
  const script = await exitError(shell({ env: { KEY: token } })`echo ${token} $KEY >&2; exit 1`)
  expect(script.message).not.toContain("hunter2")
  expect(script.stderr).toBe("<redacted:token> <redacted:token>\n")
  const taken = await shell({ env: { KEY: token } })`echo $KEY >&2; exit 1`.nothrow()
  expect(taken.stderr).toBe("hunter2-and-more\n")
})

it("keeps secrets out of the fields of errors, which runtimes print", async () => {
  const env = { KEY: secret("hunter2-and-more", "token") }
  const failed = await exitError(shell({ env })`echo $KEY; echo $KEY >&2; exit 1`)
  expect(failed.stdout).toBe("<redacted:token>\n")
  expect(inspect(failed, { depth: 9 }) + JSON.stringify(failed)).not.toContain("hunter2")
  const late = await rejection(shell({ env, timeout: 300 })`echo $KEY; echo $KEY >&2; sleep 60`)
  expect(late).toBeInstanceOf(ShellFault)
  expect(late).toMatchObject({
    stdout: "<redacted:token>\n",
    stderr: "<redacted:token>\n",
    reason: { _tag: "Timeout" },
  })
  expect(inspect(late, { depth: 9 }) + JSON.stringify(late)).not.toContain("hunter2")
})

it("shows only the last lines of a long stderr", async () => {
  const error = await exitError(shell("seq 1000 >&2; exit 1"))
  expect(error.message.split("\n")).toHaveLength(11)
  expect(error.message.endsWith("\n999\n1000")).toBe(true)
})

const first = async (values: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of values);
}

const missing = (): LazyCommand => {
  const command = $`source no-such-file`
  return command
}

/** All ways to wait for a command, and to make one. */
const ways: ReadonlyArray<readonly [way: string, wait: () => PromiseLike<unknown>]> = [
  ["await", missing],
  ["then", () => missing().then(() => {})],
  ["finally", () => missing().finally()],
  ["exited", () => missing().exited],
  ["spawned", () => missing().spawned],
  ["start", () => missing().start()],
  ["start and spawned", () => missing().start().spawned],
  ["nothrow", () => missing().nothrow()],
  ["nothrow and spawned", () => missing().nothrow().spawned],
  ["text", () => missing().text()],
  ["json", () => missing().json()],
  ["bytes", () => missing().bytes()],
  ["arrayBuffer", () => missing().arrayBuffer()],
  ["a loop", () => first(missing())],
  ["lines", () => first(missing().lines())],
  ["events", () => first(missing().events())],
  ["stream", () => new Response(missing().stream()).text()],
  ["terminal", () => missing().terminal()],
  ["a last stage", () => $`true`.pipe(missing())],
  ["a first stage", () => missing().pipe`cat`],
  ["events of a stage", () => first($`true`.pipe(missing()).events())],
  ["spawned of a stage", () => $`true`.pipe`source no-such-file`.spawned],
  ["pipeline", () => pipeline([$`true`, missing()])],
  ["run", () => run("source", ["no-such-file"])],
  ["run(…).lines", () => first(run("source").lines())],
  ["the function lines", () => first(lines("source"))],
  ["another runner", () => Runner.make({ check: false }).$`source no-such-file`.spawned],
  ["within", () => within({ env: { A: "1" } }, () => missing().spawned)],
]

/** The first two frames of a stack. */
const framesOf = (error: unknown): ReadonlyArray<string> =>
  String(Object(error).stack).split("\n").filter((line) => line.startsWith("    at ")).slice(0, 2)

it.each(ways)("has the line of the script in its stack, and the advice: %s", async (_, wait) => {
  const error = await rejection(wait())
  expect(error).toBeInstanceOf(ShellFault)
  expect(String(error)).toMatch(/^ShellFault: source not found.*; source is a part of the shell: write/)
  const [top = "", second = ""] = framesOf(error)
  expect(top).toContain("failures.test")
  expect(second).not.toContain("src/run/")
})

it("has the line of the script in the stack of an exit code, a script and a terminal", async () => {
  const commands = [run("false"), $`false`, shell("exit 1"), shell`exit ${1}`, $`true`.pipe(run("false"))]
  for (const command of commands) expect(framesOf(await rejection(command))[0]).toContain("failures.test")
  const session = await run("cat").terminal()
  const late = await rejection(session.waitFor("never", { timeout: 1 }))
  expect(late).toMatchObject({ reason: { _tag: "Timeout" } })
  expect(framesOf(late)[0]).toContain("failures.test")
  await session.close()
  const ended = await rejection(session.exited)
  expect(ended).toMatchObject({ reason: { _tag: "Cancelled" } })
  expect(framesOf(ended)[0]).toContain("failures.test")
  expect(framesOf(await rejection(session.send("late")))[0]).toContain("failures.test")
})

it("keeps secrets out of a fault that events and terminals give", async () => {
  const env = { KEY: secret("hunter2-and-more", "token") }
  const late = () => shell({ env, timeout: 300 })`echo $KEY; sleep 60`
  const session = await late().terminal()
  for (const fault of [await rejection(first(late().events())), await rejection(session.exited)]) {
    expect(fault).toMatchObject({ reason: { _tag: "Timeout" } })
    expect(inspect(fault, { depth: 9 }) + JSON.stringify(fault)).not.toContain("hunter2")
  }
})

it("is caught by catch, and runs finally", async () => {
  const told: Array<string> = []
  const code = await failing().finally(() => told.push("ended")).catch((error) => error.exitCode)
  expect([code, told]).toEqual([7, ["ended"]])
})
