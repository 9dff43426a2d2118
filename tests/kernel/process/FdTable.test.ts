import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import { FdTable } from "../../../src/kernel/process/FdTable.ts"
import { Signal } from "../../../src/kernel/System.ts"
import { Descriptor } from "../../../src/kernel/wasi/WasiProcess.ts"
import { bytes, makeKernel, must, run } from "./support.ts"

it("gives the lowest free number, up to the limit", () => {
  const table = new FdTable(5)
  expect([0, 1, 2].map(() => table.addFile(new NullFile()))).toEqual([0, 1, 2])
  expect(table.close(1)).toBe(0)
  expect(table.close(1)).toBe(-Errno.EBADF)
  expect(table.addFile(new NullFile(), 3)).toBe(3)
  expect(table.addFile(new NullFile())).toBe(1)
  expect(table.addFile(new NullFile())).toBe(4)
  expect(table.addFile(new NullFile())).toBe(-Errno.EMFILE)
  expect(table.addFile(new NullFile(), 5)).toBe(-Errno.EINVAL)
  expect(table.addFile(new NullFile(), -1)).toBe(-Errno.EINVAL)
  expect(table.numbers()).toEqual([0, 1, 2, 3, 4])
})

it("counts the descriptors of an open file, and closes it with the last", () => {
  const table = new FdTable(10)
  const file = new NullFile()
  expect(table.addFile(file)).toBe(0)
  expect(table.dup(0)).toBe(1)
  expect(table.dup(0, 5)).toBe(5)
  expect(table.dup2(0, 7)).toBe(7)
  expect(table.dup2(7, 7)).toBe(7)
  expect(table.dup2(3, 7)).toBe(-Errno.EBADF)
  expect(table.dup2(0, 10)).toBe(-Errno.EBADF)
  expect(table.dup(0, 10)).toBe(-Errno.EINVAL)
  expect(file.references).toBe(4)
  table.closeAll()
  expect(file.references).toBe(0)
  expect(table.numbers()).toEqual([])
})

it("moves a descriptor onto another, whose file is closed", () => {
  const table = new FdTable(10)
  const [one, two] = [new NullFile(), new NullFile()]
  table.addFile(one)
  table.addFile(two)
  expect(table.renumber(0, 1)).toBe(0)
  expect([one.references, two.references]).toEqual([1, 0])
  expect(table.numbers()).toEqual([1])
  expect(table.renumber(1, 1)).toBe(0)
  expect(table.renumber(1, 2)).toBe(-Errno.EBADF)
  expect(table.renumber(0, 1)).toBe(-Errno.EBADF)
  expect(table.set(-1, new Descriptor(one))).toBe(-Errno.EBADF)
})

it("gives a child the requested descriptors of the parent, under its own numbers", async () => {
  const kernel = makeKernel()
  const ran = await run(kernel, {
    program: async (system) => {
      const [read, write] = must(system.pipe())
      const pid = system.spawn({
        program: (child) => {
          if (child.descriptors().join() !== "1,6") return 1
          child.write(6, bytes("through the pipe"))
          return child.read(0, new Uint8Array(1)) === -Errno.EBADF ? 0 : 2
        },
        args: ["child"],
        fds: [[1, 1], [6, write]],
      })
      system.close(write)
      const into = new Uint8Array(100)
      const count = await system.read(read, into)
      await system.write(1, into.subarray(0, count))
      // The child is gone, and with it the last writer.
      if (await system.read(read, into) !== 0) return 3
      if (system.spawn({ program: () => 0, args: [], fds: [[0, 99]] }) !== -Errno.EBADF) return 4
      const status = await system.wait(pid)
      return typeof status === "object" ? status.exitCode : 5
    },
  })
  expect(ran).toMatchObject({ exitCode: 0, stdout: "through the pipe" })
})

it("takes over the files of the host, with one reference for each number", async () => {
  const kernel = makeKernel()
  const file = new StaticFile(bytes("x"))
  const kept = new NullFile()
  kept.retain()
  const handle = must(kernel.start({ program: () => 0, args: [], fds: { 0: file, 3: file, 5: kept } }))
  expect(file.references).toBe(2)
  await handle.exited
  expect([file.references, kept.references]).toEqual([0, 1])
  expect(kernel.start({ program: "none", args: ["none"], fds: { 0: kept } })).toBe(-Errno.ENOENT)
  expect(kept.references).toBe(0)
})

it("keeps a file open for a read that waits when its descriptor is closed or becomes another", async () => {
  const kernel = makeKernel()
  const ran = await run(kernel, {
    program: async (system) => {
      const [read, write] = must(system.pipe())
      const into = new Uint8Array(1)
      const closed = system.read(read, into)
      system.close(read)
      if (await system.write(write, bytes("a")) !== 1 || await closed !== 1 || into.at(0) !== 97) return 1
      // Now there is no reader left.
      system.onSignal(Signal.SIGPIPE, "ignore")
      if (await system.write(write, bytes("b")) !== -Errno.EPIPE) return 2
      const [other, writeOther] = must(system.pipe())
      const replaced = system.read(other, into)
      system.dup2(0, other)
      return await system.write(writeOther, bytes("c")) === 1 && await replaced === 1 && into.at(0) === 99 ? 0 : 3
    },
  })
  expect(ran).toMatchObject({ exitCode: 0 })
})

it("closes a file once that is refused at several numbers", () => {
  let closed = 0
  class Counted extends NullFile {
    protected override close(): void {
      closed++
    }
  }
  const kernel = makeKernel()
  const file = new Counted()
  expect(kernel.start({ program: () => 0, args: [], fds: { 5000: file, 6000: file } })).toBe(-Errno.EBADF)
  expect([closed, file.references]).toEqual([1, 0])
})
