import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { StreamSource } from "../../../src/kernel/process/StreamSource.ts"
import { bytes, copier, makeKernel, must, run } from "./support.ts"

it("pulls from the host only when a process wants to read, and cancels the source when its last reader is gone", async () => {
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

it("stops pulling when the reader is gone, and fails a read with EIO when the host fails", async () => {
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

it("answers a poll with the subscription that is ready first", async () => {
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

it("reports the end of a static file once its bytes have been read", () => {
  const file = new StaticFile(bytes("ab"))
  expect(file.hungUp()).toBe(false)
  expect(file.read(new Uint8Array(5))).toBe(2)
  expect(file.hungUp()).toBe(true)
})
