import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { Right } from "../../../src/kernel/wasi/Rights.ts"
import { Guest, name, Queue } from "../../support/wasiGuest.ts"

const create = 1
const outside = 0x7fff_0000
const readWrite = Right.fd_read | Right.fd_write | Right.fd_seek

const withFile = (content = "") => {
  const guest = new Guest()
  const root = guest.giveRoot()
  const fd = guest.open(root, "file", { how: create, rights: readWrite })
  guest.process.descriptor(fd)?.file.writeAt(0, new TextEncoder().encode(content))
  return { guest, wasi: guest.wasi, fd }
}

it("reads into several ranges in their order, skips empty ones, and stops at the end", () => {
  const { guest, wasi, fd } = withFile("hello world")
  const [a, b] = [guest.room(4), guest.room(4)]
  // Even an empty range must lie within.
  const bad = guest.vectors([a, 0], [a, 4], [outside, 0], [b, 4])
  expect(name(wasi.fd_read(fd, ...bad, 64))).toBe("EFAULT")
  const good = guest.vectors([a, 0], [a, 4], [b, 0], [b, 4])
  expect(name(wasi.fd_read(fd, ...good, 64))).toBe("SUCCESS")
  expect([guest.u32(), guest.text(a, 4), guest.text(b, 4)]).toEqual([8, "hell", "o wo"])
  expect(name(wasi.fd_read(fd, ...good, 64))).toBe("SUCCESS")
  expect([guest.u32(), guest.text(a, 3)]).toEqual([3, "rld"])
  expect(name(wasi.fd_read(fd, ...good, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(0)
})

it("writes several ranges in their order", () => {
  const { guest, wasi, fd } = withFile()
  const vectors = guest.vectors(guest.put("one "), guest.put(""), guest.put("two"))
  expect(name(wasi.fd_write(fd, ...vectors, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(7)
  const large = new Uint8Array(5000).fill(65)
  expect(name(wasi.fd_write(fd, ...guest.vectors(guest.put(large), guest.put("end")), 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(5003)
  const out = guest.room(5010)
  expect(name(wasi.fd_pread(fd, ...guest.vectors([out, 5010]), 0n, 64))).toBe("SUCCESS")
  expect(guest.text(out, guest.u32())).toBe(`one two${"A".repeat(5000)}end`)
})

it("does nothing when a range, a count or the result lies outside the memory", () => {
  const { guest, wasi, fd } = withFile("abc")
  const queue = new Queue()
  const pipe = guest.give(queue)
  queue.bytes.push(1, 2, 3)
  const good = guest.vectors([guest.room(8), 8])
  const bad = [
    [guest.vectors([guest.room(8), 8], [outside, 1]), 64],
    [guest.vectors([2 * 65536 - 3, 4]), 64],
    [[outside, 1], 64],
    [[2 * 65536 - 4, 1], 64],
    [[64, -1], 64],
    [good, outside],
    [good, 2 * 65536 - 3],
  ] as const
  for (const [[vectors, count], out] of bad) {
    expect(name(wasi.fd_read(pipe, vectors, count, out))).toBe("EFAULT")
    expect(name(wasi.fd_write(pipe, vectors, count, out))).toBe("EFAULT")
    expect(name(wasi.fd_pread(fd, vectors, count, 0n, out))).toBe("EFAULT")
    expect(name(wasi.fd_pwrite(fd, vectors, count, 0n, out))).toBe("EFAULT")
  }
  expect(queue.bytes).toEqual([1, 2, 3])
  expect(guest.process.descriptor(fd)?.file.stat()).toMatchObject({ size: 3 })
})

it("refuses ranges that are longer together than a count can say", () => {
  const guest = new Guest(undefined, new WebAssembly.Memory({ initial: 66 }))
  const fd = guest.give(new Queue())
  const vectors = guest.vectors(...Array.from({ length: 1024 }, () => [0, 66 * 65536] as const))
  expect(name(guest.wasi.fd_write(fd, ...vectors, 64))).toBe("EINVAL")
  expect(name(guest.wasi.fd_read(fd, ...vectors, 64))).toBe("EINVAL")
})

it("looks at the first 1,024 ranges only: the transfer is shorter then", () => {
  const guest = new Guest()
  const queue = new Queue(0, 5000)
  const fd = guest.give(queue)
  const vectors = guest.vectors(...Array.from({ length: 1500 }, () => [8, 2] as const))
  expect(name(guest.wasi.fd_write(fd, ...vectors, 64))).toBe("SUCCESS")
  expect([guest.u32(), queue.bytes.length]).toEqual([2048, 2048])
  expect(name(guest.wasi.fd_write(fd, vectors[0], 0x2000_0000, 64))).toBe("EFAULT")
})

it("returns at once while there are bytes, and waits only when there are none", async () => {
  const guest = new Guest()
  const queue = new Queue()
  const fd = guest.give(queue)
  const buffer = guest.room(8)
  const vectors = guest.vectors([buffer, 2], [buffer + 2, 2])
  queue.bytes.push(1, 2, 3)
  expect(guest.wasi.fd_read(fd, ...vectors, 64)).toBe(0)
  expect([guest.u32(), ...guest.bytes.subarray(buffer, buffer + 4)]).toEqual([3, 1, 2, 3, 0])
  const later = guest.wasi.fd_read(fd, ...vectors, 64)
  expect(later).toBeInstanceOf(Promise)
  queue.write(Uint8Array.of(7, 8, 9))
  expect(await later).toBe(0)
  expect([guest.u32(), ...guest.bytes.subarray(buffer, buffer + 3)]).toEqual([3, 7, 8, 9])
  queue.end()
  expect(guest.wasi.fd_read(fd, ...vectors, 64)).toBe(0)
  expect(guest.u32()).toBe(0)
})

it("writes its result to the memory as it is after a wait", async () => {
  const guest = new Guest()
  const memory = new WebAssembly.Memory({ initial: 1 })
  guest.memory = memory
  const queue = new Queue()
  const fd = guest.give(queue)
  const later = guest.wasi.fd_read(fd, ...guest.vectors([200, 4]), 64)
  expect(later).toBeInstanceOf(Promise)
  memory.grow(3)
  guest.view.setUint32(64, 99, true)
  queue.end()
  expect(await later).toBe(0)
  expect(guest.u32()).toBe(0)
})

it("reads into what the memory has grown by", () => {
  const guest = new Guest()
  const memory = new WebAssembly.Memory({ initial: 1 })
  guest.memory = memory
  const queue = new Queue()
  const fd = guest.give(queue)
  const vectors = guest.vectors([3 * 65536, 4])
  expect(name(guest.wasi.fd_read(fd, ...vectors, 64))).toBe("EFAULT")
  memory.grow(3)
  queue.bytes.push(5)
  expect(guest.wasi.fd_read(fd, ...vectors, 64)).toBe(0)
  expect([guest.u32(), guest.bytes[3 * 65536]]).toEqual([1, 5])
})

it("accepts an empty range at the start of a memory that has grown", () => {
  const guest = new Guest()
  const memory = new WebAssembly.Memory({ initial: 1 })
  guest.memory = memory
  expect(name(guest.wasi.random_get(0, 10))).toBe("SUCCESS")
  memory.grow(1)
  expect(name(guest.wasi.random_get(0, 0))).toBe("SUCCESS")
})

it("waits for space to write, and continues when there is some", async () => {
  const guest = new Guest()
  const queue = new Queue(0, 4)
  const fd = guest.give(queue)
  const vectors = guest.vectors(guest.put("abc"), guest.put("def"))
  expect(guest.wasi.fd_write(fd, ...vectors, 64)).toBe(0)
  expect(guest.u32()).toBe(4)
  const later = guest.wasi.fd_write(fd, ...vectors, 64)
  expect(later).toBeInstanceOf(Promise)
  const into = new Uint8Array(4)
  queue.read(into)
  expect(new TextDecoder().decode(into)).toBe("abcd")
  expect(await later).toBe(0)
  expect([guest.u32(), queue.bytes.length]).toEqual([4, 4])
})

it("does not wait where the file does not block", () => {
  const guest = new Guest()
  const queue = new Queue(0, 1)
  queue.flags = 4
  const fd = guest.give(queue)
  const vectors = guest.vectors([guest.room(1), 1])
  expect(name(guest.wasi.fd_read(fd, ...vectors, 64))).toBe("EAGAIN")
  expect(name(guest.wasi.fd_write(fd, ...vectors, 64))).toBe("SUCCESS")
  expect(name(guest.wasi.fd_write(fd, ...vectors, 64))).toBe("EAGAIN")
})

it("moves no bytes for an empty transfer, whatever the file", () => {
  const guest = new Guest()
  const fd = guest.give(new Queue())
  expect(name(guest.wasi.fd_read(fd, 64, 0, 64))).toBe("SUCCESS")
  expect(name(guest.wasi.fd_write(fd, ...guest.vectors([8, 0], [9, 0]), 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(0)
})

it("returns the errno of a file, or the bytes transferred before it", () => {
  const guest = new Guest()
  let writes = 0
  class Broken extends Queue {
    override write(from: Uint8Array): number {
      return ++writes === 1 ? from.length : -Errno.ENOSPC
    }
  }
  const fd = guest.give(new Broken())
  const large = guest.put(new Uint8Array(3000))
  expect(name(guest.wasi.fd_write(fd, ...guest.vectors(large, large), 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(3000)
  expect(name(guest.wasi.fd_write(fd, ...guest.vectors(large), 64))).toBe("ENOSPC")
})

it("stops at the first range that is not filled, or not taken", () => {
  const guest = new Guest()
  class Sparing extends Queue {
    override read(into: Uint8Array): number {
      into.fill(7, 0, 2)
      return Math.min(into.length, 2)
    }
    override readable(): boolean {
      return true
    }
    override readAt(_offset: number, into: Uint8Array): number {
      return this.read(into)
    }
  }
  const fd = guest.give(new Sparing())
  const [a, b, c] = [guest.room(2), guest.room(3), guest.room(2)]
  const vectors = guest.vectors([a, 2], [b, 3], [c, 2])
  expect(name(guest.wasi.fd_read(fd, ...vectors, 64))).toBe("SUCCESS")
  expect([guest.u32(), guest.bytes[c]]).toEqual([4, 0])
  expect(name(guest.wasi.fd_pread(fd, ...vectors, 0n, 64))).toBe("SUCCESS")
  expect([guest.u32(), guest.bytes[c]]).toEqual([4, 0])
})

it("returns the bytes transferred at an offset before an error", () => {
  const guest = new Guest()
  class Full extends Queue {
    override writeAt(offset: number, from: Uint8Array): number {
      return offset + from.length > 5 ? -Errno.ENOSPC : from.length
    }
  }
  const fd = guest.give(new Full())
  const vectors = guest.vectors(guest.put("abc"), guest.put("def"))
  expect(name(guest.wasi.fd_pwrite(fd, ...vectors, 0n, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(3)
  expect(name(guest.wasi.fd_pwrite(fd, ...vectors, 3n, 64))).toBe("ENOSPC")
})

it("writes small vectors as one piece", () => {
  const guest = new Guest()
  const pieces: Array<number> = []
  class Counting extends Queue {
    override write(from: Uint8Array): number {
      pieces.push(from.length)
      return from.length
    }
  }
  const fd = guest.give(new Counting())
  const some = guest.put("abc")
  const large = guest.put(new Uint8Array(4000))
  expect(name(guest.wasi.fd_write(fd, ...guest.vectors(some, some, some), 64))).toBe("SUCCESS")
  expect(name(guest.wasi.fd_write(fd, ...guest.vectors(large, large), 64))).toBe("SUCCESS")
  expect(pieces).toEqual([9, 4000, 4000])
})

it("reads and writes at an offset without moving the place", () => {
  const { guest, wasi, fd } = withFile("0123456789")
  const buffer = guest.room(4)
  const vectors = guest.vectors([buffer, 2], [buffer + 2, 2])
  expect(name(wasi.fd_pread(fd, ...vectors, 3n, 64))).toBe("SUCCESS")
  expect([guest.u32(), guest.text(buffer, 4)]).toEqual([4, "3456"])
  expect(name(wasi.fd_pread(fd, ...vectors, 8n, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(2)
  expect(name(wasi.fd_pwrite(fd, ...guest.vectors(guest.put("ab"), guest.put("cd")), 12n, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(4)
  expect(name(wasi.fd_tell(fd, 64))).toBe("SUCCESS")
  expect(guest.u64()).toBe(0n)
  const all = guest.room(20)
  expect(name(wasi.fd_pread(fd, ...guest.vectors([all, 20]), 0n, 64))).toBe("SUCCESS")
  expect(guest.text(all, guest.u32())).toBe("0123456789\0\0abcd")
})

it("reads and writes nothing at offsets beyond the limit of files", () => {
  const { guest, wasi, fd } = withFile("x")
  const vectors = guest.vectors([guest.room(4), 4])
  expect(name(wasi.fd_pread(fd, ...vectors, 1n << 60n, 64))).toBe("SUCCESS")
  expect(guest.u32()).toBe(0)
  expect(name(wasi.fd_pwrite(fd, ...vectors, 1n << 60n, 64))).toBe("EFBIG")
  expect(name(wasi.fd_pread(fd, ...vectors, -1n, 64))).toBe("EINVAL")
  expect(name(wasi.fd_pwrite(fd, ...vectors, -1n, 64))).toBe("EINVAL")
})

it("serves programs in shared memory", () => {
  const guest = new Guest(undefined, new WebAssembly.Memory({ initial: 2, maximum: 2, shared: true }))
  const fd = guest.open(guest.giveRoot(), "datei ß", { how: create, rights: readWrite })
  expect(fd).toBeGreaterThan(0)
  expect(name(guest.wasi.fd_write(fd, ...guest.vectors(guest.put("shared")), 64))).toBe("SUCCESS")
  const out = guest.room(6)
  expect(name(guest.wasi.fd_pread(fd, ...guest.vectors([out, 6]), 0n, 64))).toBe("SUCCESS")
  expect(guest.text(out, 6)).toBe("shared")
})

it("yields in repeated calls that transfer nothing", async () => {
  const { guest, wasi, fd } = withFile("abc")
  const empty = guest.vectors([guest.room(1), 0])
  const none = guest.vectors([64, 0], [64, 0])
  guest.process.turn = Promise.resolve()
  const calls = () => [
    wasi.fd_write(fd, ...empty, 64),
    wasi.fd_read(fd, ...empty, 64),
    wasi.fd_write(fd, ...none, 64),
    wasi.fd_read(fd, ...none, 64),
    wasi.fd_write(99, ...empty, 64),
    wasi.fd_read(99, ...empty, 64),
    wasi.fd_write(fd, outside, 2, 64),
  ]
  for (const call of calls()) expect(call).toBeInstanceOf(Promise)
  expect(await Promise.all(calls())).toEqual([0, 0, 0, 0, Errno.EBADF, Errno.EBADF, Errno.EFAULT])
  expect(guest.process.turns).toBe(14)
  guest.process.turn = undefined
  expect(wasi.fd_write(fd, ...empty, 64)).toBe(0)
})
