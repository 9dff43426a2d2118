import { expect, it } from "@effect/vitest"
import { Errno } from "../../../src/kernel/Errno.ts"
import { makePipe, pipeCapacity, type PipeReader } from "../../../src/kernel/process/Pipe.ts"
import { bytes } from "./support.ts"

const filled = (count: number): Uint8Array => Uint8Array.from({ length: count }, (_, index) => index % 251)

it("gives the bytes in order, then the end once the last writer is gone", () => {
  const { reader, writer } = makePipe()
  const into = new Uint8Array(4)
  expect(reader.read(into)).toBe(-Errno.EAGAIN)
  expect(writer.write(bytes("abcdef"))).toBe(6)
  writer.release()
  expect(reader.read(into)).toBe(4)
  expect(new TextDecoder().decode(into)).toBe("abcd")
  expect(reader.read(into)).toBe(2)
  expect(new TextDecoder().decode(into)).toBe("efcd")
  expect(reader.read(into)).toBe(0)
  expect(reader.hungUp()).toBe(true)
})

it.each([1, 100, 4_096, 65_536, 1_000_000])("holds exactly 65,536 bytes however they come: %i at a time", (size) => {
  const { reader, writer } = makePipe()
  const piece = filled(size)
  let taken = 0
  for (let count = writer.write(piece); count > 0; count = writer.write(piece)) taken += count
  // A short write is never torn: where it does not fit, nothing of it is taken.
  expect(taken).toBe(size === 100 ? 65_500 : pipeCapacity)
  expect(reader.available()).toBe(taken)
  expect(writer.write(piece)).toBe(-Errno.EAGAIN)
})

it("keeps every byte while the ring goes round", () => {
  const { reader, writer } = makePipe()
  let sent = 0
  let received = 0
  let wrong = 0
  const into = new Uint8Array(70_000)
  for (let round = 0; round < 400; round++) {
    const piece = Uint8Array.from({ length: (round * 7_919) % 66_000 }, (_, index) => (sent + index) % 251)
    const count = writer.write(piece)
    if (count > 0) sent += count
    const got = reader.read(into.subarray(0, (round * 5_003) % 70_000))
    for (let index = 0; index < got; index++) if (into[index] !== (received + index) % 251) wrong++
    if (got > 0) received += got
  }
  expect(wrong).toBe(0)
  expect(received).toBeGreaterThan(1_000_000)
})

it("fails a write without readers with EPIPE", () => {
  const { reader, writer } = makePipe()
  reader.retain()
  reader.release()
  expect(writer.write(bytes("x"))).toBe(1)
  reader.release()
  expect(writer.write(bytes("x"))).toBe(-Errno.EPIPE)
  expect(writer.hungUp()).toBe(true)
  expect(writer.writable()).toBe(true)
})

it("wakes a reader for bytes and for the end, and a writer for space and for the end", () => {
  const woken: Array<string> = []
  const one = makePipe()
  one.reader.whenReadable(() => woken.push("bytes"))
  one.writer.write(bytes("x"))
  one.writer.write(bytes("y"))
  expect(woken).toEqual(["bytes"])
  one.reader.read(new Uint8Array(2))
  one.reader.whenReadable(() => woken.push("end"))
  one.writer.release()
  expect(woken).toEqual(["bytes", "end"])

  const two = makePipe()
  two.writer.write(filled(pipeCapacity))
  two.writer.whenWritable(() => woken.push("room"))
  two.reader.read(new Uint8Array(4_095))
  expect(two.writer.writable()).toBe(false)
  expect(woken).toEqual(["bytes", "end"])
  two.reader.read(new Uint8Array(1))
  expect(woken).toEqual(["bytes", "end", "room"])
  two.writer.write(filled(4_096))
  two.writer.whenWritable(() => woken.push("gone"))
  two.reader.release()
  expect(woken).toEqual(["bytes", "end", "room", "gone"])
})

it("does not call back after the wait was cancelled", () => {
  const { reader, writer } = makePipe()
  let woken = 0
  const stop = reader.whenReadable(() => woken++)
  reader.whenReadable(() => woken += 10)
  stop()
  stop()
  writer.write(bytes("x"))
  expect(woken).toBe(10)
})

it("reuses buffers of pipes without leaking bytes", () => {
  const one = makePipe()
  one.writer.write(bytes("secret"))
  one.writer.release()
  one.reader.release()
  const two = makePipe()
  two.writer.write(bytes("x"))
  const into = new Uint8Array(10)
  expect(two.reader.read(into)).toBe(1)
  expect(into).toEqual(Uint8Array.of(0x78, 0, 0, 0, 0, 0, 0, 0, 0, 0))
})

it("holds more after it was widened, with the same bytes in the same order", () => {
  const { reader, writer } = makePipe()
  writer.write(filled(60_000))
  reader.read(new Uint8Array(50_000))
  writer.write(filled(55_536))
  expect(writer.write(filled(5_000))).toBe(-Errno.EAGAIN)
  expect(writer.widen(200_000)).toBe(true)
  expect(writer.widen(200_000)).toBe(true)
  expect(writer.widen(200_000)).toBe(false)
  expect(writer.write(filled(150_000))).toBe(200_000 - 65_536)
  const into = new Uint8Array(200_000)
  expect(reader.read(into)).toBe(200_000)
  expect(into.subarray(0, 10_000)).toEqual(filled(60_000).subarray(50_000))
  expect(into.subarray(10_000, 65_536)).toEqual(filled(55_536))
  expect(into.subarray(65_536)).toEqual(filled(200_000 - 65_536))
})

it("accepts an empty write without readers, as Linux does", () => {
  const { reader, writer } = makePipe()
  reader.release()
  expect(writer.write(new Uint8Array(0))).toBe(0)
})

/** One who waits to read so many bytes, and what was put there. */
const waiting = (reader: PipeReader, size: number) => {
  const found = { bytes: new Uint8Array(size), woken: 0, counts: Array<number>() }
  const stop = reader.whenReadable(() => found.woken++, {
    bytes: found.bytes,
    complete: (count) => void found.counts.push(count),
  })
  return { found, stop }
}

it("puts bytes where a waiting reader wants them when they fill it, and the rest into the pipe", () => {
  const { reader, writer } = makePipe()
  const { found } = waiting(reader, 20_000)
  const piece = filled(50_000)
  expect(writer.write(piece)).toBe(50_000)
  expect(found).toMatchObject({ woken: 0, counts: [20_000] })
  expect(found.bytes).toEqual(piece.subarray(0, 20_000))
  expect(reader.available()).toBe(30_000)
  const rest = new Uint8Array(40_000)
  expect(reader.read(rest)).toBe(30_000)
  expect(rest.subarray(0, 30_000)).toEqual(piece.subarray(20_000))
})

it("holds 65,536 bytes in addition to those delivered to a waiting reader", () => {
  const { reader, writer } = makePipe()
  waiting(reader, 16_384)
  let taken = 0
  for (let count = writer.write(filled(20_000)); count > 0; count = writer.write(filled(20_000))) taken += count
  expect(taken).toBe(16_384 + pipeCapacity)
})

it("wakes a reader whose buffer is larger than the write, and one queued behind a poll", () => {
  const { reader, writer } = makePipe()
  const { found } = waiting(reader, 20_000)
  expect(writer.write(filled(19_999))).toBe(19_999)
  expect(found).toMatchObject({ woken: 1, counts: [] })
  expect(reader.read(new Uint8Array(20_000))).toBe(19_999)
  let told = 0
  reader.whenReadable(() => told++)
  const behind = waiting(reader, 20_000)
  expect(writer.write(filled(30_000))).toBe(30_000)
  expect([told, behind.found.woken, behind.found.counts]).toEqual([1, 1, []])
})

it("delivers bytes to waiting readers in order, and none to a cancelled one", () => {
  const { reader, writer } = makePipe()
  const gone = waiting(reader, 20_000)
  const [first, second] = [waiting(reader, 16_384), waiting(reader, 16_385)]
  gone.stop()
  const piece = filled(40_000)
  expect(writer.write(piece)).toBe(40_000)
  expect(gone.found).toMatchObject({ woken: 0, counts: [] })
  expect(first.found.bytes).toEqual(piece.subarray(0, 16_384))
  expect(second.found.bytes).toEqual(piece.subarray(16_384, 32_769))
  expect(reader.available()).toBe(40_000 - 32_769)
})
