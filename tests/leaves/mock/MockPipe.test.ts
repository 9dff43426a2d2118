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

it("gives what one write brought to one read, in order", () => {
  const { read, told, write } = setup()
  write(1, "a")
  write(2, "b")
  read()
  read()
  read()
  write(3, "c")
  expect(told).toEqual(["a true", "b true", "read 1", "read 2", "read 3", "c true"])
})

it("lets a writer wait when it is full, and takes it when there is room", () => {
  const { read, told, write } = setup()
  write(maxPipeBytes - 1, "a")
  write(2, "b")
  write(1, "c")
  expect(told).toEqual(["a true"])
  read()
  expect(told).toEqual(["a true", "b true", "c true", `read ${maxPipeBytes - 1}`])
})

it("takes more than it holds piece by piece, and answers when it has taken the last", () => {
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

it("tells writers that nobody reads, those who wait and those who come, once each", () => {
  const { pipe, told, write } = setup()
  write(maxPipeBytes, "a")
  write(maxPipeBytes * 3, "b")
  pipe.release()
  write(1, "c")
  pipe.release()
  expect(told).toEqual(["a true", "b false", "c false"])
})

it("ends a read that is under way when it is released or ended", () => {
  for (const end of ["release", "end"] as const) {
    const { pipe, read, told } = setup()
    read()
    pipe[end]()
    read()
    expect(told).toEqual(["end", "end"])
  }
})

it("keeps what it holds when it is ended, and gives up what it drops when it is released", () => {
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

it("forgets who takes a read or a write back", () => {
  const { read, told, write } = setup()
  read()()
  write(maxPipeBytes, "a")
  write(1, "b")()
  read()
  read()
  expect(told).toEqual(["a true", `read ${maxPipeBytes}`])
})

it("answers a write of nothing", () => {
  const { told, write } = setup()
  write(0, "nothing")
  expect(told).toEqual(["nothing true"])
})
