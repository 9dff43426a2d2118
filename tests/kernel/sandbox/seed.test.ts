import { expect, it } from "vitest"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type Extension, KernelShell, Sandbox } from "@sluice/shell/sandbox"
import { Shell, ShellExec } from "@sluice/shell"

const everything = `echo $RANDOM $SRANDOM $$ $BASHPID; date +%s.%N; mktemp; uuidgen; shuf -i 1-100 -n 3 | tr '\\n' ' '
  head -c 4 /dev/urandom | od -An -tx1; awk 'BEGIN { srand(); print rand() }'; seq 9 | sort -R | tr '\\n' ' '
  for i in 1 2 3; do (sleep 0.$((RANDOM % 9 + 1)); echo $i) & done; wait; time sleep 2`

const run = async (options: Sandbox.SandboxOptions, script: string) => {
  await using sandbox = await Sandbox.open(options)
  const { stderr, stdout } = await sandbox.run(script, { check: false, timeout: "20 seconds" })
  return stdout + stderr
}

it("gives the same for the same seed alone", async () => {
  const [first, again, other, text] = await Promise.all(
    [1, 1, 2, "1"].map((seed) => run({ seed }, everything)),
  )
  expect(again).toBe(first)
  expect(new Set([first, other, text]).size).toBe(3)
})

it("has a virtual clock from its start time, by which scripts sleep at once", async () => {
  const script = "date -u +%FT%T; sleep 3600; date -u +%T; echo $SECONDS; touch f; date -ur f +%T"
  const before = performance.now()
  expect(await run({ seed: 1 }, script)).toBe("2026-01-01T00:00:00\n01:00:00\n3600\n01:00:00\n")
  expect(await run({ seed: 1, startTime: "1999-12-31T23:59:59Z" }, script))
    .toBe("1999-12-31T23:59:59\n00:59:59\n3600\n00:59:59\n")
  expect(await run({ seed: 1, startTime: new Date(0) }, "date +%s")).toBe("0\n")
  // Far less than the two hours that the scripts slept.
  expect(performance.now() - before).toBeLessThan(60_000)
})

it("stands still between runs, with its background processes", async () => {
  await using sandbox = await Sandbox.open({ seed: 1 })
  const beats = async () => (await sandbox.readText("beats")).length
  await sandbox.run("(while sleep 1; do echo -n x >> beats; done) > /dev/null 2>&1 & sleep 2.5; date +%s")
  expect(await beats()).toBe(2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await beats()).toBe(2)
  expect((await sandbox.run("echo $EPOCHSECONDS; sleep 10")).stdout).toBe("1767225602\n")
  expect(await beats()).toBe(12)
})

it("ends a run a moment after its shell, by the virtual clock", async () => {
  const script = "(sleep 0.05; echo soon; sleep 0.09; echo then; sleep 0.2; echo never) & echo first"
  expect(await run({ seed: 1 }, script)).toBe("first\nsoon\nthen\n")
})

it("forks with the same time, and with random bytes that depend on the forks before", async () => {
  const forked = async () => {
    await using sandbox = await Sandbox.open({ seed: 1 })
    await sandbox.run("sleep 100; touch f")
    await using one = await sandbox.fork()
    await using two = await sandbox.fork()
    const script = "date +%s; od -An -N4 -tx4 /dev/urandom; echo $SRANDOM; sleep 5; touch g; date -r g +%s"
    return [(await one.run(script)).stdout, (await two.run(script)).stdout, (await sandbox.run(script)).stdout]
  }
  const [first, again] = [await forked(), await forked()]
  expect(again).toEqual(first)
  expect(new Set(first).size).toBe(3)
  for (const text of first) expect(text).toMatch(/^1767225700\n.*\n.*\n1767225705\n$/)
})

it("lets the time of the host pass while a script waits for the host", async () => {
  const extensions: Extension.Extensions = {
    slow: () => new Promise((resolve) => setTimeout(() => resolve("slow\n"), 20)),
    never: (_, __, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    sleeps: async (_, __, { exec }) => (await exec("sleep 1000; echo $SECONDS")).stdout,
  }
  const script = "timeout 20 slow; timeout 0.05 never; echo $?; sleeps"
  expect(await run({ seed: 1, extensions }, script)).toBe("slow\n124\n1000\n")
  const input = Stream.concat(
    Stream.fromEffect(Effect.as(Effect.sleep(20), new TextEncoder().encode("late\n"))),
    Stream.never,
  )
  const read = Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ seed: 1 })
    return yield* sandbox.run("read -t 20 x; echo $x; read -t 0.05 y; echo $?", { input })
  })
  expect((await Effect.runPromise(Effect.scoped(read))).stdout).toBe("late\n142\n")
})

it("is ended by timeouts of the host, however it sleeps or computes", async () => {
  for (
    const script of ["while sleep 1; do :; done", "while :; do :; done", "yes | cat > /dev/null", "sleep infinity"]
  ) {
    await using sandbox = await Sandbox.open({ seed: 1 })
    const error: unknown = await sandbox.run(script, { timeout: "100 millis" }).catch((cause) => cause)
    expect([script, error]).toMatchObject([script, { reason: { _tag: "Timeout" } }])
  }
})

it("holds for streams, other sessions and the commands of a KernelShell", async () => {
  const script = "for i in 1 2 3; do sleep 1; echo $EPOCHSECONDS $RANDOM; done"
  const expected = await run({ seed: 1 }, script)
  const sandboxed = Effect.gen(function* () {
    const sandbox = yield* Sandbox.make({ seed: 1 })
    const events = yield* Stream.runCollect(sandbox.stream(script))
    return events.map((event) => event._tag === "ScriptText" ? event.text : "").join("")
  })
  expect(await Effect.runPromise(Effect.scoped(sandboxed))).toBe(expected)
  const session = Effect.flatMap(
    Sandbox.make({ seed: 1 }),
    (sandbox) => Effect.flatMap(sandbox.session(), (other) => other.run(script)),
  )
  expect((await Effect.runPromise(Effect.scoped(session))).stdout).toBe(expected)
  const shell = Shell.run(ShellExec.shell(script))
  const { stdout } = await Effect.runPromise(Effect.provide(shell, KernelShell.layerWith({ seed: 1 })))
  expect(`${stdout}\n`.replace(/\n+$/, "\n")).toBe(expected)
})

it("refuses options that contradict it", async () => {
  await expect(Sandbox.open({ startTime: 0 })).rejects.toThrow(/startTime: a sandbox without a seed/)
  await expect(Sandbox.open({ seed: NaN })).rejects.toThrow(/seed: write a finite number or a string/)
  await expect(Sandbox.open({ seed: 1, startTime: "x" })).rejects.toThrow(/startTime: write a date that exists/)
  await expect(Sandbox.open({ seed: 1, random: () => {} })).rejects.toThrow(/seed: it decides random/)
})
