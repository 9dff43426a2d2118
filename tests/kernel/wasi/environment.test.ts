import { expect, it } from "@effect/vitest"
import { Ended, Guest, name } from "../../support/wasiGuest.ts"

const outside = 0x7fff_0000

it("returns arguments as NUL-terminated UTF-8, and their size before", () => {
  const guest = new Guest()
  guest.process.args = ["grüße", "", "a b"]
  expect(name(guest.wasi.args_sizes_get(64, 68))).toBe("SUCCESS")
  expect([guest.u32(64), guest.u32(68)]).toEqual([3, 8 + 1 + 4])
  const pointers = guest.room(12)
  const buffer = guest.room(13)
  expect(name(guest.wasi.args_get(pointers, buffer))).toBe("SUCCESS")
  expect(guest.text(buffer, 13)).toBe("grüße\0\0a b\0")
  expect([0, 4, 8].map((at) => guest.u32(pointers + at) - buffer)).toEqual([0, 8, 9])
})

it("returns the environment as NAME=VALUE, as it is at the call", () => {
  const guest = new Guest()
  guest.process.env.set("A", "1").set("LANG", "x=y")
  expect(name(guest.wasi.environ_sizes_get(64, 68))).toBe("SUCCESS")
  expect([guest.u32(64), guest.u32(68)]).toEqual([2, 4 + 9])
  const pointers = guest.room(8)
  const buffer = guest.room(13)
  expect(name(guest.wasi.environ_get(pointers, buffer))).toBe("SUCCESS")
  expect(guest.text(buffer, 13)).toBe("A=1\0LANG=x=y\0")
  guest.process.env.clear()
  guest.wasi.environ_sizes_get(64, 68)
  expect([guest.u32(64), guest.u32(68)]).toEqual([0, 0])
})

it("writes nothing outside the memory", () => {
  const { wasi } = new Guest()
  expect(name(wasi.args_sizes_get(outside, 64))).toBe("EFAULT")
  expect(name(wasi.args_sizes_get(64, -4))).toBe("EFAULT")
  expect(name(wasi.args_get(64, outside))).toBe("EFAULT")
  expect(name(wasi.args_get(outside, 64))).toBe("EFAULT")
  expect(name(wasi.environ_sizes_get(2 * 65536 - 3, 64))).toBe("EFAULT")
  expect(name(wasi.environ_get(outside, outside))).toBe("EFAULT")
  expect(name(wasi.clock_time_get(0, 0n, 2 * 65536 - 7))).toBe("EFAULT")
  expect(name(wasi.clock_res_get(0, -1))).toBe("EFAULT")
  expect(name(wasi.random_get(65536, 65537))).toBe("EFAULT")
})

it("returns the time of four clocks in nanoseconds, and their resolution", () => {
  const guest = new Guest()
  const times = [0, 1, 2, 3].map((clock) => {
    expect(name(guest.wasi.clock_time_get(clock, 1n, 64))).toBe("SUCCESS")
    return guest.u64()
  })
  expect(times).toEqual([1_700_000_000_000_000_000n, 5_000_000_000n, 40_000_000n, 40_000_000n])
  for (const clock of [0, 1, 2, 3]) {
    expect(name(guest.wasi.clock_res_get(clock, 64))).toBe("SUCCESS")
    expect(guest.u64()).toBe(1000n)
  }
  for (const clock of [4, -1]) {
    expect(name(guest.wasi.clock_time_get(clock, 0n, 64))).toBe("EINVAL")
    expect(name(guest.wasi.clock_res_get(clock, 64))).toBe("EINVAL")
  }
})

it("fills exactly the given range with random bytes", () => {
  const guest = new Guest()
  expect(name(guest.wasi.random_get(100, 3))).toBe("SUCCESS")
  expect(Array.from(guest.bytes.subarray(99, 104))).toEqual([0, 0xa5, 0xa5, 0xa5, 0])
  expect(name(guest.wasi.random_get(2 * 65536, 0))).toBe("SUCCESS")
})

it("ends the process with the low eight bits of its code", () => {
  const { wasi } = new Guest()
  const code = (given: number) => {
    try {
      return wasi.proc_exit(given)
    } catch (error) {
      return error instanceof Ended ? error.exitCode : error
    }
  }
  expect([0, 1, 255, 256 + 7, -1].map(code)).toEqual([0, 1, 255, 7, 255])
})

it("raises signals by their Linux numbers", () => {
  const { process, wasi } = new Guest()
  expect([1, 2, 9, 13, 15, 16].map((signal) => name(wasi.proc_raise(signal)))).toEqual(Array(6).fill("SUCCESS"))
  expect(process.raised).toEqual([1, 2, 9, 13, 15, 17])
  expect(name(wasi.proc_raise(0))).toBe("SUCCESS")
  expect([31, -1].map((signal) => name(wasi.proc_raise(signal)))).toEqual(["EINVAL", "EINVAL"])
  expect(process.raised).toHaveLength(6)
})

it("yields only if other processes are waiting", async () => {
  const { process, wasi } = new Guest()
  expect(wasi.sched_yield()).toBe(0)
  process.turn = Promise.resolve()
  const later = wasi.sched_yield()
  expect(later).toBeInstanceOf(Promise)
  expect(await later).toBe(0)
})
