import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import { type Program, Signal } from "../../../src/kernel/System.ts"
import { canCompileC, compileC } from "../../support/wasi.ts"
import { bytes, copier, expectedTally, makeKernel, must, produced, run, runPipeline } from "./support.ts"

const names = ["produce", "relay", "tally", "crash"]
const programs = async () =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await compileC(name)] as const)))

/** `(module (memory (export "memory") 1) (func (export "_start") unreachable))` */
// deno-fmt-ignore
const broken = Uint8Array.of(
  0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0, 5, 3, 1, 0, 1,
  7, 19, 2, 6, 0x6d, 0x65, 0x6d, 0x6f, 0x72, 0x79, 2, 0, 6, 0x5f, 0x73, 0x74, 0x61, 0x72, 0x74, 0, 0,
  10, 5, 1, 3, 0, 0, 0x0b,
)

it("ends a program that traps as abort(3) does, with the reason on stderr", async () => {
  const ran = await run(makeKernel({ programs: { broken } }), { program: "broken", args: ["broken"] })
  expect(ran).toMatchObject({ exitCode: 134, signal: Signal.SIGABRT, reason: { _tag: "Fault" } })
  expect(ran.stderr).toMatch(/^broken: RuntimeError: .*unreachable/i)
})

it("accepts a compiled module, and refuses bytes that are not a program", async () => {
  const kernel = makeKernel({ programs: { module: await WebAssembly.compile(broken), wrong: broken.slice(0, 20) } })
  expect(await run(kernel, { program: "module" })).toMatchObject({ exitCode: 134 })
  expect(await run(kernel, { program: "wrong" })).toMatchObject({
    exitCode: 126,

    reason: { _tag: "Fault" },
    stderr: expect.stringMatching(/^test: cannot execute: not a WebAssembly program/),
  })
})

if (canCompileC) {
  it("streams bytes of C programs through pipes unchanged", async () => {
    const kernel = makeKernel({ programs: await programs() })
    const ran = await runPipeline(kernel, [["produce", "1000003", "777", "5"], ["relay", "4096"], ["relay"], ["tally"]])
    expect(ran).toEqual({ stdout: expectedTally(1_000_003, 5), stderr: "", codes: [0, 0, 0, 0] })
    expect(kernel.processes).toBe(0)
  })

  it("ends an endless producer with 141 when the last reader is gone", async () => {
    const kernel = makeKernel({ programs: await programs() })
    const ran = await runPipeline(kernel, [["produce"], ["relay", "512"], ["tally", "100000"]])
    expect(ran.codes).toEqual([141, 141, 0])
    expect(ran.stdout).toBe(expectedTally(100_000, 1))
  })

  it("mixes programs of both kinds in one pipeline", async () => {
    const kernel = makeKernel({
      programs: {
        ...await programs(),
        upper: async (system) => {
          const piece = new Uint8Array(1_000)
          for (;;) {
            const count = await system.read(0, piece)
            if (count <= 0) return 0
            await system.writeAll(1, piece.subarray(0, count))
          }
        },
      },
    })
    const ran = await runPipeline(kernel, [["produce", "300000", "10", "9"], ["upper"], ["relay", "7"], ["tally"]])
    expect(ran.stdout).toBe(expectedTally(300_000, 9))
  })

  it("blocks a C program at exactly 65,536 bytes until a read", async () => {
    const kernel = makeKernel({ programs: await programs() })
    const { reader, writer } = kernel.pipe()
    const handle = must(kernel.start({ program: "produce", args: ["produce", "-1", "1000"], fds: { 1: writer } }))
    await expect.poll(() => reader.available()).toBeGreaterThan(60_000)
    // 65 writes of 1,000 bytes; the next would not fit in one piece.
    expect(reader.available()).toBe(65_000)
    const other = kernel.pipe()
    const second = must(
      kernel.start({ program: "produce", args: ["produce", "-1", "1024"], fds: { 1: other.writer } }),
    )
    await expect.poll(() => other.reader.available()).toBe(65_536)
    handle.kill()
    second.kill(Signal.SIGINT)
    expect((await handle.exited).exitCode).toBe(143)
    expect((await second.exited).exitCode).toBe(130)
  })

  it("reports how a program ended: its exit code, or its fault", async () => {
    const kernel = makeKernel({ programs: await programs() })
    const end = async (way: string) => {
      const { exitCode, reason, stderr } = await run(kernel, { program: "crash", args: ["crash", way] })
      return { exitCode, fault: reason?._tag, told: stderr.startsWith("crash: ") }
    }
    expect(await end("exit")).toEqual({ exitCode: 300 & 255, fault: undefined, told: false })
    for (const way of ["abort", "divide", "outside", "deep"]) {
      expect(await end(way)).toEqual({ exitCode: 134, fault: "Fault", told: true })
    }
    // What broke in one leaves the others and the kernel as they were.
    expect((await runPipeline(kernel, [["produce", "10"], ["tally"]])).stdout).toBe(expectedTally(10, 1))
  })

  it("kills a program that is suspended, and one that never waits but calls", async () => {
    const kernel = makeKernel({ programs: await programs() })
    for (const way of ["sleep", "spin"]) {
      const handle = must(
        kernel.start({ program: "crash", args: ["crash", way], fds: { 0: new NullFile(), 1: new NullFile() } }),
      )
      await new Promise((resolve) => setTimeout(resolve, 30))
      expect(kernel.processes).toBe(1)
      handle.kill(Signal.SIGKILL)
      expect(await handle.exited).toMatchObject({ exitCode: 137, signal: Signal.SIGKILL })
    }
    expect(kernel.processes).toBe(0)
  })

  it("lets timers of the host fire while pipelines are busy", async () => {
    const kernel = makeKernel({ programs: await programs() })
    const stages = [["produce", "-1"], ["relay"], ["relay", "100"], ["tally"]]
    const busy = runPipeline(kernel, stages)
    const started = performance.now()
    let longest = 0
    for (let last = started, count = 0; count < 25; count++) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }
    // Without turns of the event loop not one of them would have come.
    expect(longest).toBeLessThan(5_000)
    expect(kernel.processes).toBe(5)
    kernel.close()
    await expect(Promise.race([busy, Promise.resolve("closed")])).resolves.toBe("closed")
    expect(kernel.processes).toBe(0)
  })

  it("runs 600 programs at once, each with the right bytes", async () => {
    let open = false
    const gate: Program = async (system) => {
      while (!open) await system.sleep(1)
      return await system.writeAll(1, produced(5_000, Number(system.args[1])))
    }
    const kernel = makeKernel({ programs: { ...await programs(), copy: copier(64), gate } })
    // On Bun each memory of a WASM program costs the more the more there are: there most of the 600 are TypeScript.
    const bun = process.versions["bun"] !== undefined
    const pipelines = bun ? 20 : 200
    const between = bun ? Array.from({ length: 27 }, () => ["copy"]) : [["relay", "100"]]
    const ran = Promise.all(
      Array.from(
        { length: pipelines },
        (_, seed) => runPipeline(kernel, [["gate", String(seed)], ["relay", "64"], ...between, ["tally"]]),
      ),
    )
    // Each pipeline is started by a process of its own.
    await expect.poll(() => kernel.processes).toBe(pipelines * (between.length + 4))
    open = true
    expect((await ran).map(({ stdout }) => stdout)).toEqual(
      Array.from({ length: pipelines }, (_, seed) => expectedTally(5_000, seed)),
    )
    expect(kernel.processes).toBe(0)
  })

  it("gives a program the root, and its working directory for paths that begin there", async () => {
    const fileSystem = VirtualFileSystem.make({ now: () => 0n })
    const kernel = makeKernel({ programs: await programs(), fileSystem })
    await run(kernel, {
      program: (system) => {
        for (const folder of ["/home", "/home/user", "/etc"]) system.makeDirectory(folder)
        for (const path of ["/home/user/here", "/etc/there"]) {
          const fd = system.open(path, { write: true, create: true })
          system.write(fd, bytes(`${path}\n`))
        }
        return 0
      },
    })
    const read = (path: string, cwd: string) => run(kernel, { program: "crash", args: ["crash", "read", path], cwd })
    expect((await read("/etc/there", "/")).stdout).toBe("/etc/there\n")
    expect((await read("here", "/home/user")).stdout).toBe("/home/user/here\n")
    expect((await read("/etc/there", "/home/user")).stdout).toBe("/etc/there\n")
    expect((await read("there", "/home/user")).exitCode).toBe(1)
  })

  it("holds a program to its memory, and keeps nothing of it for the next", async () => {
    const kernel = makeKernel({ programs: await programs(), limits: { maxMemoryPages: 64 } })
    // 64 pages are 4 MiB, of which the program itself takes some.
    const ran = await run(kernel, { program: "crash", args: ["crash", "grow", "20"] })
    expect(ran).toMatchObject({ exitCode: 0, stdout: "3\n" })
    const none = makeKernel({ programs: await programs(), limits: { maxMemoryPages: 1 } })
    expect(await run(none, { program: "tally" })).toMatchObject({
      exitCode: 137,
      reason: { _tag: "Limit", limit: "memoryPages" },
    })
  })

  it("holds a compiled module to its memory when it calls", async () => {
    const crash = await WebAssembly.compile(await compileC("crash"))
    const kernel = makeKernel({ programs: { crash }, limits: { maxMemoryPages: 64 } })
    expect(await run(kernel, { program: "crash", args: ["crash", "grow", "20"] })).toMatchObject({
      exitCode: 137,
      reason: { _tag: "Limit", limit: "memoryPages" },
    })
  })

  it("runs a program that is a file, and a script through the interpreter that it names", async () => {
    const kernel = makeKernel({
      programs: {
        show: async (system) => await system.writeAll(1, bytes(system.args.join(" "))),
      },
    })
    const relay = await compileC("relay")
    const codes: Array<number> = []
    const ran = await run(kernel, {
      program: async (system) => {
        const write = async (path: string, content: Uint8Array, mode: number) => {
          const fd = system.open(path, { write: true, create: true, mode })
          await system.writeAll(fd, content)
          system.close(fd)
        }
        await write("/relay", relay, 0o755)
        await write("/script", bytes("#! /bin/show -x y \nrest"), 0o755)
        await write("/data", relay, 0o644)
        await write("/text", bytes("echo"), 0o755)
        for (const program of ["/relay", "./script", "/data", "/text", "/none", "none"]) {
          const pid = system.spawn({ program, args: ["name", "4"] })
          const status = pid > 0 ? await system.wait(pid) : pid
          codes.push(typeof status === "object" ? status.exitCode : status ?? 0)
        }
        return 0
      },
    })
    expect(codes).toEqual([0, 0, -Errno.EACCES, -Errno.ENOEXEC, -Errno.ENOENT, -Errno.ENOENT])
    expect(ran.stdout).toBe("name -x y ./script 4")
  })
}

if (canCompileC && Reflect.has(WebAssembly, "Suspending")) {
  it("lets others run while a program polls the clock, and can end it", async () => {
    const kernel = makeKernel({ programs: { clockwatch: await compileC("clockwatch") } })
    let timers = 0
    const timer = setInterval(() => timers++, 1)
    expect(await run(kernel, { program: "clockwatch", args: ["clockwatch", "100"] }))
      .toMatchObject({ exitCode: 0, stdout: "many looks 0\n" })
    clearInterval(timer)
    expect(timers).toBeGreaterThan(1)
    const handle = must(kernel.start({ program: "clockwatch", args: ["clockwatch"], fds: {} }))
    setTimeout(handle.kill, 20)
    expect(await handle.exited).toMatchObject({ exitCode: 143 })
  })
}

it("keeps the host unharmed when a program's output is never taken", async () => {
  const output = new BufferFile(10)
  const kernel = makeKernel({
    programs: { flood: (system) => system.writeAll(1, new Uint8Array(1_000)) },
  })
  const handle = must(kernel.start({ program: "flood", args: ["flood"], fds: { 1: output } }))
  expect(await handle.exited).toMatchObject({
    exitCode: 153,
    signal: Signal.SIGXFSZ,
    reason: { _tag: "Limit", limit: "outputBytes" },
  })
  expect(output.bytes.length).toBe(10)
})
