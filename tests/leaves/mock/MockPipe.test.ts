import { expect, it } from "vitest"
import { maxPipeBytes, MockPipe } from "../../../src/leaves/mock/MockPipe.ts"

/** What was answered, in order. */
const setup = () => {
  const pipe = new MockPipe()
  const told: Array<string> = []
  return {
    pipe,
    told,
    write: (size: number, name: string) => pipe.write(new Uint8Array(size), (ok) => void told.push(`${name} ${ok}`)),
    read: () => pipe.read((bytes) => void told.push(bytes === undefined ? "end" : `read ${bytes.length}`)),
  }
}

it("passes each write to one read, in order", () => {
  const { read, told, write } = setup()
  write(1, "a")
  write(2, "b")
  read()
  read()
  read()
  write(3, "c")
  expect(told).toEqual(["a true", "b true", "read 1", "read 2", "read 3", "c true"])
})

it("makes a writer wait while it is full", () => {
  const { read, told, write } = setup()
  write(maxPipeBytes - 1, "a")
  write(2, "b")
  write(1, "c")
  expect(told).toEqual(["a true"])
  read()
  expect(told).toEqual(["a true", "b true", "c true", `read ${maxPipeBytes - 1}`])
})

it("takes a write beyond its capacity piece by piece, and completes it with the last", () => {
  const { read, told, write } = setup()
  write(maxPipeBytes * 2 + 5, "big")
  expect(told).toEqual([])
  read()
  expect(told).toEqual([`read ${maxPipeBytes}`])
  read()
  expect(told).toEqual([`read ${maxPipeBytes}`, "big true", `read ${maxPipeBytes}`])
  read()
  expect(told.at(-1)).toBe("read 5")
})

it("refuses pending and later writes once each after it is released", () => {
  const { pipe, told, write } = setup()
  write(maxPipeBytes, "a")
  write(maxPipeBytes * 3, "b")
  pipe.release()
  write(1, "c")
  pipe.release()
  expect(told).toEqual(["a true", "b false", "c false"])
})

it("completes a pending read when it is released or ended", () => {
  for (const end of ["release", "end"] as const) {
    const { pipe, read, told } = setup()
    read()
    pipe[end]()
    read()
    expect(told).toEqual(["end", "end"])
  }
})

it("keeps held bytes when it is ended, and drops them when it is released", () => {
  const ended = setup()
  ended.write(1, "a")
  ended.pipe.end()
  ended.read()
  ended.read()
  expect(ended.told).toEqual(["a true", "read 1", "end"])
  const released = setup()
  released.write(1, "a")
  released.pipe.release()
  released.read()
  expect(released.told).toEqual(["a true", "end"])
})

it("cancels a pending read or write", () => {
  const { read, told, write } = setup()
  read()()
  write(maxPipeBytes, "a")
  write(1, "b")()
  read()
  read()
  expect(told).toEqual(["a true", `read ${maxPipeBytes}`])
})

it("answers an empty write", () => {
  const { told, write } = setup()
  write(0, "nothing")
  expect(told).toEqual(["nothing true"])
})
