import { expect, it } from "@effect/vitest"
import type { ByteReader } from "../../../../src/shell/SpawnedProcess.ts"
import { PulledPipe } from "../../../../src/leaves/local/spawner/PulledPipe.ts"

/** A reader that gives what it is told to, when it is told to, in one buffer again and again. */
const makeReader = () => {
  const buffer = new Uint8Array(8)
  const ready: Array<string | undefined> = []
  let waiting: ((bytes: Uint8Array | undefined) => void) | undefined
  let reads = 0
  let released = 0
  const give = (done: (bytes: Uint8Array | undefined) => void, text: string | undefined): void =>
    done(text === undefined ? undefined : buffer.subarray(0, new TextEncoder().encodeInto(text, buffer).written))
  const reader: ByteReader = {
    read: (done) => {
      // An assertion of the test runner's, fifty thousand times, takes seconds.
      if (waiting !== undefined) throw new Error("a second read while one is under way")
      reads++
      if (ready.length > 0) give(done, ready.shift())
      else waiting = done
    },
    release: () => {
      released++
    },
  }
  return {
    reader,
    /** Data, or the end. */
    push: (text: string | undefined): void => {
      const done = waiting
      waiting = undefined
      if (done === undefined) ready.push(text)
      else give(done, text)
    },
    get reads() {
      return reads
    },
    get released() {
      return released
    },
  }
}

const setUp = () => {
  const source = makeReader()
  const pipe = new PulledPipe(source.reader)
  const taken: Array<string> = []
  const take = () => pipe.take((bytes) => taken.push(bytes === undefined ? "end" : new TextDecoder().decode(bytes)))
  return { source, pipe, taken, take }
}

it("reads nothing before a reader asks, and then once", () => {
  const { source, take, taken } = setUp()
  source.push("a")
  source.push("b")
  expect(source.reads).toBe(0)
  take()
  expect([source.reads, taken]).toEqual([1, ["a"]])
})

it("serves readers in order, each with its own bytes", () => {
  const { pipe, source } = setUp()
  const got: Array<readonly [string, Uint8Array | undefined]> = []
  pipe.take((bytes) => got.push(["first", bytes]))
  pipe.take((bytes) => got.push(["second", bytes]))
  source.push("aa")
  source.push("bb")
  source.push(undefined)
  expect(got.map(([who, bytes]) => [who, new TextDecoder().decode(bytes)])).toEqual([["first", "aa"], ["second", "bb"]])
})

it("keeps bytes for a reader that was cancelled", () => {
  const { source, take, taken } = setUp()
  const takeBack = take()
  takeBack()
  source.push("late")
  expect(taken).toEqual([])
  take()
  expect([taken, source.reads]).toEqual([["late"], 1])
})

it("reports the end to every reader", () => {
  const { source, take, taken } = setUp()
  take()
  take()
  source.push(undefined)
  take()
  expect([taken, source.reads]).toEqual([["end", "end", "end"], 1])
})

it("buffers a bounded number of bytes, and delivers them before later ones", () => {
  const { pipe, source, take, taken } = setUp()
  for (const text of ["aaaa", "bbbb", "cccc", "dddd"]) source.push(text)
  pipe.makeRoom(8)
  expect(source.reads).toBe(2)
  pipe.attach()
  for (let i = 0; i < 4; i++) take()
  expect([taken, source.reads]).toEqual([["aaaa", "bbbb", "cccc", "dddd"], 4])
})

it("does not buffer while a reader waits, and frees its buffer", () => {
  const { pipe, source, take, taken } = setUp()
  pipe.attach()
  pipe.makeRoom(100)
  expect(source.reads).toBe(0)
  pipe.detach()
  source.push("a")
  pipe.makeRoom(2)
  pipe.attach()
  take()
  source.push("b")
  expect(taken).toEqual(["a"])
  source.push("c")
  expect(source.reads).toBe(2)
})

it("drops unread bytes, but none that a reader wants", () => {
  const { pipe, source, take, taken } = setUp()
  pipe.attach()
  source.push("mine")
  pipe.discard()
  take()
  expect(taken).toEqual(["mine"])
  pipe.detach()
  pipe.discard()
  for (const text of ["a", "b", undefined]) source.push(text)
  take()
  expect(taken).toEqual(["mine", "end"])
})

it("is released when it has no more readers", () => {
  const { pipe, source, take, taken } = setUp()
  pipe.attach()
  pipe.abandon()
  expect(source.released).toBe(0)
  take()
  source.push("tail")
  pipe.detach()
  expect([taken, source.released]).toEqual([["tail"], 1])
})

it("ends once for every reader when it is released", () => {
  const { pipe, source, take, taken } = setUp()
  take()
  pipe.release()
  pipe.release()
  take()
  source.push("too late")
  expect([taken, source.released]).toEqual([["end", "end"], 1])
})

it("drains all available bytes without growing the stack", () => {
  const { pipe, source, take, taken } = setUp()
  for (let i = 0; i < 50_000; i++) source.push("x")
  source.push(undefined)
  pipe.discard()
  take()
  expect([taken, source.reads]).toEqual([["end"], 50_001])
})
