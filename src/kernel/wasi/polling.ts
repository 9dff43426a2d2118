/** Implements `poll_oneoff`, which waits for clocks and descriptors. */
import { Errno } from "../Errno.ts"
import type { Later, Subscription } from "../System.ts"
import { clockTime, firstCpuClock } from "./environment.ts"
import { toErrno, type WasiInstance } from "./WasiInstance.ts"
import { Right } from "./Rights.ts"
import type { WasiFunctions } from "./WasiFunctions.ts"

const EventType = { clock: 0, read: 1, write: 2 } as const
const absoluteTime = 1
const hangup = 1
const subscriptionSize = 48
const eventSize = 32
/** Maximum number of subscriptions of one call, as poll(2) limits them to the number of descriptors. */
const maxSubscriptions = 65_536

interface Watch {
  readonly userdata: bigint
  readonly type: number
  /** An errno that makes it ready at once. */
  readonly error: number
  readonly subject: number
  /** Time of the clock at which it is ready, in nanoseconds. */
  readonly deadline: bigint
}

export const pollFunctions = (host: WasiInstance): Pick<WasiFunctions, "poll_oneoff"> => {
  const { heap, process } = host

  const parse = (at: number): Watch => {
    const userdata = heap.u64(at)
    const type = heap.u8(at + 8)
    const subject = heap.u32(at + 16)
    const watch = (error: number, deadline: bigint): Watch => ({ userdata, type, error, subject, deadline })
    if (type === EventType.clock) {
      const now = clockTime(process, subject)
      const flags = heap.u16(at + 40)
      if (now === undefined || (flags & ~absoluteTime) !== 0) return watch(Errno.EINVAL, 0n)
      const deadline = heap.u64(at + 24) + (flags === absoluteTime ? 0n : now)
      // CPU time does not pass while the process waits, so it would wait forever.
      return watch(subject >= firstCpuClock && deadline > now ? Errno.ENOTSUP : 0, deadline)
    }
    if (type !== EventType.read && type !== EventType.write) return watch(Errno.EINVAL, 0n)
    const right = type === EventType.read ? Right.fd_read : Right.fd_write
    return watch(toErrno(Math.min(0, fileError(subject, right | Right.poll_fd_readwrite))), 0n)
  }

  const fileError = (fd: number, rights: number): number => {
    const row = host.row(fd, rights)
    return typeof row === "number" ? row : 0
  }

  const isReady = ({ deadline, error, subject, type }: Watch): boolean => {
    if (error !== 0) return true
    if (type === EventType.clock) return (clockTime(process, subject) ?? 0n) >= deadline
    const file = process.descriptor(subject)?.file
    return file === undefined || (type === EventType.read ? file.readable() : file.writable())
  }

  const writeEvent = (at: number, { error, subject, type, userdata }: Watch): void => {
    heap.range(at, eventSize).fill(0)
    heap.setU64(at, userdata)
    heap.setU16(at + 8, error)
    heap.setU8(at + 10, type)
    const file = type === EventType.clock || error !== 0 ? undefined : process.descriptor(subject)?.file
    if (file === undefined) return
    // Files do not report their room for writing, which is at least one byte.
    heap.setU64(at + 16, type === EventType.read ? file.available() : 1)
    heap.setU16(at + 24, file.hungUp() ? hangup : 0)
  }

  /** Writes the events that are ready, or waits. `expired` is the subscription whose timer has just fired. */
  const respond = (watches: ReadonlyArray<Watch>, events: number, out: number, expired?: Watch): Later<number> => {
    const ready = watches.filter((watch) => watch === expired || isReady(watch))
    if (ready.length === 0) return wait(watches, events, out)
    if (!heap.fits(events, ready.length * eventSize) || !heap.fits(out, 4)) return Errno.EFAULT
    ready.forEach((watch, index) => writeEvent(events + index * eventSize, watch))
    heap.setU32(out, ready.length)
    return Errno.SUCCESS
  }

  const wait = (watches: ReadonlyArray<Watch>, events: number, out: number): Later<number> => {
    const subscriptions: Array<Subscription> = []
    let nearest: Watch | undefined
    let wait = Infinity
    for (const watch of watches) {
      if (watch.type === EventType.clock) {
        const ms = Number(watch.deadline - (clockTime(process, watch.subject) ?? 0n)) / 1e6
        if (ms < wait) [nearest, wait] = [watch, ms]
      } else {
        subscriptions.push({ _tag: watch.type === EventType.read ? "Readable" : "Writable", fd: watch.subject })
      }
    }
    if (nearest !== undefined) subscriptions.push({ _tag: "After", ms: wait })
    const resume = (woken: ReadonlyArray<number> | number): Later<number> => {
      if (typeof woken === "number") return toErrno(woken)
      // Timers are coarse and may fire slightly early: the subscription counts as ready, whatever the clock says.
      return respond(watches, events, out, woken.includes(subscriptions.length - 1) ? nearest : undefined)
    }
    const woken = process.poll(subscriptions)
    return woken instanceof Promise ? woken.then(resume) : resume(woken)
  }

  return {
    poll_oneoff: (subscriptions, events, count, out) => {
      const number = count >>> 0
      if (number === 0 || number > maxSubscriptions) return Errno.EINVAL
      if (
        !heap.fits(subscriptions, number * subscriptionSize) || !heap.fits(events, number * eventSize) ||
        !heap.fits(out, 4)
      ) return Errno.EFAULT
      const watches = Array.from({ length: number }, (_, index) => parse(subscriptions + index * subscriptionSize))
      if (!watches.some(isReady)) return wait(watches, events, out)
      // A program that polls without ever waiting must not keep other processes from running.
      const turn = process.yield()
      return turn instanceof Promise ? turn.then(() => respond(watches, events, out)) : respond(watches, events, out)
    },
  }
}
