import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { OutputBudget, StaticFile, StreamSink, StreamSource } from "../../../src/kernel/Kernel.ts"
import { bytes, copier, makeKernel, must, run } from "./support.ts"

const text = (piece: Uint8Array): string => new TextDecoder().decode(piece)

it("pulls from the host only when a process wants to read, and tells when nobody does any more", async () => {
  const kernel = makeKernel()
  const pieces = ["one ", "", "two ", "three"]
  let pulled = 0
  let cancelled = 0
  const source = new StreamSource({
    pull: () => Promise.resolve(pieces[pulled++]).then((piece) => piece === undefined ? undefined : bytes(piece)),
    cancel: () => cancelled++,
  })
  const ran = await run(kernel, {
    program: async (system) => {
      await system.sleep(5)
      if (pulled !== 0) return 1
      return await copier(3)(system)
    },
  }, source)
  expect(ran).toMatchObject({ exitCode: 0, stdout: "one two three" })
  expect([pulled, cancelled]).toEqual([5, 1])
})

it("stops pulling when the reader is gone, and gives EIO when the host fails", async () => {
  const kernel = makeKernel()
  let cancelled = 0
  const endless = new StreamSource({ pull: () => Promise.resolve(bytes("more")), cancel: () => cancelled++ })
  const once = await run(kernel, { program: (system) => Promise.resolve(system.read(0, new Uint8Array(2))) }, endless)
  expect(once.exitCode).toBe(2)
  expect(cancelled).toBe(1)
  const failing = new StreamSource({ pull: () => Promise.reject(new Error("gone")) })
  const failed = await run(kernel, {
    program: async (system) => {
      const first = await system.read(0, new Uint8Array(2))
      return first === -Errno.EIO && await system.read(0, new Uint8Array(2)) === 0 ? 0 : 1
    },
  }, failing)
  expect(failed.exitCode).toBe(0)
})

it("holds a process up that writes faster than the host takes", async () => {
  const kernel = makeKernel()
  const taken: Array<number> = []
  let release = (): void => {}
  let ended = false
  const sink = new StreamSink({
    push: (piece) => {
      taken.push(piece.length)
      return new Promise((resolve) => release = resolve)
    },
    end: () => ended = true,
    capacity: 1_000,
  })
  let written = 0
  const handle = must(kernel.start({
    program: async (system) => {
      for (let count = 0; count < 40; count++) written += await system.write(1, new Uint8Array(100))
      return 0
    },
    args: ["writer"],
    fds: { 1: sink },
  }))
  // One piece is with the host, one is held.
  await expect.poll(() => written - (taken[0] ?? 0)).toBe(1_000)
  expect(taken.length).toBe(1)
  await expect.poll(() => (release(), ended)).toBe(true)
  expect((await handle.exited).exitCode).toBe(0)
  expect(taken.reduce((sum, size) => sum + size, 0)).toBe(4_000)
  expect(ended).toBe(true)
})

it("gives what is written in one go as one piece, in order", async () => {
  const kernel = makeKernel()
  const taken: Array<string> = []
  const sink = new StreamSink({ push: (piece) => void taken.push(text(piece)) })
  const handle = must(kernel.start({
    program: async (system) => {
      for (const word of ["a", "b", "c"]) system.write(1, bytes(word))
      await system.sleep(1)
      system.write(1, bytes("d"))
      return 0
    },
    args: ["writer"],
    fds: { 1: sink },
  }))
  await handle.exited
  await expect.poll(() => taken).toEqual(["abc", "d"])
})

it("ends a writer as a broken pipe does when the host takes no more, and one that writes too much", async () => {
  const kernel = makeKernel()
  let ended = 0
  const broken = new StreamSink({ push: () => Promise.reject(new Error("closed")), end: () => ended++ })
  const writer = async (system: Parameters<ReturnType<typeof copier>>[0]): Promise<number> => {
    for (;;) await system.write(1, bytes("x"))
  }
  const first = must(kernel.start({ program: writer, args: ["writer"], fds: { 1: broken } }))
  expect(await first.exited).toMatchObject({ exitCode: 141 })
  expect(ended).toBe(1)
  let size = 0
  const small = new StreamSink({ push: (piece) => void (size += piece.length), budget: new OutputBudget(10) })
  const second = must(kernel.start({ program: writer, args: ["writer"], fds: { 1: small } }))
  expect(await second.exited).toMatchObject({ exitCode: 153, reason: { _tag: "Limit", limit: "outputBytes" } })
  await expect.poll(() => size).toBe(10)
})

it("wakes whoever polls for what is ready first", async () => {
  const kernel = makeKernel()
  const ran = await run(kernel, {
    program: async (system) => {
      const [read, write] = must(system.pipe())
      const readable = { _tag: "Readable", fd: read } as const
      const answers = [
        await system.poll([readable, { _tag: "After", ms: 1 }]),
        await system.poll([readable, { _tag: "Writable", fd: write }]),
        await system.poll([{ _tag: "Readable", fd: 99 }]),
      ]
      const pid = system.spawn({
        program: async (child) => {
          await child.sleep(2)
          return await child.writeAll(1, bytes("x"))
        },
        args: ["child"],
        fds: [[1, write]],
      })
      answers.push(await system.poll([{ _tag: "After", ms: 60_000 }, readable]))
      await system.wait(pid)
      system.close(write)
      await system.read(read, new Uint8Array(9))
      answers.push(await system.poll([readable]))
      return JSON.stringify(answers) === "[[1],[1],[0],[1],[0]]" ? 0 : 1
    },
  })
  expect(ran).toMatchObject({ exitCode: 0, stderr: "" })
})

it("tells that nothing follows bytes that were there from the start, once they have been read", () => {
  const file = new StaticFile(bytes("ab"))
  expect(file.hungUp()).toBe(false)
  expect(file.read(new Uint8Array(5))).toBe(2)
  expect(file.hungUp()).toBe(true)
})
