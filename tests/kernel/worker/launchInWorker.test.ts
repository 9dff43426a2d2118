/** Programs that run in a worker: they can be ended while they compute, and otherwise are as those in place. */
import { describe, expect, it } from "@effect/vitest"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { vi } from "vitest"
import { hostFolder } from "../../../src/sandbox/mod.ts"
import { Errno } from "../../../src/kernel/Errno.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { hostWorkers } from "../../../src/kernel/worker/HostWorker.ts"
import { makeStoppable } from "../../../src/kernel/worker/makeStoppable.ts"
import type { Kernel, KernelOptions, ProcessHandle } from "../../../src/kernel/mod.ts"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { type KernelClock, systemClock } from "../../../src/kernel/process/KernelClock.ts"
import type { MakeWorker } from "../../../src/kernel/worker/HostWorker.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import type { ProgramSource } from "../../../src/kernel/process/Programs.ts"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { StreamSource } from "../../../src/kernel/process/StreamSource.ts"
import { Signal } from "../../../src/kernel/System.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { bytes, copier, expectedTally, makeKernel, must, type Ran, run, runPipeline } from "../process/support.ts"

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The host's workers, seen: how many there are, and the memories of the programs that they run. */
const watched = () => {
  const make = hostWorkers()
  if (make === undefined) throw new Error("there are no workers here")
  const memories: Array<WebAssembly.Memory> = []
  const living = new Set<number>()
  let made = 0
  const workers: MakeWorker = (events) => {
    const number = made++
    const worker = make(events)
    living.add(number)
    return {
      post: (message) => {
        const list: unknown = isObject(message) ? message["memories"] : undefined
        const memory: unknown = Array.isArray(list) && Array.isArray(list[0]) ? list[0][2] : undefined
        if (memory instanceof WebAssembly.Memory) memories.push(memory)
        worker.post(message)
      },
      terminate: () => {
        living.delete(number)
        worker.terminate()
      },
    }
  }
  return { workers, memories, living, made: () => made }
}

const programs = async (names: ReadonlyArray<string>, isolate: "none" | "worker"): Promise<
  Record<string, ProgramSource>
> => Object.fromEntries(await Promise.all(names.map(async (name) => [name, { source: await compileC(name), isolate }])))

const after = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** A program that computes: what it counts in its memory tells whether it still does. */
const compute = async (way: string, options: Partial<KernelOptions> = {}, timeout?: number) => {
  const seen = watched()
  const kernel = makeKernel({
    programs: { ...await programs(["compute"], "worker"), ...await programs(["produce", "tally"], "none") },
    workers: seen.workers,
    ...options,
  })
  const stdout = new BufferFile()
  const handle = must<ProcessHandle>(
    kernel.start({
      program: "compute",
      args: ["compute", way],
      fds: { 0: new NullFile(), 1: stdout, 2: new NullFile() },
      timeout,
    }),
  )
  const beat = (): number => {
    const memory = seen.memories[0]
    const place = Number(stdout.text)
    if (memory === undefined || place === 0) return 0
    return Atomics.load(new Uint32Array(memory.buffer), place / 4)
  }
  const dead = async (): Promise<void> => {
    for (let last = beat(), still = 0; still < 3;) {
      await after(15)
      const now = beat()
      still = now === last ? still + 1 : 0
      last = now
    }
  }
  return { kernel, handle, beat, dead, seen }
}

const beating = ({ beat }: { readonly beat: () => number }) => expect.poll(beat).toBeGreaterThan(0)

describe.runIf(canCompileC)("with programs built from C", () => {
  for (const way of ["loop", "call"]) {
    it(`ends a program that only computes (${way}) by a signal, and its thread stops computing`, async () => {
      const { dead, handle, kernel, seen, ...rest } = await compute(way)
      await beating(rest)
      expect(handle.kill(Signal.SIGTERM)).toBe(0)
      expect(await handle.exited).toEqual({ pid: 1, exitCode: 143, signal: Signal.SIGTERM })
      await dead()
      expect(rest.beat()).toBeGreaterThan(0)
      expect([kernel.processes, seen.living.size, seen.made()]).toEqual([0, 0, 1])
    })
  }

  it("lets timers fire and other pipelines run while a program computes, and ends it at its timeout", async () => {
    let over = (): void => {}
    const clock: KernelClock = {
      ...systemClock,
      after: (milliseconds, wake) => {
        if (milliseconds !== 60_000) return systemClock.after(milliseconds, wake)
        over = wake
        return () => {}
      },
    }
    const { dead, handle, kernel, seen, ...rest } = await compute("loop", { clock }, 60_000)
    await beating(rest)
    for (let count = 0; count < 10; count++) await after(1)
    const busy = await runPipeline(kernel, [["produce", "300000", "1000", "3"], ["tally"]])
    expect(busy).toEqual({ stdout: expectedTally(300_000, 3), stderr: "", codes: [0, 0] })
    expect(kernel.processes).toBe(1)
    over()
    expect(await handle.exited).toEqual({
      pid: 1,
      exitCode: 137,
      signal: Signal.SIGKILL,
      reason: { _tag: "Limit", limit: "timeout" },
    })
    await dead()
    expect(seen.living.size).toBe(0)
  })

  it("ends every worker with the kernel, those that compute, that wait and that have only begun", async () => {
    const { dead, handle, kernel, seen, ...rest } = await compute("loop", {
      programs: await programs(["compute", "crash", "relay"], "worker"),
    })
    await beating(rest)
    const { reader, writer } = kernel.pipe()
    const waits = must<ProcessHandle>(kernel.start({ program: "relay", args: ["relay"], fds: { 0: reader } }))
    const sleeps = must<ProcessHandle>(kernel.start({ program: "crash", args: ["crash", "sleep"], fds: {} }))
    await expect.poll(seen.made).toBe(3)
    await after(100)
    const begins = must<ProcessHandle>(kernel.start({ program: "crash", args: ["crash", "spin"], fds: {} }))
    kernel.close()
    const closed = { exitCode: 137, reason: { _tag: "Closed" } }
    for (const { exited } of [handle, waits, sleeps, begins]) expect(await exited).toMatchObject(closed)
    await dead()
    expect([seen.living.size, kernel.processes]).toEqual([0, 0])
    writer.release()
  })

  if (process.platform === "linux") {
    it("leaves no thread behind", async () => {
      const { readdir } = await import("node:fs/promises")
      const threads = async (): Promise<number> => {
        const names = await Promise.all(
          (await readdir("/proc/self/task")).map((task) =>
            readFile(`/proc/self/task/${task}/comm`, "utf8").catch(() => "")
          ),
        )
        // As Deno, Bun and Node call those of workers.
        return names.filter((name) => /^(worker-\d+|Worker|WorkerThread)\n$/.test(name)).length
      }
      // Those of the tests before may still be on their way.
      let before = await threads()
      for (let still = 0; still < 10; still++) {
        await after(20)
        const now = await threads()
        if (now < before) [before, still] = [now, 0]
      }
      const running = await Promise.all([compute("loop"), compute("call"), compute("sum")])
      await Promise.all(running.slice(0, 2).map(beating))
      expect(await threads()).toBeGreaterThanOrEqual(before + 2)
      for (const { kernel } of running) kernel.close()
      await expect.poll(threads).toBeLessThanOrEqual(before)
    })
  }

  it("streams through pipelines of both kinds unchanged", async () => {
    const kernel = makeKernel({
      programs: {
        ...await programs(["relay", "tally"], "worker"),
        ...await programs(["produce"], "none"),
        copy: copier(1_000),
        inPlace: { source: await compileC("relay"), isolate: "none" },
      },
    })
    const stages = [["produce", "400003", "7777", "5"], ["relay", "4096"], ["copy"], ["relay"], ["inPlace"], ["tally"]]
    expect(await runPipeline(kernel, stages)).toEqual({
      stdout: expectedTally(400_003, 5),
      stderr: "",
      codes: [0, 0, 0, 0, 0, 0],
    })
    expect(kernel.processes).toBe(0)
  })

  it("blocks a writer at exactly 65,536 bytes until a read, and ends it with 141 without readers", async () => {
    const seen = watched()
    const kernel = makeKernel({ programs: await programs(["produce"], "worker"), workers: seen.workers })
    const { reader, writer } = kernel.pipe()
    const handle = must<ProcessHandle>(
      kernel.start({ program: "produce", args: ["produce", "-1", "1024"], fds: { 1: writer } }),
    )
    await expect.poll(() => reader.available()).toBe(65_536)
    await after(30)
    expect(reader.available()).toBe(65_536)
    expect(reader.read(new Uint8Array(30_000))).toBe(30_000)
    await expect.poll(() => reader.available()).toBe(35_536 + 29 * 1_024)
    reader.release()
    expect(await handle.exited).toMatchObject({ exitCode: 141, signal: Signal.SIGPIPE })
    expect(seen.living.size).toBe(0)
  })

  it("reads a stream of the host piece by piece", async () => {
    const kernel = makeKernel({ programs: await programs(["tally"], "worker") })
    let pieces = 0
    const stdin = new StreamSource({ pull: () => Promise.resolve(pieces++ < 3 ? bytes("abc") : undefined) })
    expect(await run(kernel, { program: "tally" }, stdin)).toMatchObject({ exitCode: 0, stdout: /^9 / })
  })

  const same: ReadonlyArray<
    readonly [program: string, args: ReadonlyArray<string>, stdin?: string, flags?: ReadonlyArray<string>]
  > = [
    ["abi", []],
    ["arguments", ["3", "ä", "a b", ""]],
    ["files", []],
    ["folders", []],
    ["links", []],
    ["waits", [], "x"],
    ["lines", [], "one\n\nthree is longer\nfour"],
    ["lines", ["words"], "12 3.5 word\n-7 1e300 wörter\nend"],
    ["flood", []],
    ["tally", [], "x".repeat(100_000), ["-O3", "-msimd128", "-mbulk-memory", "-mtail-call", "-mnontrapping-fptoint"]],
    ["compute", ["sum"]],
    ["compute", ["clock"]],
  ]
  for (const [program, args, stdin = "", flags] of same) {
    it(`runs ${[program, ...args].join(" ")} as in place${flags === undefined ? "" : ", built otherwise"}`, async () => {
      const source = await compileC(program, flags)
      const ran = async (isolate: "none" | "worker"): Promise<Ran> => {
        const ended = await run(
          makeKernel({
            programs: { program: { source, isolate } },
            env: [["GREETING", "hi"], ["EMPTY", ""]],
            fileSystem: VirtualFileSystem.make({ now: () => 1_000_000_000n }),
          }),
          { program: "program", args: ["program", ...args] },
          new StaticFile(bytes(stdin)),
        )
        // Timers of the host may be a little early, in one of them as in the other.
        return { ...ended, stdout: ended.stdout.replaceAll(/long enough: \d/g, "") }
      }
      const inPlace = await ran("none")
      expect(inPlace.stdout + inPlace.stderr).not.toBe("")
      expect(await ran("worker")).toEqual(inPlace)
    })
  }

  it("fails as a program in place does: traps, exit codes, a stack that is too deep", async () => {
    const ends = async (isolate: "none" | "worker") => {
      const kernel = makeKernel({ programs: await programs(["crash"], isolate) })
      const ended: Array<unknown> = []
      for (const way of ["abort", "divide", "outside", "deep", "exit", "none"]) {
        const { exitCode, reason, stderr } = await run(kernel, { program: "crash", args: ["crash", way] })
        // In which words engines say that a stack was too deep depends on where it was noticed.
        ended.push([way, exitCode, reason?._tag, way === "deep" ? stderr.slice(0, 7) : stderr])
      }
      return ended
    }
    const inPlace = await ends("none")
    expect(inPlace[1]).toEqual(["divide", 134, "Fault", expect.stringMatching(/^crash: RuntimeError: /)])
    expect(await ends("worker")).toEqual(inPlace)
  })

  it("limits the memory of a program", async () => {
    const options = { programs: await programs(["crash", "tally"], "worker") }
    const kernel = makeKernel({ ...options, limits: { maxMemoryPages: 64 } })
    expect(await run(kernel, { program: "crash", args: ["crash", "grow", "20"] })).toMatchObject({
      exitCode: 0,
      stdout: "3\n",
    })
    const tooMuch = { exitCode: 137, reason: { _tag: "Limit", limit: "memoryPages" } }
    const few = makeKernel({ ...options, limits: { maxMemoryPages: 1 } })
    expect(await run(few, { program: "tally" })).toMatchObject(tooMuch)
    const together = makeKernel({ ...options, limits: { maxTotalMemoryPages: 40 } })
    expect(await run(together, { program: "crash", args: ["crash", "grow", "20"] })).toMatchObject(tooMuch)
  })

  it("limits the workers that run at a time, and starts others when some have ended", async () => {
    const kernel = makeKernel({
      programs: { ...await programs(["relay"], "worker"), inPlace: { source: await compileC("relay") } },
      limits: { maxWorkers: 2 },
    })
    const { reader, writer } = kernel.pipe()
    const start = (program: string) =>
      kernel.start({ program, args: [program], fds: { 0: reader.retain(), 1: new NullFile() } })
    const first = [must<ProcessHandle>(start("relay")), must<ProcessHandle>(start("relay"))]
    expect(start("relay")).toBe(-Errno.EAGAIN)
    first.push(must<ProcessHandle>(start("inPlace")))
    first[0]?.kill()
    first.push(must<ProcessHandle>(start("relay")))
    expect(start("relay")).toBe(-Errno.EAGAIN)
    writer.release()
    reader.release()
    expect((await Promise.all(first.map(({ exited }) => exited))).map(({ exitCode }) => exitCode)).toEqual([
      143,
      0,
      0,
      0,
    ])
  })

  it("starts processes and pipes with the codepod imports", async () => {
    const kernel = makeKernel({
      programs: {
        ...await programs(["pipeline", "relay"], "worker"),
        ...await programs(["produce", "tally"], "none"),
      },
    })
    const args = ["pipeline", "produce", "100000", "--", "relay", "512", "--", "tally"]
    expect(await run(kernel, { program: "pipeline", args })).toMatchObject({
      exitCode: 0,
      stdout: expectedTally(100_000, 1),
    })
  })

  it("reads and writes files of the host", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-isolate-"))
    try {
      await writeFile(join(folder, "line"), "from the host\n")
      const kernel = makeKernel({
        programs: await programs(["crash", "relay"], "worker"),
        fileSystem: VirtualFileSystem.make({ now: () => 0n, mounts: { "/host": hostFolder(folder) } }),
      })
      expect((await run(kernel, { program: "crash", args: ["crash", "read", "/host/line"] })).stdout).toBe(
        "from the host\n",
      )
      const copied = await run(kernel, {
        program: async (system) => {
          const from = system.open("/host/line", { read: true })
          const to = system.open("/host/copy", { write: true, create: true })
          const pid = system.spawn({ program: "relay", args: ["relay"], fds: [[0, from], [1, to]] })
          const status = await system.wait(pid)
          return typeof status === "object" ? status.exitCode : 99
        },
      })
      expect(copied.exitCode).toBe(0)
      expect(await readFile(join(folder, "copy"), "utf8")).toBe("from the host\n")
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it("runs every program in a worker with the kernel's `isolate`, program files too, except those whose source says otherwise", async () => {
    const seen = watched()
    const relay = await compileC("relay")
    const kernel: Kernel = makeKernel({
      programs: { relay, inPlace: { source: relay }, here: { source: relay, isolate: "none" }, copy: copier(10) },
      isolate: "worker",
      workers: seen.workers,
    })
    const made: Array<number> = []
    await run(kernel, {
      program: async (system) => {
        const fd = system.open("/file", { write: true, create: true, mode: 0o755 })
        await system.writeAll(fd, relay)
        system.close(fd)
        for (const program of ["relay", "inPlace", "/file", "here", "copy"]) {
          const status = await system.wait(system.spawn({ program, args: [program] }))
          if (typeof status !== "object" || status.exitCode !== 0) return 1
          made.push(seen.made())
        }
        return 0
      },
    })
    expect(made).toEqual([1, 2, 3, 3, 3])
    expect(seen.living.size).toBe(0)
  })

  it("continues only with a result, however often it is woken without one", async () => {
    const make = hostWorkers()
    if (make === undefined) throw new Error("there are no workers here")
    const workers: MakeWorker = (events) => {
      let words = new Int32Array(3)
      const worker = make({
        ...events,
        message: async (data) => {
          for (let count = 0; count < 3 && Array.isArray(data); count++) {
            await after(2)
            Atomics.notify(words, 1)
          }
          events.message(data)
        },
      })
      return {
        ...worker,
        post: (message) => {
          const channel: unknown = isObject(message) ? message["channel"] : undefined
          if (channel instanceof WebAssembly.Memory) words = new Int32Array(channel.buffer)
          worker.post(message)
        },
      }
    }
    const kernel = makeKernel({ programs: await programs(["tally"], "worker"), workers })
    expect(await run(kernel, { program: "tally" }, new StaticFile(bytes("abc")))).toMatchObject({
      exitCode: 0,
      stdout: "3 024d0127\n",
    })
  })

  it("ends a process whose worker fails", async () => {
    const breaks: MakeWorker = (events) => ({ post: () => events.broken("out of memory"), terminate: () => {} })
    const babbles: MakeWorker = (events) => ({ post: () => events.message({ nothing: 1 }), terminate: () => {} })
    const calls: MakeWorker = (events) => ({ post: () => events.message([99, 1n]), terminate: () => {} })
    for (const [workers, why] of [[breaks, "out of memory"], [babbles, "invalid message"], [calls, "99"]] as const) {
      const kernel = makeKernel({ programs: await programs(["relay"], "worker"), workers })
      const ran = await run(kernel, { program: "relay", args: ["relay"] })
      expect(ran).toMatchObject({ exitCode: 134, reason: { _tag: "Fault" } })
      expect(ran.stderr).toContain(why)
    }
  })

  it("fails without workers or shared memory, and for compiled modules", async () => {
    const relay = await compileC("relay")
    const module = await WebAssembly.compile(relay)
    const fault = async (source: Uint8Array<ArrayBuffer> | WebAssembly.Module) =>
      (await run(makeKernel({ programs: { program: { source, isolate: "worker" } } }), { program: "program" })).reason
    expect(await fault(module)).toEqual({ _tag: "Fault", message: expect.stringMatching(/^NotIsolable: .*bytes/) })
    // `(module)`, which has no memory.
    const head = relay.slice(0, 8)
    expect(await fault(head)).toEqual({
      _tag: "Fault",
      message: expect.stringMatching(/^NotIsolable: .*memory/),
    })
    for (const wrong of [relay.slice(0, 20), relay.slice(0, -50), relay.map((byte, at) => at > 5_000 ? 0xff : byte)]) {
      expect(await fault(wrong)).toEqual({
        _tag: "Fault",
        message: expect.stringMatching(/^cannot execute: not a WebAssembly program/),
      })
    }
    // `(module (import "sluice" "stop" (memory 1)))`: it could go on when it is to stop.
    const thief = Uint8Array.of(2, 16, 1, 6, ...bytes("sluice"), 4, ...bytes("stop"), 2, 0, 1)
    expect(await fault(Uint8Array.of(...head, ...thief))).toEqual({
      _tag: "Fault",
      message: expect.stringMatching(/^NotIsolable: .*the memory that stops it/),
    })
    // `(module (memory 1) (func (drop (memory.atomic.wait32 (i32.const 0) (i32.const 0) (i64.const -1)))))`
    const waits = [1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1]
    const code = [10, 15, 1, 13, 0, 0x41, 0, 0x41, 0, 0x42, 0x7f, 0xfe, 1, 2, 0, 0x1a, 0x0b]
    expect(await fault(Uint8Array.of(...head, ...waits, ...code))).toEqual({
      _tag: "Fault",
      message: expect.stringMatching(/^NotIsolable: .*waits for other threads/),
    })
    vi.stubGlobal("SharedArrayBuffer", undefined)
    try {
      expect(await fault(relay)).toEqual({
        _tag: "Fault",
        message: expect.stringMatching(/^NotIsolable: isolate: "worker": this runtime has no Worker/),
      })
    } finally {
      vi.unstubAllGlobals()
    }
  })

  it("leaves a program's bytes as they were", async () => {
    const relay = await compileC("relay")
    const copy = relay.slice()
    expect(WebAssembly.validate(makeStoppable(relay).bytes)).toBe(true)
    expect(relay).toEqual(copy)
  })
})
