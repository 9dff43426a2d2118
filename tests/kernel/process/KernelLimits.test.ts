import { expect, it } from "@effect/vitest"
import { OptionError } from "../../../src/base/OptionError.ts"
import { Errno } from "../../../src/kernel/Errno.ts"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import { type Program, Signal } from "../../../src/kernel/System.ts"
import { bytes, emptyFiles, makeKernel, must, run } from "./support.ts"

it("stops a fork bomb at the limit, and starts programs again after it has ended", async () => {
  const kernel = makeKernel({ limits: { maxProcesses: 50 } })
  const refused: Array<number> = []
  const bomb: Program = async (system) => {
    for (let count = 0; count < 3; count++) {
      const pid = system.spawn({ program: bomb, args: ["bomb"] })
      if (pid < 0) refused.push(pid)
    }
    return await system.sleep(60_000)
  }
  const handle = must(kernel.start({ program: bomb, args: ["bomb"], fds: {} }))
  await expect.poll(() => refused.length).toBe(101)
  expect(new Set(refused)).toEqual(new Set([-Errno.EAGAIN]))
  expect(kernel.processes).toBe(50)
  handle.endAll()
  expect(await handle.exited).toMatchObject({ exitCode: 137 })
  expect(kernel.processes).toBe(0)
  expect(await run(kernel, { program: () => 3 })).toMatchObject({ exitCode: 3 })
})

it("ends a leak of descriptors in EMFILE, and one of pipes in ENFILE", async () => {
  const kernel = makeKernel({ limits: { maxDescriptors: 20, maxPipes: 5 } })
  const leak: Program = (system) => {
    let fd = 0
    while (fd >= 0) fd = system.dup(0)
    if (system.descriptors().length !== 20) return 1
    if (system.pipe() !== -Errno.EMFILE) return 2
    if (system.open("/x", { write: true, create: true }) !== -Errno.EMFILE) return 3
    for (const other of system.descriptors().slice(3)) system.close(other)
    let pipes = 0
    let pipe = system.pipe()
    for (; typeof pipe !== "number"; pipe = system.pipe()) pipes++
    return pipes === 5 && pipe === -Errno.ENFILE ? -fd : 4
  }
  expect(await run(kernel, { program: leak })).toMatchObject({ exitCode: Errno.EMFILE })
  // What it held is free again.
  expect(await run(kernel, { program: leak })).toMatchObject({ exitCode: Errno.EMFILE })
})

it("refuses more arguments and environment than fit", () => {
  const kernel = makeKernel({ limits: { maxArgumentBytes: 100 } })
  const start = (arg: string, env: string) =>
    kernel.start({ program: () => 0, args: [arg], env: [["A", env]], fds: { 0: new NullFile() } })
  expect(typeof start("x".repeat(90), "")).toBe("object")
  expect(start("x".repeat(98), "")).toBe(-Errno.E2BIG)
  expect(start("", "ü".repeat(49))).toBe(-Errno.E2BIG)
})

it("ends a process after its timeout, with everything that it started", async () => {
  const kernel = makeKernel()
  const spawning: Program = async (system) => {
    system.spawn({ program: async (own) => await own.sleep(60_000), args: ["child"] })
    return await system.sleep(60_000)
  }
  const handle = must(kernel.start({ program: spawning, args: ["late"], fds: {}, timeout: 10 }))
  expect(await handle.exited).toMatchObject({
    exitCode: 137,
    signal: Signal.SIGKILL,
    reason: { _tag: "Limit", limit: "timeout" },
  })
  expect(kernel.processes).toBe(0)
  const each = makeKernel({ limits: { processTimeout: 10 } })
  expect(await run(each, { program: async (system) => await system.sleep(60_000) })).toMatchObject({
    reason: { _tag: "Limit", limit: "timeout" },
  })
})

it("ends a busy program that makes calls at its timeout", async () => {
  const kernel = makeKernel()
  const busy: Program = async (system) => {
    for (;;) await system.write(1, bytes("y"))
  }
  const handle = must(kernel.start({ program: busy, args: ["busy"], fds: { 1: new NullFile() }, timeout: 20 }))
  expect(await handle.exited).toMatchObject({ exitCode: 137 })
})

it("shares an output budget between files, keeps what fits, and reports the limit", async () => {
  const kernel = makeKernel()
  const budget = { left: 5 }
  const [stdout, stderr] = [new BufferFile(budget), new BufferFile(budget)]
  const handle = must(kernel.start({
    program: async (system) => {
      await system.writeAll(2, bytes("ab"))
      await system.writeAll(1, bytes("cdefgh"))
      return 0
    },
    args: ["much"],
    fds: { 1: stdout, 2: stderr },
  }))
  expect(await handle.exited).toMatchObject({ exitCode: 153, reason: { _tag: "Limit", limit: "outputBytes" } })
  expect([stdout.text, stderr.text]).toEqual(["cde", "ab"])
  expect(budget.left).toBe(0)
})

it("lets timers fire while programs make calls without end", async () => {
  const kernel = makeKernel()
  const busy: Program = async (system) => {
    for (;;) {
      const turn = system.yield()
      if (turn !== undefined) await turn
    }
  }
  const handles = Array.from({ length: 20 }, () => must(kernel.start({ program: busy, args: ["busy"], fds: {} })))
  for (let count = 0; count < 10; count++) await new Promise((resolve) => setTimeout(resolve, 1))
  for (const handle of handles) handle.kill()
  for (const handle of handles) expect(await handle.exited).toMatchObject({ exitCode: 143 })
})

it("ends everything that a process started after its timeout, even if the process has ended before", async () => {
  const kernel = makeKernel()
  const handle = must(kernel.start({
    program: (system) => system.spawn({ program: async (own) => await own.sleep(60_000), args: ["child"] }) > 0 ? 0 : 1,
    args: ["parent"],
    fds: {},
    timeout: 30,
  }))
  expect(await handle.exited).toMatchObject({ exitCode: 0 })
  expect(handle.isAlive()).toBe(true)
  await new Promise<void>((resolve) => void handle.whenOver(resolve))
  expect(kernel.processes).toBe(0)
})

it("does not read a program file of a terabyte", async () => {
  const fileSystem = emptyFiles()
  const file = must(fileSystem.open(fileSystem.root, "huge", { create: true, write: true, mode: 0o755 }))
  expect(file.write(Uint8Array.of(0, 0x61, 0x73, 0x6d))).toBe(4)
  expect(file.truncate(2 ** 40)).toBe(0)
  file.release()
  const kernel = makeKernel({ fileSystem })
  expect(kernel.start({ program: "/huge", args: ["huge"], fds: {} })).toBe(-Errno.ENOMEM)
  expect(await run(kernel, { program: (system) => -system.spawn({ program: "./huge", args: [] }) }))
    .toMatchObject({ exitCode: Errno.ENOMEM })
})

it("frees pipes on which a killed process was waiting", async () => {
  const kernel = makeKernel({ limits: { maxPipes: 1 } })
  const waiting = must(kernel.start({
    program: async (system) => await system.read(must(system.pipe())[0], new Uint8Array(1)),
    args: ["waits"],
    fds: {},
  }))
  await new Promise((resolve) => setTimeout(resolve, 1))
  waiting.endAll()
  expect(await run(kernel, { program: (system) => typeof system.pipe() === "number" ? 1 : 0 }))
    .toMatchObject({ exitCode: 0 })
})

it("refuses limits of a kernel and of a job that are unknown or have invalid values", () => {
  const make = (limits: object) => () => makeKernel({ limits: Object.fromEntries(Object.entries(limits)) })
  expect(make({ maxPipes: NaN })).toThrow(
    new OptionError("limits.maxPipes", "Kernel: limits.maxPipes must be a whole number from 0 or Infinity, got NaN"),
  )
  expect(make({ maxWorkers: "4" })).toThrow('from 0 or Infinity, got "4"')
  expect(make({ processTimeout: "soon" })).toThrow(/^limits.processTimeout: "soon" is not a duration/)
  expect(make({ memoryPages: 4 })).toThrow('did you mean "maxMemoryPages"?')
  const kernel = makeKernel()
  const start = (more: object) => () =>
    kernel.start({ program: () => 0, args: ["x"], fds: {}, ...Object.fromEntries(Object.entries(more)) })
  expect(start({ limits: { maxProcesses: -1 } })).toThrow("Kernel.start: limits.maxProcesses must be a whole number")
  expect(start({ limits: { maxMemoryPages: 0.5 } })).toThrow("from 0 or Infinity, got 0.5")
  expect(start({ limits: { maxPipes: 1 } })).toThrow('Kernel.start: limits: unknown option "maxPipes"')
  expect(start({ timeout: -1 })).toThrow(OptionError)
  expect(kernel.processes).toBe(0)
})
