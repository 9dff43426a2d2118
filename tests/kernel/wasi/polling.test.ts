import { expect, it } from "@effect/vitest"
import { errnoName } from "../../../src/kernel/Errno.ts"
import { Right } from "../../../src/kernel/wasi/Rights.ts"
import { Guest, name, Queue } from "../../support/wasiGuest.ts"

interface Clock {
  readonly clock: number
  readonly timeout: bigint
  readonly absolute?: boolean
  readonly flags?: number
}
interface Ready {
  readonly read?: number
  readonly write?: number
}
type Wanted = (Clock | Ready | { readonly tag: number }) & { readonly userdata?: bigint }

const polling = () => {
  const guest = new Guest()
  const ask = (...wanted: ReadonlyArray<Wanted>) => {
    const [at] = guest.put(new Uint8Array(48 * wanted.length))
    const events = guest.room(32 * wanted.length)
    guest.bytes.fill(0xff, events, events + 32 * wanted.length)
    wanted.forEach((one, index) => {
      const base = at + index * 48
      const { view } = guest
      view.setBigUint64(base, one.userdata ?? BigInt(index), true)
      if ("clock" in one) {
        view.setUint32(base + 16, one.clock, true)
        view.setBigUint64(base + 24, one.timeout, true)
        view.setUint16(base + 40, one.flags ?? (one.absolute === true ? 1 : 0), true)
      } else if ("tag" in one) {
        view.setUint8(base + 8, one.tag)
      } else {
        view.setUint8(base + 8, one.read === undefined ? 2 : 1)
        view.setUint32(base + 16, one.read ?? one.write ?? 0, true)
      }
    })
    const errno = guest.wasi.poll_oneoff(at, events, wanted.length, guest.out)
    const told = () =>
      Array.from({ length: guest.u32() }, (_, index) => {
        const base = events + index * 32
        return {
          userdata: guest.u64(base),
          error: errnoName(guest.view.getUint16(base + 8, true)),
          type: guest.bytes[base + 10],
          bytes: guest.u64(base + 16),
          flags: guest.view.getUint16(base + 24, true),
        }
      })
    return { errno, told }
  }
  return { guest, ask }
}

const clockEvent = (userdata: bigint, error = "SUCCESS") => ({ userdata, error, type: 0, bytes: 0n, flags: 0 })

it("returns at once when something is ready, with everything that is", () => {
  const { guest, ask } = polling()
  const queue = new Queue()
  const fd = guest.give(queue)
  queue.bytes.push(1, 2, 3)
  const { errno, told } = ask({ read: fd, userdata: 1n << 63n }, { clock: 1, timeout: 10n ** 9n }, { write: fd })
  expect(errno).toBe(0)
  expect(guest.process.turns).toBe(1)
  expect(told()).toEqual([
    { userdata: 1n << 63n, error: "SUCCESS", type: 1, bytes: 3n, flags: 0 },
    { userdata: 2n, error: "SUCCESS", type: 2, bytes: 1n, flags: 0 },
  ])
})

it("waits for a clock: for a while, or until a time", async () => {
  for (
    const wanted of [
      { clock: 1, timeout: 20_000_000n },
      { clock: 0, timeout: 20_000_000n },
      { clock: 1, timeout: 5_020_000_000n, absolute: true },
      { clock: 0, timeout: 1_700_000_000_020_000_000n, absolute: true },
    ]
  ) {
    const { guest, ask } = polling()
    const { errno, told } = ask(wanted)
    expect(errno).toBeInstanceOf(Promise)
    let done = false
    void Promise.resolve(errno).then(() => (done = true))
    guest.process.pass(19)
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(done).toBe(false)
    guest.process.pass(1)
    expect(await errno).toBe(0)
    expect(told()).toEqual([clockEvent(0n)])
  }
})

it("does not wait for a time that has been", () => {
  const { ask } = polling()
  const { errno, told } = ask({ clock: 0, timeout: 5n, absolute: true }, { clock: 1, timeout: 0n })
  expect(errno).toBe(0)
  expect(told()).toEqual([clockEvent(0n), clockEvent(1n)])
})

it("reports only the nearest of several timers", async () => {
  const { guest, ask } = polling()
  const { errno, told } = ask({ clock: 1, timeout: 50_000_000n }, { clock: 1, timeout: 10_000_000n })
  guest.process.pass(10)
  expect(await errno).toBe(0)
  expect(told()).toEqual([clockEvent(1n)])
})

it("believes its timer when the clock is a little behind it", async () => {
  const { guest, ask } = polling()
  const { errno, told } = ask({ clock: 0, timeout: 10_000_000n })
  guest.process.time -= 500_000n
  guest.process.pass(10)
  expect(await errno).toBe(0)
  expect(told()).toEqual([clockEvent(0n)])
})

it("waits for bytes, for space, and for the end of a file", async () => {
  const { guest, ask } = polling()
  const queue = new Queue(0, 2)
  const fd = guest.give(queue)
  const reading = ask({ clock: 1, timeout: 10n ** 12n }, { read: fd })
  expect(reading.errno).toBeInstanceOf(Promise)
  queue.write(Uint8Array.of(1, 2))
  expect(await reading.errno).toBe(0)
  expect(reading.told()).toEqual([{ userdata: 1n, error: "SUCCESS", type: 1, bytes: 2n, flags: 0 }])
  const writing = ask({ write: fd })
  expect(writing.errno).toBeInstanceOf(Promise)
  queue.read(new Uint8Array(2))
  expect(await writing.errno).toBe(0)
  expect(writing.told()).toMatchObject([{ type: 2, error: "SUCCESS" }])
  const ending = ask({ read: fd })
  queue.end()
  expect(await ending.errno).toBe(0)
  expect(ending.told()).toEqual([{ userdata: 0n, error: "SUCCESS", type: 1, bytes: 0n, flags: 1 }])
})

it("can wait for a month", async () => {
  const { guest, ask } = polling()
  const month = 30n * 24n * 3600n
  const { errno } = ask({ clock: 1, timeout: month * 10n ** 9n })
  guest.process.pass(Number(month) * 1000 - 1)
  await new Promise((resolve) => setTimeout(resolve, 0))
  expect(guest.process.timers).toBe(1)
  guest.process.pass(1)
  expect(await errno).toBe(0)
})

it("reports the errno of each subscription that cannot be waited for", () => {
  const { guest, ask } = polling()
  const mute = guest.give(new Queue(), Right.poll_fd_readwrite)
  const { errno, told } = ask(
    { read: 99 },
    { read: mute },
    { write: mute },
    { clock: 7, timeout: 1n },
    { clock: 1, timeout: 1n, flags: 2 },
    { tag: 3 },
    { clock: 2, timeout: 1n },
    { clock: 3, timeout: 1n << 62n, absolute: true },
    { clock: 1, timeout: 10n ** 12n },
  )
  expect(errno).toBe(0)
  expect(told().map(({ error }) => error)).toEqual([
    "EBADF",
    "EBADF",
    "EBADF",
    "EINVAL",
    "EINVAL",
    "EINVAL",
    "ENOTSUP",
    "ENOTSUP",
  ])
})

it("reports a CPU clock whose time has passed", () => {
  const { ask } = polling()
  const { errno, told } = ask({ clock: 2, timeout: 39_000_000n, absolute: true })
  expect(errno).toBe(0)
  expect(told()).toEqual([clockEvent(0n)])
})

it("refuses to wait for nothing, and to tell it outside the memory", () => {
  const { guest } = polling()
  const { wasi } = guest
  expect(name(wasi.poll_oneoff(64, 512, 0, 64))).toBe("EINVAL")
  expect(name(wasi.poll_oneoff(0x7fff_0000, 512, 1, 64))).toBe("EFAULT")
  expect(name(wasi.poll_oneoff(512, 0x7fff_0000, 1, 64))).toBe("EFAULT")
  expect(name(wasi.poll_oneoff(512, 1024, 1, 0x7fff_0000))).toBe("EFAULT")
  expect(name(wasi.poll_oneoff(512, 1024, 65_536, 64))).toBe("EFAULT")
  expect(name(wasi.poll_oneoff(512, 1024, 65_537, 64))).toBe("EINVAL")
  expect(name(wasi.poll_oneoff(512, 1024, -1, 64))).toBe("EINVAL")
})

it("yields before it returns to a program that only polls", async () => {
  const { guest, ask } = polling()
  guest.process.turn = Promise.resolve()
  const { errno, told } = ask({ clock: 1, timeout: 0n })
  expect(errno).toBeInstanceOf(Promise)
  expect(await errno).toBe(0)
  expect(told()).toEqual([clockEvent(0n)])
})
