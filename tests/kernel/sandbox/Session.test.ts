import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { Sandbox } from "@sluice/shell/sandbox"
import { eventually, pause, settled } from "../../support/eventually.ts"
import { encode, failureOf, stdoutOf, withSandbox } from "./support.ts"

it.live("returns the exit code and both outputs, whatever the exit code", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const result = yield* sandbox.run("echo out; echo err >&2; exit 3")
      expect(result).toMatchObject({ exitCode: 3, ok: false, stdout: "out\n", stderr: "err\n", truncated: false })
      expect(result.signal).toBeUndefined()
      const killed = yield* sandbox.run("kill -s TERM $$; sleep 5")
      expect(killed).toMatchObject({ exitCode: 143, signal: "SIGTERM" })
    })
  ))

it.live("keeps variables, functions, options and the working directory for the next run", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run('x=5; export Y=six; f() { echo "f $1"; }; mkdir -p /tmp/in; cd /tmp/in; set -u')
      expect(yield* stdoutOf(sandbox, "echo $x $Y; f hi; pwd; env | grep ^Y=")).toBe("5 six\nf hi\n/tmp/in\nY=six\n")
      expect(yield* sandbox.cwd).toBe("/tmp/in")
      expect((yield* sandbox.env)["Y"]).toBe("six")
      expect((yield* sandbox.run("echo $nothing")).exitCode).not.toBe(0)
    })
  ))

it.live("hands arguments to the script as they are", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const args = ["", "a b", "it's", "$(reboot)", "`id`", "-n", "line\nbreak", "é€😀", "*", "; exit 9"]
      expect(yield* stdoutOf(sandbox, 'for a; do printf "[%s]" "$a"; done', { args }))
        .toBe(args.map((arg) => `[${arg}]`).join(""))
      expect((yield* sandbox.run("\n\nfi", { args })).stderr).toContain("line 3")
    })
  ))

it.live("reads text, bytes and streams on stdin, and nothing without input", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      expect(yield* stdoutOf(sandbox, "cat")).toBe("")
      expect(yield* stdoutOf(sandbox, "cat", { input: "é€😀" })).toBe("é€😀")
      const bytes = Uint8Array.from({ length: 256 }, (_, at) => at)
      expect((yield* sandbox.run("cat", { input: bytes })).stdoutRaw).toEqual(bytes)
      const stdin = Stream.make("one ", "", "two").pipe(Stream.map(encode))
      expect(yield* stdoutOf(sandbox, "cat", { input: stdin })).toBe("one two")
    })
  ))

it.live("pulls an input stream only as it is read, and closes it with the script", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      let taken = 0
      let ended = false
      const stdin = Stream.make(new Uint8Array(65_536).fill(97)).pipe(
        Stream.forever,
        Stream.tap(() => Effect.sync(() => void taken++)),
        Stream.ensuring(Effect.sync(() => void (ended = true))),
      )
      expect(yield* stdoutOf(sandbox, "true; head -c 100000 | wc -c", { input: stdin })).toMatch(/^ *100000\n$/)
      expect(taken).toBeLessThan(6)
      expect(ended).toBe(true)
      taken = 0
      expect(yield* stdoutOf(sandbox, "sleep 0.05; echo done", { input: stdin })).toBe("done\n")
      expect(taken).toBe(0)
    })
  ))

it.live("fails with the output so far when its input fails", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const stdin = Stream.concat(Stream.make(encode("so far\n")), Stream.fail(new Error("the disk is gone")))
      const error = yield* failureOf(sandbox.run("cat; sleep 20", { input: stdin }))
      expect(error).toMatchObject({ _tag: "SandboxError", reason: { _tag: "InputFailed" }, stdout: "so far\n" })
      expect(error.message).toMatch(/^sandbox: .*the disk is gone.* \(ESTDIN\)$/)
      expect(sandbox.kernel.processes).toBe(0)
    })
  ))

it.live("kills everything at the timeout, and fails with the output so far; the session keeps its previous state", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      yield* sandbox.run("x=1")
      const script = "x=2; echo out; echo err >&2; (trap '' TERM; sleep 60) & sleep 60 | cat"
      const error = yield* failureOf(sandbox.run(script, { timeout: "150 millis" }))
      expect(error).toMatchObject({ reason: { _tag: "Timeout", afterMillis: 150 }, stdout: "out\n", stderr: "err\n" })
      expect(sandbox.kernel.processes).toBe(0)
      expect(yield* stdoutOf(sandbox, "echo $x")).toBe("1\n")
    })
  ))

it.effect("counts the timeout by the program's clock", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(failureOf(sandbox.run("sleep 60", { timeout: "1 hour" })))
      yield* eventually("it runs", () => sandbox.kernel.processes > 0)
      yield* TestClock.adjust("59 minutes")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 minute")
      expect((yield* Fiber.join(fiber)).reason).toEqual({ _tag: "Timeout", afterMillis: 3_600_000 })
    })
  ))

it.live("kills everything when it is interrupted", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const script =
        "beat() { while :; do printf . >> $1; sleep 0.01; done; }; beat a & (trap '' TERM INT; beat b) & beat c"
      const fiber = yield* Effect.forkChild(sandbox.run(script))
      const sizes = () => Effect.map(sandbox.run("cat a b c | wc -c"), ({ stdout }) => Number(stdout))
      const other = yield* sandbox.session()
      yield* eventually("all beat", () => sandbox.kernel.processes >= 4)
      yield* Effect.sleep("50 millis")
      expect(Number(yield* stdoutOf(other, "cat a b c | wc -c"))).toBeGreaterThan(2)
      yield* Fiber.interrupt(fiber)
      expect(sandbox.kernel.processes).toBe(0)
      const last = yield* sizes()
      yield* pause(60)
      expect(yield* sizes()).toBe(last)
    })
  ))

it.live("ends a run that writes more than its limit, and sets `truncated`", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const result = yield* sandbox.run("yes; echo never", { maxOutputBytes: 1_001 })
      expect(result).toMatchObject({ exitCode: 153, signal: "SIGXFSZ", truncated: true })
      expect(result.stdoutRaw.length).toBe(1_001)
      const both = yield* sandbox.run("printf 12345; printf 678 >&2", { maxOutputBytes: 8 })
      expect(both).toMatchObject({ exitCode: 0, truncated: false, stdout: "12345", stderr: "678" })
      const streamed = yield* Stream.runCollect(sandbox.bytes("yes", { maxOutputBytes: 1_001 }))
      const bytes = streamed.reduce((sum, event) => sum + (event._tag === "ScriptBytes" ? event.bytes.length : 0), 0)
      expect(bytes).toBe(1_001)
      expect(streamed.at(-1)).toEqual({ _tag: "ScriptExit", exitCode: 153, signal: "SIGXFSZ", truncated: true })
    })
  ))

it.live("runs scripts one after the other, in order; another session runs concurrently", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const runs = [1, 2, 3].map((n) => sandbox.run(`echo s$n ${n} >> log; sleep 0.02; echo e ${n} >> log; n=${n}`))
      const all = yield* Effect.forkChild(Effect.all(runs, { concurrency: "unbounded" }))
      const beside = yield* sandbox.session()
      expect(yield* stdoutOf(beside, "echo ${n-none}")).toBe("none\n")
      yield* Fiber.join(all)
      const log = yield* sandbox.readText("log")
      expect(log.match(/[se]\d* \d/g)?.map((line) => line.at(-1)).join("")).toBe("112233")
    })
  ))

it.live("streams text as it is written, with characters whole, and its exit last", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const events = yield* Stream.runCollect(
        sandbox.stream("printf 'a\\303'; sleep 0.02; printf '\\251\\n'; printf '\\377' >&2; exit 7"),
      )
      const text = (stream: string) =>
        events.map((event) => event._tag === "ScriptText" && event.stream === stream ? event.text : "").join("")
      expect([text("stdout"), text("stderr")]).toEqual(["aé\n", "\uFFFD"])
      expect(events.at(-1)).toEqual({ _tag: "ScriptExit", exitCode: 7, truncated: false })
    })
  ))

it.live("streams every byte", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 7 + (at >> 8)) & 255)
      yield* sandbox.writeFile("data", bytes)
      const got: Array<number> = []
      yield* sandbox.bytes("cat data | cat").pipe(
        Stream.runForEach((event) => Effect.sync(() => event._tag === "ScriptBytes" && got.push(...event.bytes))),
      )
      expect(Uint8Array.from(got)).toEqual(bytes)
    })
  ))

it.live("blocks the writer while the consumer does not pull", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const rounds = () => sandbox.fileSystem.stat(sandbox.fileSystem.root, "/home/user/rounds")
      const size = () => {
        const stat = rounds()
        return typeof stat === "number" ? 0 : stat.size
      }
      const script = "i=0; while [ $i -lt 50 ]; do head -c 65536 /dev/zero; printf . >> rounds; i=$((i + 1)); done"
      let held: number | undefined
      let bytes = 0
      yield* sandbox.bytes(script).pipe(
        Stream.runForEach((event) =>
          Effect.gen(function* () {
            if (event._tag !== "ScriptBytes") return
            bytes += event.bytes.length
            held ??= yield* settled(size)
          })
        ),
      )
      expect(held).toBeLessThan(4)
      expect([bytes, size()]).toEqual([50 * 65_536, 50])
    })
  ))

it.live("ends the processes with the stream, and lets the next run begin", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const [first] = yield* sandbox.stream("yes | cat").pipe(Stream.take(1), Stream.runCollect)
      expect(first).toMatchObject({ _tag: "ScriptText", stream: "stdout" })
      expect(sandbox.kernel.processes).toBe(0)
      const failed = sandbox.stream("yes").pipe(Stream.mapEffect(() => Effect.fail("enough")), Stream.runDrain)
      expect(yield* Effect.flip(failed)).toBe("enough")
      expect(sandbox.kernel.processes).toBe(0)
      expect(yield* stdoutOf(sandbox, "echo free")).toBe("free\n")
    })
  ))

it.live("emits the output before a timeout, and then the error", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      let text = ""
      const error = yield* sandbox.stream("echo so far; sleep 60", { timeout: "100 millis" }).pipe(
        Stream.runForEach((event) => Effect.sync(() => void (text += event._tag === "ScriptText" ? event.text : ""))),
        failureOf,
      )
      expect(text).toBe("so far\n")
      expect(error.reason).toEqual({ _tag: "Timeout", afterMillis: 100 })
      expect(sandbox.kernel.processes).toBe(0)
    })
  ))

it.live("does not wait for silent background processes, and leaves them running", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const script = "(sleep 0.4; echo alive > /tmp/later) & echo started"
      expect(yield* stdoutOf(sandbox, script)).toBe("started\n")
      expect(sandbox.kernel.processes).toBeGreaterThan(0)
      const events = yield* Stream.runCollect(sandbox.stream("sleep 30 & echo streamed"))
      expect(events.map(({ _tag }) => _tag)).toEqual(["ScriptText", "ScriptExit"])
      yield* eventually("it goes on", () =>
        typeof sandbox.fileSystem.stat(sandbox.fileSystem.root, "/tmp/later") !== "number")
      expect(yield* stdoutOf(sandbox, "(for i in 1 2 3; do sleep 0.03; echo $i; done) & echo 0")).toBe("0\n1\n2\n3\n")
    })
  ))

it.live("lets the host send signals to all processes of a script", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      let running: Sandbox.RunningScript | undefined
      const onStart = (started: Sandbox.RunningScript) => void (running = started)
      const script = "trap 'echo caught; exit 5' INT; echo up; while :; do sleep 0.01; done"
      const text: Array<string> = []
      const end = yield* sandbox.stream(script, { onStart }).pipe(
        Stream.tap((event) =>
          Effect.sync(() => {
            if (event._tag !== "ScriptText") return
            text.push(event.text)
            if (event.text === "up\n") expect(running?.kill("SIGINT")).toBeGreaterThan(0)
          })
        ),
        Stream.runLast,
      )
      expect(text.join("")).toContain("caught\n")
      expect(end).toMatchObject({ value: { _tag: "ScriptExit", exitCode: 5 } })
      const plain = yield* Effect.forkChild(
        sandbox.run("sleep 60", { onStart: ({ kill }) => void setTimeout(kill, 20) }),
      )
      expect(yield* Fiber.join(plain)).toMatchObject({ exitCode: 143, signal: "SIGTERM" })
    })
  ))

it.live("fails with Closed once its scope is closed, also a running script", () =>
  Effect.gen(function* () {
    const { fiber, sandbox } = yield* Effect.scoped(Effect.gen(function* () {
      const sandbox = yield* Sandbox.make()
      const fiber = yield* Effect.forkDetach(failureOf(sandbox.run("echo up; sleep 60")))
      yield* eventually("it runs", () => sandbox.kernel.processes > 0)
      return { fiber, sandbox }
    }))
    expect(yield* Fiber.join(fiber)).toMatchObject({ reason: { _tag: "Closed" } })
    expect((yield* failureOf(sandbox.run("true"))).message).toBe("sandbox: it has been closed (CLOSED)")
    expect((yield* failureOf(Stream.runDrain(sandbox.stream("true")))).reason._tag).toBe("Closed")
    expect(sandbox.kernel.processes).toBe(0)
  }))

it.live(
  "ends a fork bomb at the limit of processes, the host unharmed",
  () =>
    withSandbox((sandbox) =>
      Effect.gen(function* () {
        const { stderr } = yield* sandbox.run("bomb() { bomb | bomb & wait; }; bomb; exit 0", {
          timeout: "10 seconds",
        }).pipe(Effect.catchReason("SandboxError", "Timeout", (_, error) => Effect.succeed(error)))
        expect(stderr).toContain("fork: Resource temporarily unavailable\n")
        yield* eventually("it is over", () => sandbox.kernel.processes === 0)
        expect(yield* stdoutOf(sandbox, "echo unharmed | cat")).toBe("unharmed\n")
      }), { limits: { maxProcesses: 32 } }),
)

it.live("fails with NotStarted when the shell exceeds the limits", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(sandbox.run("sleep 30"))
      yield* eventually("it runs", () => sandbox.kernel.processes === 2)
      const error = yield* failureOf((yield* sandbox.session()).run("true"))
      yield* Fiber.interrupt(fiber)
      expect(error.reason).toEqual({ _tag: "NotStarted", code: "EAGAIN" })
      expect(error.message).toMatch(/^sandbox: .* \(EAGAIN\)$/)
    }), { limits: { maxProcesses: 2 } }))

it.live("ends a program that replaced the shell by exec, under the shell's pid, even by SIGKILL", () =>
  withSandbox((sandbox) =>
    Effect.gen(function* () {
      const script = "(exec sh -c 'sleep 0.2; echo survived') & sleep 0.05; kill -9 $!; wait $!; echo $?; sleep 0.3"
      const { stdout } = yield* sandbox.run(script)
      expect(stdout).toBe("137\n")
    })
  ))
