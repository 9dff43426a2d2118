import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { $, run, Runner, shell, UsageError } from "../../src/run/mod.ts"

let folder = ""
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-usage-"))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A command that leaves a mark each time it is run. */
const counted = (name: string) => shell`echo ran >> ${join(folder, name)}; echo out`
const runs = async (name: string): Promise<number> =>
  (await readFile(join(folder, name), "utf8").catch(() => "")).split("\n").length - 1

const started = { _tag: "UsageError", reason: { _tag: "AlreadyStarted" } }
const streamed = { _tag: "UsageError", reason: { _tag: "OutputStreamed" } }

it.runIf(process.platform === "linux")("does not run a command again that was given to a terminal", async () => {
  const command = counted("terminal")
  const session = await command.terminal()
  await session.exited
  await expect(command).rejects.toBeInstanceOf(UsageError)
  await expect(command.text()).rejects.toMatchObject(started)
  await expect(command.lines()[Symbol.asyncIterator]().next()).rejects.toMatchObject(started)
  await expect(new Response(command.stream()).text()).rejects.toMatchObject(started)
  await expect(command.events()[Symbol.asyncIterator]().next()).rejects.toMatchObject(started)
  await expect(command.exited).rejects.toMatchObject(started)
  await expect(command.spawned).rejects.toMatchObject(started)
  await expect(command.terminal()).rejects.toMatchObject(started)
  expect(() => command.pipe($`cat`)).toThrow(UsageError)
  expect(() => command.stdin).toThrow(UsageError)
  expect(command.kill()).toBe(false)
  expect(command.start()).toBe(command)
  expect(await runs("terminal")).toBe(1)
})

it("does not run a command again that was given to a pipe", async () => {
  const command = counted("pipe")
  const target = $`cat`
  expect(await command.pipe(target).text()).toBe("out")
  await expect(command).rejects.toMatchObject(started)
  await expect(target.text()).rejects.toMatchObject(started)
  expect(() => command.pipe($`cat`)).toThrow(/shell|sh -c[^]*was given to terminal\(\) or pipe\(\); make a new command/)
  const chained = $`echo a`.pipe($`cat`)
  expect(await chained.pipe($`tr a b`).text()).toBe("b")
  await expect(chained).rejects.toMatchObject(started)
  expect(await runs("pipe")).toBe(1)
})

it("can run a command that a pipe or a terminal refused for its options", async () => {
  const next = run("cat", [], { input: "own" })
  const command = $`echo a`
  expect(() => command.pipe(next)).toThrow(/give it another stdin/)
  expect([await command.text(), await next.text()]).toEqual(["a", "own"])
  const reader = run("cat", [], { input: "own" })
  await expect(reader.terminal()).rejects.toMatchObject({ _tag: "OptionError", option: "input" })
  expect(await reader.text()).toBe("own")
})

it("rejects with typed errors for output that is gone or incomplete", async () => {
  const command = $`echo a`
  for await (const line of command) expect(line).toBe("a")
  await expect(command.text()).rejects.toMatchObject(streamed)
  await expect(command.lines()[Symbol.asyncIterator]().next()).rejects.toMatchObject(streamed)
  const cut = { _tag: "OutputError", reason: { _tag: "Incomplete", bytesOmitted: expect.any(Number) } }
  await expect(run("seq", ["9999"], { maxOutputBytes: 100 }).bytes()).rejects.toMatchObject(cut)
  const late = run("seq", ["9999"], { maxOutputBytes: 100 }).start()
  await late.exited
  await expect(late.lines()[Symbol.asyncIterator]().next()).rejects.toMatchObject(cut)
  await expect(run("printf", ["x".repeat(200)], { maxOutputBytes: 100 }).lines()[Symbol.asyncIterator]().next())
    .rejects.toMatchObject({ _tag: "OutputError", reason: { _tag: "LineTooLong", maxLength: 100 } })
  await expect($`echo no`.json()).rejects.toMatchObject({ _tag: "OutputError", reason: { _tag: "NotJson" } })
  await expect($`true`.pipe($`cat`).terminal()).rejects.toMatchObject({ reason: { _tag: "NotOneCommand" } })
})

it("is cancelled when the loop over its events is left", async () => {
  const command = shell("while :; do echo tick; done")
  for await (const _ of command.events()) break
  await expect(command).rejects.toMatchObject({ _tag: "ShellFault", reason: { _tag: "Cancelled" } })
  const ended = $`echo a`
  for await (const event of ended.events()) if (event._tag === "ShellOutput") break
  expect((await ended).ok).toBe(true)
})

it("is cancelled in the queue only by signals that end a command", async () => {
  const { run: queue } = Runner.make({ maxConcurrency: 1 })
  const first = queue("sleep", ["60"]).start()
  await first.spawned
  const second = queue("echo", ["second"]).start()
  for (const signal of ["SIGUSR1", "SIGWINCH", "SIGCONT", "SIGSTOP"]) expect(second.kill(signal)).toBe(false)
  const third = queue("echo", ["third"]).start()
  expect(third.kill("SIGINT")).toBe(true)
  await expect(third).rejects.toMatchObject({ reason: { _tag: "Cancelled" } })
  first.kill("SIGKILL")
  await expect(first).rejects.toMatchObject({ signal: "SIGKILL" })
  expect(await second.text()).toBe("second")
})
