import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { KernelShell, type Sandbox } from "@sluice/shell/sandbox"
import { Shell, ShellExec } from "@sluice/shell"
import type { Extension, Extensions } from "../../../src/kernel/process/Extension.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { encode, withSandbox } from "./support.ts"

const text = async (stdin: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> => await new Response(stdin).text()

const run = (extensions: Extensions, script: string, options: Sandbox.ScriptOptions = {}) =>
  Effect.runPromise(withSandbox((sandbox) => sandbox.run(script, options), { extensions }))

const stream = (pieces: ReadonlyArray<string>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const piece of pieces) controller.enqueue(encode(piece))
      controller.close()
    },
  })

it("runs functions of the host in pipelines, substitutions and conditions, as any command", async () => {
  const extensions: Extensions = {
    search: ([word = ""]) =>
      ["one fish", "two fish", "red hat"].filter((line) => line.includes(word)).join("\n") + "\n",
    upper: async (_, stdin) => (await text(stdin)).toUpperCase(),
    refuses: () => ({ exitCode: 3, stderr: "no\n" }),
  }
  const script = 'search fish | upper | sort -r; x=$(search hat); echo "[$x]"; refuses 2>&1 || echo $?\n' +
    "type search; command -v upper; echo a b | xargs -n1 search | wc -l; env search red"
  expect(await run(extensions, script)).toMatchObject({
    stdout: "TWO FISH\nONE FISH\n[red hat]\nno\n3\nsearch is /usr/bin/search\n/usr/bin/upper\n2\nred hat\n",
    stderr: "",
    exitCode: 0,
  })
})

it("gets its arguments, input, environment, working directory and name", async () => {
  let seen: unknown
  const extension: Extension = async (args, stdin, { cwd, env, name, signal }) => {
    seen = { args, input: await text(stdin), cwd, variable: env["V"], name, aborted: signal.aborted }
  }
  await run({ tell: extension }, "cd /tmp; printf 'é\\0x' | V=1 tell a '' 'b c'")
  expect(seen).toEqual({
    args: ["a", "", "b c"],
    input: "é\0x",
    cwd: "/tmp",
    variable: "1",
    name: "tell",
    aborted: false,
  })
})

it.each<readonly [string, Extension, string, string, number]>([
  ["text", () => "é", "é", "", 0],
  ["bytes", () => Uint8Array.of(104, 105), "hi", "", 0],
  ["nothing", () => {}, "", "", 0],
  ["a stream", () => stream(["a", "", "b"]), "ab", "", 0],
  [
    "what yields text and bytes",
    async function* () {
      yield "a"
      yield encode("b")
    },
    "ab",
    "",
    0,
  ],
  ["both outputs and an exit code", () => ({ exitCode: 4, stdout: stream(["o"]), stderr: "e" }), "o", "e", 4],
  ["an error", () => Promise.reject(new Error("broken\nin two lines")), "", "x: broken\nin two lines\n", 1],
  [
    "what is thrown and no error",
    () => {
      throw "text"
    },
    "",
    "x: text\n",
    1,
  ],
  [
    "an error after some output",
    async function* () {
      yield "first"
      throw new Error("then")
    },
    "first",
    "x: then\n",
    1,
  ],
  // Plain JavaScript has no types.
  ["a number", (() => 5) as never, "", "x: output must be text, bytes or a stream of them: number\n", 1],
  [
    "pieces that are numbers",
    (async function* () {
      yield 5
    }) as never,
    "",
    "x: a piece of output must be text or bytes: number\n",
    1,
  ],
  [
    "what cannot be read",
    () => ({
      get stdout(): string {
        throw new Error("no output")
      },
    }),
    "",
    "x: no output\n",
    1,
  ],
  [
    "a stream that another reads",
    () => {
      const output = stream(["a"])
      output.getReader()
      return output
    },
    "",
    expect.stringMatching(/^x: .*locked.*\n$/) as never,
    1,
  ],
  [
    "an invalid iterator",
    (() => ({ [Symbol.asyncIterator]: () => ({ next: () => undefined }) })) as never,
    "",
    "x: an iterator must return an object: undefined\n",
    1,
  ],
  ["an error without a text", () => Promise.reject(Object.create(null)), "", "x: the thrown value has no text\n", 1],
  ["a broken exit code", () => ({ exitCode: 0.5 }), "", "x: the exit code must be an integer: 0.5\n", 1],
])("may return %s", async (_, extension, stdout, stderr, exitCode) => {
  expect(await run({ x: extension }, "x")).toMatchObject({ stdout, stderr, exitCode })
})

it("is pulled as fast as its reader takes it, and stopped when the reader leaves", async () => {
  let made = 0
  let stopped = false
  let aborted = false
  const floods: Extension = async function* (_args, _stdin, { signal }) {
    signal.addEventListener("abort", () => aborted = true)
    try {
      for (;;) {
        made++
        yield new Uint8Array(65_536).fill(10)
      }
    } finally {
      stopped = true
    }
  }
  expect((await run({ floods }, "floods | head -n 1; echo ${PIPESTATUS[*]}")).stdout).toBe("\n141 0\n")
  // What the pipe holds, what the reader took, and one more.
  expect(made).toBeLessThan(6)
  await expect.poll(() => [stopped, aborted]).toEqual([true, true])
})

it("pulls its input only as it reads, and closes the pipe when it stops reading", async () => {
  const first: Extension = async (_, stdin) => {
    const reader = stdin.getReader()
    const { value } = await reader.read()
    await reader.cancel()
    return `${value?.[0]}\n`
  }
  const ignores: Extension = () => "ignored\n"
  const script = "yes | first; echo ${PIPESTATUS[*]}; yes | ignores; echo ${PIPESTATUS[*]}"
  expect((await run({ first, ignores }, script)).stdout).toBe("121\n141 0\nignored\n141 0\n")
})

it("is aborted by a timeout, a kill and the end of its sandbox; its late result is dropped", async () => {
  const reasons: Array<string> = []
  const waits: Extension = ([name = ""], _, { signal }) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => {
        reasons.push(name)
        resolve("too late\n")
      })
    })
  const timeout = await Effect.runPromise(Effect.flip(
    withSandbox((sandbox) => sandbox.run("echo before; waits timeout", { timeout: 50 }), { extensions: { waits } }),
  ))
  expect(timeout).toMatchObject({ reason: { _tag: "Timeout" }, stdout: "before\n" })
  expect((await run({ waits }, "waits kill & sleep 0.05; kill $!; wait $!; echo $?")).stdout).toBe("143\n")
  await run({ waits }, "waits close & sleep 0.05")
  expect(reasons).toEqual(["timeout", "kill", "close"])
})

it("is ended by a timeout while it writes nothing, again and again", async () => {
  const extensions: Extensions = {
    nothing: async function* () {
      for (;;) yield ""
    },
    bytes: () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array()) }),
  }
  for (const script of ["nothing", "bytes | cat"]) {
    const timeout = await Effect.runPromise(Effect.flip(
      withSandbox((sandbox) => sandbox.run(script, { timeout: 50 }), { extensions }),
    ))
    expect(timeout).toMatchObject({ reason: { _tag: "Timeout" } })
  }
})

it("writes at most the output limit of the run", async () => {
  const much: Extension = async function* () {
    for (;;) yield "x".repeat(1_000)
  }
  const result = await run({ much }, "much", { maxOutputBytes: 10_500 })
  expect(result).toMatchObject({ truncated: true, signal: "SIGXFSZ" })
  expect(result.stdout.length).toBe(10_500)
})

it("takes precedence over programs of its name, respects `allow`, and runs as a command of a KernelShell", async () => {
  const extensions: Extensions = { cat: () => "mine\n", secret: () => "secret\n" }
  expect((await run(extensions, "echo x | cat")).stdout).toBe("mine\n")
  const allowed = withSandbox((sandbox) => sandbox.run("secret; cat"), { extensions, allow: ["cat"] })
  expect(await Effect.runPromise(allowed)).toMatchObject({ stdout: "mine\n", exitCode: 0 })
  const layer = KernelShell.layerWith({ extensions })
  const command = Effect.provide(Shell.run(ShellExec.make("secret", [])), layer)
  expect(await Effect.runPromise(command)).toMatchObject({ exitCode: 0, stdout: "secret\n" })
})

if (canCompileC) {
  it.each(["none", "worker"] as const)("is called by WASI programs, isolate: %s", async (isolate) => {
    let calls = 0
    const echo: Extension = async (args, stdin, { cwd, env }) => {
      calls++
      return { exitCode: 7, stdout: `${args.join("+")} ${await text(stdin)} ${cwd} ${env["V"]}`, stderr: "e" }
    }
    const much: Extension = async function* () {
      for (;;) yield "x".repeat(1_000_000)
    }
    const options: Sandbox.SandboxOptions = {
      extensions: { echo, much, hidden: () => "" },
      programs: { invoke: { source: await compileC("invoke"), isolate } },
      allow: ["invoke", "echo", "much"],
    }
    const script = "export V=1; invoke echo input a b; invoke none ''; invoke hidden ''; invoke much ''"
    const { stdout } = await Effect.runPromise(withSandbox((sandbox) => sandbox.run(script), { ...options }))
    const lines = stdout.split("\n")
    expect(lines[0]).toBe('{"exit_code":7,"stdout":"a+b input /home/user 1","stderr":"e"}')
    expect(calls).toBe(1)
    expect(lines[1]).toBe('{"exit_code":127,"stdout":"","stderr":"none: there is no such extension\\n"}')
    expect(lines[2]).toBe('{"exit_code":127,"stdout":"","stderr":"hidden: there is no such extension\\n"}')
    expect(lines[3]?.replaceAll("x", "")).toBe(
      '{"eit_code":1,"stdout":"","stderr":"much: write error: File too large\\n"}',
    )
    expect(lines[3]?.length).toBeGreaterThan(16_000_000)
  })

  it("ends the call of a WASI program that is killed", async () => {
    let aborted = false
    const waits: Extension = (_args, _stdin, { signal }) =>
      new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted = true
          resolve("")
        })
      })
    const options = { extensions: { waits }, programs: { invoke: await compileC("invoke") } }
    const run = withSandbox((sandbox) => sandbox.run("timeout 0.05 invoke waits ''; echo $?"), options)
    expect((await Effect.runPromise(run)).stdout).toBe("124\n")
    expect(aborted).toBe(true)
  })
}

it("refuses names that no command has, and values that are no functions", async () => {
  const wrong: unknown = 5
  for (const name of ["a/b", "", "a\0b", "..", "x".repeat(256)]) {
    await expect(run({ [name]: () => "" }, ":")).rejects.toThrow(/is not the name of a command/)
  }
  const extensions: Record<string, Extension> = {}
  Reflect.set(extensions, "x", wrong)
  await expect(run(extensions, ":")).rejects.toThrow('extensions["x"]: write a function, got a number')
})
