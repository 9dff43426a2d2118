import { expect, it } from "@effect/vitest"
import { MeterError, meterWasm } from "../../../../src/kernel/tools/jsExec/meterWasm.ts"

const names = { check: "check", wait: "wait" }
const text = (value: string): ReadonlyArray<number> => [value.length, ...new TextEncoder().encode(value)]
const section = (
  id: number,
  ...content: ReadonlyArray<number>
): ReadonlyArray<number> => [id, content.length, ...content]

/** A module that exports `f`, with this body; it imports `check`, `wait` and a memory of one page. */
const moduleOf = (...body: ReadonlyArray<number>): Uint8Array =>
  Uint8Array.of(
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 3, 0x60, 0, 1, 0x7f, 0x60, 1, 0x7f, 1, 0x7f, 0x60, 1, 0x7f, 0),
    ...section(2, 2, ...text("e"), ...text("check"), 0, 0, ...text("e"), ...text("wait"), 0, 1),
    ...section(3, 1, 2),
    ...section(5, 1, 0, 1),
    ...section(6, 1, 0x7f, 1, 0x41, 0, 0x0b),
    ...section(7, 1, ...text("f"), 0, 2),
    ...section(10, 1, body.length + 2, 0, ...body, 0x0b),
  )

interface Calls {
  checks: number
  waits: number
}

const run = (module: Uint8Array<ArrayBuffer>, argument: number, check: () => number = () => 0): Calls => {
  const calls = { checks: 0, waits: 0 }
  const imports = {
    check: () => {
      calls.checks++
      return check()
    },
    wait: () => {
      calls.waits++
      return 0
    },
  }
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(module), { e: imports }).exports
  if (typeof f === "function") f(argument)
  return calls
}

/** Counts its argument down to 0. */
const countDown = [0x03, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b]

it("calls the import of a loop by its iterations", () => {
  const module = meterWasm(moduleOf(...countDown), names)
  expect(run(module, 1_000)).toEqual({ checks: 0, waits: 0 })
  expect(run(module, 300_000)).toEqual({ checks: 10, waits: 0 })
  expect(run(module, 300_000, () => 1)).toEqual({ checks: 10, waits: 10 })
})

it("counts copies and fills by their bytes", () => {
  // memory.fill 0, 0, 65536 in each of its iterations.
  const fill = [0x41, 0, 0x41, 0, 0x41, 0x80, 0x80, 4, 0xfc, 11, 0]
  const module = meterWasm(moduleOf(0x03, 0x40, ...fill, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b), names)
  expect(run(module, 1_180).checks).toBe(10)
})

it("an exception of the import ends an endless loop", () => {
  const module = meterWasm(moduleOf(0x03, 0x40, 0x0c, 0, 0x0b), names)
  expect(() =>
    run(module, 0, () => {
      throw new Error("over")
    })
  ).toThrow("over")
})

it("refuses what it cannot read", () => {
  expect(() => meterWasm(moduleOf(...countDown), { check: "check", wait: "none" })).toThrow(
    "the import none is missing",
  )
  expect(() => meterWasm(moduleOf(0xfd, 0x0c), names)).toThrow(MeterError)
  expect(() => meterWasm(moduleOf(0x06, 0x40, 0x0b), names)).toThrow("the instruction 0x6 is unknown")
  // Tail calls, and instructions of exceptions and later proposals.
  const refused = [0x12, 0x13, 0x1f, 0x27].filter((opcode) => {
    try {
      return meterWasm(moduleOf(opcode, 0x02), names).length < 0
    } catch (error) {
      return error instanceof MeterError
    }
  })
  expect(refused).toEqual([0x12, 0x13, 0x1f, 0x27])
  expect(() => meterWasm(moduleOf(...countDown).subarray(0, 60), names)).toThrow("the module ends too early")
})
