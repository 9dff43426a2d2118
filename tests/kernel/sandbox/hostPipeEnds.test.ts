import { expect, it } from "@effect/vitest"
import { makePipe, pipeCapacity } from "../../../src/kernel/process/Pipe.ts"
import { makeHostReader, makeHostWriter } from "../../../src/kernel/sandbox/hostPipeEnds.ts"

const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, at) => at & 255)

const readOf = (reader: ReturnType<typeof makeHostReader>): Promise<Uint8Array | undefined> =>
  new Promise((resolve) => reader.read((got) => resolve(got?.slice())))

it("reads available bytes at once, and waits otherwise", async () => {
  const { reader, writer } = makePipe()
  const host = makeHostReader(reader)
  writer.write(bytes(10))
  let now: Uint8Array | undefined
  host.read((got) => void (now = got?.slice()))
  expect(now).toEqual(bytes(10))
  const later = readOf(host)
  writer.write(bytes(3))
  writer.write(bytes(2))
  // Written in one go, read in one go.
  expect((await later)?.length).toBe(5)
  writer.release()
  expect(await readOf(host)).toBeUndefined()
})

it("ends a read that is under way when it is released, and the writer gets EPIPE", async () => {
  const { reader, writer } = makePipe()
  const host = makeHostReader(reader)
  const reading = readOf(host)
  host.release()
  host.release()
  expect(await reading).toBeUndefined()
  expect(await readOf(host)).toBeUndefined()
  expect(writer.hungUp()).toBe(true)
})

it("writes no more than the pipe's capacity without a reader", async () => {
  const { reader, writer } = makePipe()
  const host = makeHostWriter(writer)
  let taken = false
  const writing = host.write(bytes(100_000)).then((wanted) => {
    taken = true
    return wanted
  })
  await Promise.resolve()
  expect([taken, reader.available()]).toEqual([false, pipeCapacity])
  const got: Array<number> = []
  const into = new Uint8Array(70_000)
  for (let count = reader.read(into); got.length < 100_000; count = reader.read(into)) {
    if (count > 0) got.push(...into.subarray(0, count))
    await Promise.resolve()
  }
  expect(await writing).toBe(true)
  expect(Uint8Array.from(got)).toEqual(bytes(100_000))
})

it("reports that the last reader is gone, also during a write", async () => {
  const { reader, writer } = makePipe()
  const host = makeHostWriter(writer)
  const writing = host.write(bytes(100_000))
  reader.release()
  expect(await writing).toBe(false)
  expect(await host.write(bytes(1))).toBe(false)
})

it("ends the input once, and cancels a write that waits for space", async () => {
  const { reader, writer } = makePipe()
  const host = makeHostWriter(writer)
  const writing = host.write(bytes(100_000))
  await host.end()
  await host.end()
  expect(await writing).toBe(false)
  expect(await host.write(bytes(1))).toBe(false)
  const into = new Uint8Array(70_000)
  expect([reader.read(into), reader.read(into)]).toEqual([pipeCapacity, 0])
})
