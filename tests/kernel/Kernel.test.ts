import { expect, it } from "@effect/vitest"
import { Errno } from "../../src/kernel/Errno.ts"
import { NullFile } from "../../src/kernel/process/NullFile.ts"
import { Signal, type System } from "../../src/kernel/System.ts"
import { bytes, copier, makeKernel, must, pipeline, run } from "./process/support.ts"

it("runs a program and reports its status", async () => {
  const kernel = makeKernel({
    programs: {
      hello: (system) => {
        system.write(1, bytes(`hello ${system.args.join(" ")} ${system.env.get("WHO")} ${system.cwd}\n`))
        return 7
      },
    },
  })
  const ran = await run(kernel, { program: "hello", args: ["hello", "a"], env: [["WHO", "you"]] })
  expect(ran).toEqual({ pid: 1, exitCode: 7, stdout: "hello hello a you /\n", stderr: "" })
  expect(kernel.processes).toBe(0)
})

it("streams through a pipeline of three", async () => {
  const kernel = makeKernel()
  const text = "0123456789abcdef".repeat(20_000)
  const ran = await run(kernel, {
    program: async (system) => {
      const statuses = await pipeline(system, [
        (stage) => stage.writeAll(1, bytes(text)),
        copier(4_096),
        copier(1_000),
      ])
      return statuses.every(({ exitCode }) => exitCode === 0) ? 0 : 1
    },
  })
  expect(ran.exitCode).toBe(0)
  expect(ran.stdout).toBe(text)
})

it("ends a writer without readers with 141, and fails its write with EPIPE if it ignores the signal", async () => {
  const kernel = makeKernel()
  const endless = async (system: Parameters<ReturnType<typeof copier>>[0]): Promise<number> => {
    for (;;) {
      const answer = await system.write(1, bytes("y\n"))
      if (answer < 0) return -answer
    }
  }
  const first = async (system: Parameters<typeof endless>[0]): Promise<number> => {
    await system.read(0, new Uint8Array(10))
    return 0
  }
  const ran = await run(kernel, {
    program: async (system) => {
      const [writer, reader] = await pipeline(system, [endless, first])
      expect(writer).toMatchObject({ exitCode: 141, signal: Signal.SIGPIPE })
      expect(reader).toMatchObject({ exitCode: 0 })
      const [ignoring] = await pipeline(system, [
        (stage) => {
          stage.onSignal(Signal.SIGPIPE, "ignore")
          return endless(stage)
        },
        first,
      ])
      expect(ignoring).toMatchObject({ exitCode: Errno.EPIPE })
      return 0
    },
  })
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" })
})

it("blocks a writer at exactly 65,536 bytes until a read", async () => {
  const kernel = makeKernel()
  let taken = 0
  const { reader, writer } = kernel.pipe()
  const handle = must(kernel.start({
    args: ["writer"],
    program: async (system) => {
      for (;;) taken += await system.write(1, new Uint8Array(1_024))
    },
    fds: { 1: writer },
  }))
  await expect.poll(() => taken).toBe(65_536)
  reader.read(new Uint8Array(10_000))
  // Each of these writes is short enough never to be torn: nine more fit into what became free.
  await expect.poll(() => taken).toBe(65_536 + 9 * 1_024)
  handle.kill()
  expect(await handle.exited).toEqual({ pid: 1, exitCode: 143, signal: Signal.SIGTERM })
  expect(reader.hungUp()).toBe(true)
})

it("lets timers of the host fire while programs in TypeScript keep a pipeline full", async () => {
  const kernel = makeKernel()
  const endless = async (system: System): Promise<number> => {
    const piece = new Uint8Array(1_000)
    for (;;) {
      const answer = system.write(1, piece)
      if (typeof answer !== "number") await answer
    }
  }
  let counted = 0
  const count = async (system: System): Promise<number> => {
    const piece = new Uint8Array(1_000)
    for (;;) {
      const answer = system.read(0, piece)
      counted += typeof answer === "number" ? answer : await answer
    }
  }
  const handle = must(kernel.start({
    program: async (system) => (await pipeline(system, [endless, copier(1_000), count])).length,
    args: ["busy"],
    fds: { 0: new NullFile(), 1: new NullFile(), 2: new NullFile() },
  }))
  for (let timers = 0; timers < 20; timers++) await new Promise((resolve) => setTimeout(resolve, 1))
  expect(counted).toBeGreaterThan(100_000)
  expect(handle.signalAll(Signal.SIGKILL)).toBe(4)
  expect(await handle.exited).toMatchObject({ exitCode: 137 })
  expect(kernel.processes).toBe(0)
})
