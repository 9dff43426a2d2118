import { pathToFileURL } from "node:url"
import { expect, it, vi } from "vitest"
import {
  $,
  OptionError,
  OutputError,
  pipeline,
  quoteCommand,
  retry,
  run,
  Runner,
  secret,
  shell,
  TemplateError,
  which,
  within,
} from "../../src/run/mod.ts"

const thrown = (make: () => unknown): unknown => {
  try {
    make()
  } catch (error) {
    return error
  }
  throw new Error("it did not throw")
}

/** In plain JavaScript nothing checks the types. */
const untyped = (u: unknown): ReturnType<typeof JSON.parse> => u

it("refuses unknown options everywhere, naming the nearest", () => {
  for (
    const make of [
      () => run("ls", [], untyped({ tiemout: 5 })),
      () => $(untyped({ tiemout: 5 })),
      () => shell("ls", untyped({ tiemout: 5 })),
      () => shell(untyped({ tiemout: 5 })),
      () => Runner.make(untyped({ tiemout: 5 })),
      () => which("ls", untyped({ tiemout: 5 })),
    ]
  ) {
    expect(thrown(make)).toBeInstanceOf(OptionError)
    expect(thrown(make)).toMatchObject({
      option: "tiemout",
      message: expect.stringContaining(`did you mean "timeout"?`),
    })
  }
  expect(() => run("ls", [], untyped({ workingDirectory: "/" }))).toThrow(/did you mean "cwd"/)
  expect(() => run("ls", [], untyped({ reject: false }))).toThrow(/did you mean "check"/)
})

it("names the correct form for mistakes that plain JavaScript allows", async () => {
  const refused: ReadonlyArray<readonly [RegExp, () => unknown]> = [
    [/^run: the arguments must be a list, got string/, () => run("echo", untyped("hi"))],
    [/^run: the arguments must be a list, got an object/, () => run("pwd", untyped({ cwd: "/" }))],
    [/^run: the program is a name/, () => run(untyped(undefined))],
    [/^\$: the options must be an object, got string/, () => $(untyped("echo hi"))],
    [/^quoteCommand: the arguments must be a list/, () => quoteCommand(untyped("git status"))],
    [/^env\.CI is undefined: write .* null to remove/, () => run("env", [], { env: { CI: untyped(undefined) } })],
    [/^signal: write an AbortSignal; kill/, () => run("sleep", [5], { signal: untyped("SIGTERM") })],
    [/^timeout: write a finite time above zero/, () => run("sleep", [5], { timeout: 0 })],
    [/^idleTimeout: write a finite time/, () => run("sleep", [5], { idleTimeout: Infinity })],
    [/^encoding: TextDecoder does not have "nope"/, () => run("ls", [], { encoding: "nope" })],
    [/^input: write text, bytes/, () => run("cat", [], { input: untyped(null) })],
  ]
  for (const [message, make] of refused) {
    expect(thrown(make)).toBeInstanceOf(OptionError)
    expect(make).toThrow(message)
  }
  expect(() => pipeline(untyped([]))).toThrow(/^pipeline: write a list of commands/)
  expect(() => within({}, untyped(undefined))).toThrow(/^within: write a function/)
  await expect(retry(untyped(run("true")))).rejects.toThrow(/^retry: write a function that makes the command/)
  const running = run("sleep", ["60"]).start()
  await running.spawned
  expect(() => running.kill("SIGFOO")).toThrow(/^kill: this system has no signal SIGFOO/)
  expect(running.kill("SIGKILL")).toBe(true)
  await running.exited
  await expect(run("echo", [`"${"x".repeat(5_000)}"`], { maxOutputBytes: 1_000 }).json()).rejects.toThrow(OutputError)
})

it("names the field of an invalid time, and reads the short forms", async () => {
  expect(() => run("ls", [], untyped({ timeout: "soon" }))).toThrow(/^timeout: "soon" is not a duration; write/)
  expect(() => Runner.make(untyped({ grace: -1 }))).toThrow(/^grace: -1/)
  const late = run("sleep", ["60"], { timeout: "100ms", grace: "0s" })
  await expect(late).rejects.toMatchObject({ reason: { _tag: "Timeout", afterMillis: 100 } })
})

it("refuses options of the wrong kind", () => {
  expect(() => run("ls", [], untyped({ check: "no" }))).toThrow(/^check: write/)
  expect(() => run("ls", [], untyped({ input: 3 }))).toThrow(/^input: write/)
})

it("takes numbers, URLs and secrets as arguments", async () => {
  const file = pathToFileURL("/tmp/a b%")
  const shown = await run("printf", ["%s|", 3, 5n, file, new URL("https://x.org/?a=b"), secret("s")]).text()
  expect(shown).toBe("3|5|/tmp/a b%|https://x.org/?a=b|s|")
  expect(await $`printf ${"%s|"} ${[1, file]} ${true} --n=${2.5}`.text()).toBe("1|/tmp/a b%|true|--n=2.5|")
  expect((await run(new URL("file:///bin/echo"), ["a"], { cwd: new URL("file:///"), env: { N: 1 } })).stdout).toBe(
    "a\n",
  )
})

it("refuses invalid arguments", () => {
  expect(() => run("echo", new Array<string>(2))).toThrow(/^run: argument 1 is undefined; an argument is/)
  expect(() => run("echo", ["a", untyped(undefined)])).toThrow(/^run: argument 2 is undefined; an argument is/)
  expect(thrown(() => $`echo ${untyped({})}`)).toBeInstanceOf(TemplateError)
  expect(() => $`echo a ${untyped({})}`).toThrow(/after template part 0 is an object/)
})

it.each([
  [() => $`ls | wc`, "join commands with $`…`.pipe($`…`) or pipeline([…])"],
  [() => $`ls > out`, `the option stdout, as in $({ stdout: { file: "out.txt" } })`],
  [() => $`wc < in`, `the option stdin, as in $({ stdin: { file: "in.txt" } })`],
  [() => $`make && make install`, "await one command after the other"],
  [() => $`sleep 5 &`, ".start()"],
  [() => $`echo $HOME`, "${process.env.HOME}"],
  [() => $`echo $(date)`, "${await $`…`.text()}"],
  [() => $`A=1 env`, "the option env"],
  [() => $`echo *`, "interpolate a list"],
])("says what to write instead of syntax of a shell", (make, use) => {
  const error = thrown(make)
  expect(error).toBeInstanceOf(TemplateError)
  expect(String(error)).toContain(use)
  expect(String(error)).toContain("shell`…`")
})

it("prints commands that are verbose, without their secrets", async () => {
  const print = vi.spyOn(console, "error").mockImplementation(() => {})
  try {
    await $({ verbose: true })`echo ${"a b"} ${secret("hunter2")}`
    await Runner.make({ verbose: true }).shell`echo ${"x y"} | cat`
    expect(print.mock.calls.map(([line]) => line)).toEqual([
      "$ echo 'a b' <redacted>",
      `$ sh -c 'echo '\\''x y'\\'' | cat'`,
    ])
  } finally {
    print.mockRestore()
  }
})

it("finds programs as commands do", () => {
  expect(which("sh")).toMatch(/^\/.*\/sh$/)
  expect(which("no-such-program-anywhere")).toBeUndefined()
  expect(which("sh", { env: { PATH: "/nowhere" } })).toBeUndefined()
  expect(which("/bin/sh")).toBe("/bin/sh")
})

it("quotes a command for a shell, which reads it back unchanged", async () => {
  const words = ["printf", "%s\\n", "it's", "a b", "$HOME", "", "*", 7]
  expect(await shell(quoteCommand(words)).text()).toBe("it's\na b\n$HOME\n\n*\n7")
  expect(() => quoteCommand(["echo", secret("x")])).toThrow(OptionError)
  expect(() => quoteCommand(["echo", "a\0b"])).toThrow(/NUL/)
})

it("refuses arguments of the wrong kind with an OptionError that names them", async () => {
  // @ts-expect-error an empty list
  expect(() => pipeline([])).toThrow(OptionError)
  // @ts-expect-error not a command
  expect(() => $`echo a`.pipe("wc")).toThrow(/^pipe: write a command/)
  // @ts-expect-error not a function
  expect(() => within({}, "")).toThrow(OptionError)
  // @ts-expect-error not a function
  await expect(retry("")).rejects.toBeInstanceOf(OptionError)
})
