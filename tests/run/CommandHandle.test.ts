import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { expect, it } from "@effect/vitest"
import { $, run, shell, ShellFault } from "../../src/run/run.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-run-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A command that leaves a mark each time it is run. */
const counted = (name: string, output = "x") => shell`echo ran >> ${join(folder, name)}; printf %s ${output}`
const runs = async (name: string): Promise<number> =>
  (await readFile(join(folder, name), "utf8").catch(() => "")).split("\n").length - 1

/** Whether a process lives; one that waits to be reaped does not. */
const isRunning = async (pid: number): Promise<boolean> =>
  (await $`ps -o stat= -p ${pid}`.nothrow().text()).replace(/^\s*(Z.*)?$/, "") !== ""

it("starts nothing before it is awaited or read", async () => {
  const command = counted("lazy")
  void command.command
  void command.pid
  expect(await runs("lazy")).toBe(0)
  await command
  expect(await runs("lazy")).toBe(1)
})

it("runs once, however often and however its output is taken", async () => {
  const command = counted("once", "a\nb\n")
  const [result, text, bytes, buffer] = await Promise.all([
    command,
    command.text(),
    command.bytes(),
    command.arrayBuffer(),
  ])
  expect([result.stdout, text, bytes.length, buffer.byteLength]).toEqual(["a\nb\n", "a\nb", 4, 4])
  expect(await command.nothrow().text()).toBe("a\nb")
  const lines: Array<string> = []
  for await (const line of command) lines.push(line)
  expect(lines).toEqual(["a", "b"])
  expect(await new Response(command.stream()).text()).toBe("a\nb\n")
  expect(await runs("once")).toBe(1)
})

it("returns bytes as they were written, also if they are not text", async () => {
  const command = $`printf ${"\\\\377\\\\000"}`
  const raw = run("printf", ["\\377\\000\\200"])
  expect([...await raw.bytes()]).toEqual([255, 0, 128])
  expect([...new Uint8Array(await raw.arrayBuffer())]).toEqual([255, 0, 128])
  expect((await command.bytes()).length).toBeGreaterThan(0)
})

it("does not keep streamed output, and rejects with an explanation", async () => {
  const command = counted("streamed", "a\n")
  for await (const line of command) expect(line).toBe("a")
  await expect(command.text()).rejects.toThrow(/is streamed, and was not kept/)
  await expect(async () => {
    for await (const _ of command);
  }).rejects.toThrow(/streamed already/)
  expect(await command).toMatchObject({ ok: true, stdout: "", stdoutBytes: 2 })
  expect(await runs("streamed")).toBe(1)
})

it("refuses bytes of which some were left out", async () => {
  const command = run("seq", ["10000"], { maxOutputBytes: 1_000 })
  expect((await command).stdoutBytesOmitted).toBeGreaterThan(0)
  await expect(command.bytes()).rejects.toThrow(/maxOutputBytes/)
})

it("starts at once with start(), and streams its output later", async () => {
  const command = run("sh", ["-c", "echo ready; cat; echo over"], { stdin: "pipe" }).start()
  expect(await command.spawned).toBe(command.pid)
  expect(command.pid).toBeGreaterThan(1)
  const lines = command.lines()[Symbol.asyncIterator]()
  expect(await lines.next()).toEqual({ done: false, value: "ready" })
  const writer = command.stdin.getWriter()
  await writer.write("from here\n")
  expect(await lines.next()).toEqual({ done: false, value: "from here" })
  await writer.close()
  expect(await lines.next()).toEqual({ done: false, value: "over" })
  expect((await lines.next()).done).toBe(true)
  expect((await command.exited).ok).toBe(true)
})

it("reads in the background when it was started and is awaited later", async () => {
  const command = run("sh", ["-c", "seq 50000; exit 4"]).start()
  expect(await command.exited).toMatchObject({ exitCode: 4, ok: false })
  expect(await command.nothrow().text()).toMatch(/^1\n2\n[^]*\n50000$/)
  await expect(command).rejects.toMatchObject({ exitCode: 4 })
})

it("writes to stdin that was taken before the start", async () => {
  const command = $`cat`
  const writer = command.stdin.getWriter()
  const written = (async () => {
    await writer.write("a ")
    await writer.write(new TextEncoder().encode("b"))
    await writer.close()
  })()
  expect(await command.text()).toBe("a b")
  await written
})

it("drops writes to stdin after the end of the command", async () => {
  const command = $`true`
  const writer = command.stdin.getWriter()
  await command
  await writer.write("nobody reads this")
  await writer.close()
})

it("has no stdin to write to when the options say another", async () => {
  expect(() => run("cat", [], { input: "x" }).stdin).toThrow(/cannot be written to/)
  const started = $`true`.start()
  expect(() => started.stdin).toThrow(/closed at its start/)
  await started
})

it("signals: SIGTERM ends the tree, others reach the process", async () => {
  const tree = shell("sleep 60 & echo $!; wait").start()
  const child = Number((await tree.lines()[Symbol.asyncIterator]().next()).value)
  expect(tree.kill()).toBe(true)
  expect(await tree.exited).toMatchObject({ ok: false })
  expect(await isRunning(child)).toBe(false)
  const trap = shell("trap 'echo usr1; exit 5' USR1; echo up; while :; do sleep 0.05; done").start()
  const lines = trap.lines()[Symbol.asyncIterator]()
  await lines.next()
  trap.kill("SIGUSR1")
  expect((await lines.next()).value).toBe("usr1")
  expect((await trap.exited).exitCode).toBe(5)
  expect(trap.kill()).toBe(false)
})

it("rejects as failed by the signal that was sent", async () => {
  const command = $`sleep 60`.start()
  await command.spawned
  command.kill("SIGKILL")
  await expect(command).rejects.toMatchObject({ _tag: "ShellExitError", signal: "SIGKILL" })
})

it("rejects `spawned` when no process can be started", async () => {
  await expect($`no-such-program-anywhere`.spawned).rejects.toBeInstanceOf(ShellFault)
})

it("refuses to pipe a command that was started or has another stdin", async () => {
  const started = $`echo a`.start()
  expect(() => started.pipe($`cat`)).toThrow(/was started already/)
  expect(() => $`echo a`.pipe(run("cat", [], { input: "x" }))).toThrow(/reads something else/)
  await started
})

it("emits events of both outputs, then the end", async () => {
  const seen = []
  for await (const event of run("sh", ["-c", "echo out; sleep 0.2; echo err >&2"]).events()) {
    seen.push(event._tag === "ShellOutput" ? event.exitCode : `${event.stream}: ${event.content}`)
  }
  expect(seen).toEqual(["stdout: out\n", "stderr: err\n", 0])
})

it("leaves the loop of events, and the command ends", async () => {
  const command = shell("while :; do echo tick; done")
  for await (const _ of command.events()) break
  await expect(command).rejects.toThrow()
})
