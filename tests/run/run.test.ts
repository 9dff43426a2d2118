import { expect, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { $, lines, run, Runner, shell, ShellFault, TemplateError } from "../../src/run/mod.ts"

/** In plain JavaScript nothing checks the types. */
const untyped = (u: unknown): ReturnType<typeof JSON.parse> => u

const collect = async <A>(items: AsyncIterable<A>): Promise<Array<A>> => {
  const all: Array<A> = []
  for await (const item of items) all.push(item)
  return all
}

const fault = async (command: PromiseLike<unknown>): Promise<ShellFault> => {
  const error: unknown = await Promise.resolve(command).then(() => undefined, (reason: unknown) => reason)
  if (!(error instanceof ShellFault)) throw new Error(`no fault: ${String(error)}`)
  return error
}

it("awaits a template's command, each interpolation one argument", async () => {
  const odd = "a b; $(exit 9) *"
  const result = await $`printf %s\\n ${odd} ${["x", "y z"]} --n=${3}`
  expect(result).toMatchObject({ ok: true, exitCode: 0, stdout: `${odd}\nx\ny z\n--n=3\n`, stderr: "" })
})

it("reads as its text, in a template and as a string", async () => {
  const result = await $`printf ${"a b\\nc\\n\\n"}`
  expect(`${result}|${String(result)}`).toBe("a b\nc\n|a b\nc\n")
  expect((await $`printf ${"<%s>"} ${result} ${[result, "x"]} --all=${result}`).stdout)
    .toBe("<a b\nc\n><a b\nc\n><x><--all=a b\nc\n>")
  expect(`${await run("echo", [result])}`).toBe("a b\nc\n")
  expect(`${await shell`printf ${"<%s>"} ${await $`echo ${"1; true"}`.nothrow()}`}`).toBe("<1; true>")
  expect(Object.keys(result)).not.toContain("toString")
  expect(structuredClone(result)).toEqual(result)
})

it("refuses a result whose output is elsewhere or was cut, and a command that was not awaited", async () => {
  const streamed = $`echo a`
  for await (const _ of streamed);
  const elsewhere = await streamed
  expect(() => $`echo ${elsewhere}`).toThrow(/after template part 0 is a result whose stdout was not kept/)
  const cut = await run("seq", ["1000"], { maxOutputBytes: 100 })
  expect(() => run("echo", [cut])).toThrow(/argument 1 is a result whose stdout was not kept whole/)
  const command = untyped($`echo a`)
  expect(() => $`echo ${command}`).toThrow(/is a command that was not awaited: write \$\{await …\}/)
  expect(() => $`echo ${[command]}`).toThrow(/is a command that was not awaited/)
  expect(() => shell`echo ${command}`).toThrow(/is a command that was not awaited/)
  expect(() => run("echo", [command])).toThrow(/argument 1 is a command that was not awaited/)
  expect(() => $`echo ${untyped(Promise.resolve("a"))}`).toThrow(/is a promise that was not awaited/)
})

it("rejects with the typed fault", async () => {
  expect((await fault($`no-such-program-anywhere`)).reason).toMatchObject({ _tag: "NotFound", what: "command" })
  const late = await fault($({ timeout: "200 millis" })`sh -c ${"echo begun; sleep 30"}`)
  expect(late.reason).toMatchObject({ _tag: "Timeout", kind: "total", afterMillis: 200 })
  expect(late.stdout).toBe("begun\n")
})

it("throws at once for syntax that needs a shell", () => {
  expect(() => $`ls | wc`).toThrow(TemplateError)
  expect(() => $`echo *`).toThrow(TemplateError)
})

it("cancels by an AbortSignal, before and while the command runs", async () => {
  expect((await fault(run("sleep", ["30"], { signal: AbortSignal.abort() }))).reason._tag).toBe("Cancelled")
  const controller = new AbortController()
  const running = fault(run("sh", ["-c", "echo here; sleep 30"], { signal: controller.signal }))
  setTimeout(() => controller.abort(), 100)
  expect(await running).toMatchObject({ reason: { _tag: "Cancelled" }, stdout: "here\n" })
})

it("iterates over whole lines as they come, however they were read", async () => {
  expect(await collect(lines("printf", ["a\\r\\nb\\n\\nc"]))).toEqual(["a", "b", "", "c"])
  expect((await collect($`seq 20000`)).length).toBe(20_000)
})

it("ends the command when the loop is left", async () => {
  const seen: Array<string> = []
  for await (const line of lines("sh", ["-c", "while :; do echo tick; done"])) {
    seen.push(line)
    if (seen.length === 3) break
  }
  expect(seen).toEqual(["tick", "tick", "tick"])
})

it("throws the fault out of the loop", async () => {
  await expect(collect(lines("sh", ["-c", "echo a; sleep 30"], { timeout: 200 }))).rejects.toBeInstanceOf(ShellFault)
})

it("streams bytes unchanged, and ends the command when the stream is cancelled", async () => {
  const read = new Uint8Array(await new Response(run("printf", ["\\000\\377\\200"]).stream()).arrayBuffer())
  expect([...read]).toEqual([0, 255, 128])
  const reader = run("yes").stream().getReader()
  expect((await reader.read()).value?.length).toBeGreaterThan(0)
  await reader.cancel()
})

it("streams through any TransformStream", async () => {
  const text = run("printf", ["caf\\303\\251\\n"]).stream().pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      },
    }),
  )
  expect(await new Response(text).text()).toBe("café\n")
})

it("errors the stream with the fault", async () => {
  await expect(new Response(run("no-such-program-anywhere").stream()).text()).rejects.toBeInstanceOf(ShellFault)
})

it("joins commands without a shell, and reports the end of every stage", async () => {
  const result = await $`yes`.pipe($`head -n 2`)
  expect(result).toMatchObject({ ok: true, stdout: "y\ny\n" })
  expect(result.stages?.map(({ command, signal }) => [command, signal])).toEqual([["yes", "SIGPIPE"], [
    "head",
    undefined,
  ]])
  const failing = () => $`sh -c ${"echo a; exit 3"}`
  expect((await failing().pipe($`cat`)).exitCode).toBe(0)
  expect(await failing().pipe($`cat`, { pipefail: true }).catch((error) => error.exitCode)).toBe(3)
})

it("streams a pipeline's bytes unchanged", async () => {
  const piped = $`printf ${"\\\\377\\\\000"}`.pipe($`cat`).stream()
  expect([...new Uint8Array(await new Response(piped).arrayBuffer())]).toEqual([
    0x5c,
    0x33,
    0x37,
    0x37,
    0x5c,
    0x30,
    0x30,
    0x30,
  ])
})

it("feeds values, secrets, iterables and Web streams", async () => {
  const cat = (input: NonNullable<Parameters<typeof run>[2]>["input"]) => run("cat", [], { input }).text()
  expect(await cat("text")).toBe("text")
  expect(await cat(new TextEncoder().encode("bytes"))).toBe("bytes")
  expect(await cat(Redacted.make("secret"))).toBe("secret")
  expect(await cat(["a", new TextEncoder().encode("b")])).toBe("ab")
  expect(await cat(new Response("stream").body ?? "")).toBe("stream")
  expect(
    await cat((async function* () {
      yield "one "
      await new Promise((resolve) => setTimeout(resolve, 5))
      yield "two"
    })()),
  ).toBe("one two")
})

it("takes a directory and environment by their short names", async () => {
  const here = await run("sh", ["-c", "pwd; echo $COLOR"], { cwd: "/", env: { COLOR: "teal" } })
  expect(here.stdout).toBe("/\nteal\n")
})

it("reads JSON", async () => {
  expect(await $`echo ${JSON.stringify({ a: [1] })}`.json()).toEqual({ a: [1] })
  await expect($`echo nope`.json()).rejects.toMatchObject({ _tag: "OutputError" })
})

it("keeps the settings of a runner", async () => {
  const narrow = Runner.make({ maxConcurrency: 1, maxQueued: 0, cwd: "/" })
  const [first, second] = await Promise.allSettled([narrow.run("sleep", ["0.2"]), narrow.$`pwd`])
  expect(first.status).toBe("fulfilled")
  expect(second).toMatchObject({ status: "rejected", reason: { reason: { _tag: "Throttled" } } })
  expect(await narrow.$`pwd`.text()).toBe("/")
})

const portable = shell({ shell: "portable" })

it("runs scripts in the portable shell, whose values stay data", async () => {
  const words = ["a b", "$(exit 3)", "`x`; echo y", "'\"*"]
  expect(await portable`printf "<%s>" ${words}`.text()).toBe(words.map((word) => `<${word}>`).join(""))
  expect(
    await portable`cat <<END | tr a-z A-Z
${"it's $HOME"}
END`.text(),
  ).toBe("IT'S $HOME")
  const values = "echo; env | grep -c sluice_"
  expect(await portable`echo "<${values}>"; env | grep -c sluice_ || :`.text()).toBe(`<${values}>\n0`)
  const { exitCode, stdout } = await portable("echo $1; exit 3").nothrow()
  expect([exitCode, stdout]).toEqual([3, "\n"])
  expect(await shell("echo $0", { shell: "portable" }).text()).toBe("bash")
})

it("runs other commands as ever with the option shell, and refuses an unknown shell", async () => {
  const runner = Runner.make({ shell: "portable" })
  expect(await runner.$`echo a`.text()).toBe("a")
  expect(await runner.shell`echo $0`.text()).toBe("bash")
  expect(await runner.shell({ shell: "system" })`echo a`.pipe(runner.shell`cat | tr a b`).text()).toBe("b")
  // @ts-expect-error: a shell has its name in the option defaultShell
  expect(() => shell({ shell: "zsh" })).toThrow(/defaultShell/)
})
