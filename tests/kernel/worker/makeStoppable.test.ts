/** Tests the places at which programs check whether to stop, behind any instructions. */
import { expect, it } from "@effect/vitest"
import { NotIsolable } from "../../../src/kernel/worker/NotIsolable.ts"
import { makeStoppable } from "../../../src/kernel/worker/makeStoppable.ts"

const section = (id: number, ...content: ReadonlyArray<number>) => [id, content.length, ...content]

/** `(loop)`, and the end of the function. */
const loop = [0x03, 0x40, 0x0b, 0x0b]
const look = "65 0 254 16 66 1 0 4 64 0 11"

/** A program of one function, with a table, a memory and a tag. Its body is followed by a loop. */
const program = (body: ReadonlyArray<number>, locals: ReadonlyArray<number> = [0], tag = false) => {
  const code = [...locals, ...body, ...loop]
  return Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 0, 0),
    ...section(3, 1, 0),
    ...section(4, 1, 0x70, 0, 3),
    ...section(5, 1, 0, 3),
    ...tag ? section(13, 1, 0, 0) : [],
    ...section(10, 1, code.length, ...code),
    // `name`: places that are no longer the same.
    ...section(0, 4, 0x6e, 0x61, 0x6d, 0x65),
  )
}

const looks = (bytes: Uint8Array): number => bytes.join(" ").split(look).length - 1

const drop = 0x1a
const i32 = (value: number) => [0x41, value]
const vector = [0xfd, 12, ...Array.from({ length: 16 }, () => 3)]

/** Immediates have threes in them: who takes one for the opcode of a loop looks in a wrong place. */
const bodies: Readonly<Record<string, readonly [body: ReadonlyArray<number>, locals?: ReadonlyArray<number>]>> = {
  "i32.const": [[...i32(3), drop]],
  "i64.const": [[0x42, 0x83, 0x83, 3, drop]],
  "f32.const": [[0x43, 3, 3, 3, 3, drop]],
  "f64.const": [[0x44, 3, 3, 3, 3, 3, 3, 3, 3, drop]],
  "loads and stores": [[...i32(3), ...i32(3), 0x28, 2, 0x83, 3, 0x36, 2, 3]],
  "memory.size and memory.grow": [[0x3f, 0, 0x40, 0, drop]],
  "locals, of several types": [[0x20, 3, 0x22, 3, 0x21, 3], [2, 3, 0x7f, 3, 0x7f]],
  "blocks with values": [[0x02, 0x7f, ...i32(3), 0x0b, 0x04, 0x40, 0x05, 0x0b]],
  "br and br_if": [[0x02, 0x40, ...i32(3), 0x0d, 0, 0x0c, 0, 0x0b]],
  "br_table": [[0x02, 0x40, 0x02, 0x40, ...i32(3), 0x0e, 3, 0, 1, 0, 1, 0x0b, 0x0b]],
  "select with a type": [[...i32(3), ...i32(3), ...i32(3), 0x1c, 1, 0x7f, drop]],
  "references": [[0xd0, 0x70, 0xd1, drop, ...i32(0), 0xd0, 0x70, 0x26, 0, ...i32(0), 0x25, 0, drop]],
  "memory.copy and memory.fill": [[
    ...[...i32(3), ...i32(3), ...i32(3), 0xfc, 10, 0, 0],
    ...[...i32(3), ...i32(3), ...i32(3), 0xfc, 11, 0],
  ]],
  "table.size, table.grow and table.copy": [[
    ...[0xfc, 16, 0, drop, 0xd0, 0x70, ...i32(0), 0xfc, 15, 0, drop],
    ...[...i32(0), ...i32(0), ...i32(3), 0xfc, 14, 0, 0],
  ]],
  "truncation that saturates": [[0x44, 3, 3, 3, 3, 3, 3, 3, 3, 0xfc, 3, drop]],
  "vectors": [[...vector, ...vector, 0xfd, 13, ...Array.from({ length: 16 }, () => 3), drop]],
  "lanes of vectors": [[...vector, 0xfd, 21, 3, drop, ...i32(3), ...vector, 0xfd, 84, 0, 3, 3, drop]],
  "loads of vectors": [[...i32(3), 0xfd, 0, 0, 3, drop, ...i32(3), 0xfd, 92, 0, 3, drop]],
  "atomic operations, and the fence": [[...i32(0), ...i32(3), 0xfe, 30, 2, 0, drop, 0xfe, 3, 0]],
  "exceptions": [[2, 0x40, 2, 0x40, 2, 0x40, 0x1f, 0x40, 2, 2, 3, 0, 0, 3, 0x0b, 0x0b, 0x0b, 0x0b]],
}

for (const [title, [body, locals]] of Object.entries(bodies)) {
  const before = program(body, locals, title === "exceptions")
  // Not every engine has every instruction.
  if (!WebAssembly.validate(before)) continue
  it(`finds the loop behind ${title}`, () => {
    const { bytes, memory } = makeStoppable(before)
    expect(memory).toMatchObject({ minimum: 3 })
    expect(WebAssembly.validate(bytes)).toBe(true)
    expect(looks(bytes)).toBe(1)
    expect(bytes.join(" ")).toContain(`3 64 ${look} 11 11`)
  })
}

it("checks at the start of functions that call others, and nowhere else besides loops", () => {
  for (const call of [[0x10, 0], [...i32(0), 0x11, 0, 0], [0x12, 0]]) {
    const before = program(call, [1, 3, 0x7f])
    if (!WebAssembly.validate(before)) continue
    const { bytes } = makeStoppable(before)
    expect(WebAssembly.validate(bytes)).toBe(true)
    expect(looks(bytes)).toBe(2)
    expect(bytes.join(" ")).toContain(`1 3 127 ${look} ${call.join(" ")}`)
  }
  expect(looks(makeStoppable(program(i32(3).concat(drop))).bytes)).toBe(1)
})

it("refuses a program that it could not stop", () => {
  const wait = [...i32(0), ...i32(0), 0x42, 0x7f, 0xfe, 1, 2, 0, drop]
  expect(() => makeStoppable(program(wait))).toThrow(NotIsolable)
})
