/** Implements the WASI functions for arguments, environment, clocks, random bytes, exit, signals and yielding. */
import { encodeUtf8 } from "../../base/bytes.ts"
import { Errno } from "../Errno.ts"
import { toErrno, type WasiInstance } from "./WasiInstance.ts"
import type { EnvironmentFunctions } from "./WasiFunctions.ts"
import type { WasiProcess } from "./WasiProcess.ts"

const clocks: ReadonlyArray<(process: WasiProcess) => bigint> = [
  (process) => process.now(),
  (process) => process.monotonic(),
  (process) => process.cpuTime(),
  (process) => process.cpuTime(),
]

/** The first CPU clock: its time does not pass while a process waits. */
export const firstCpuClock = 2

export const clockTime = (process: WasiProcess, clock: number): bigint | undefined => clocks[clock]?.(process)

/** Converts a signal of WASI: numbers are those of Linux up to 15; Linux then has one more (SIGSTKFLT). */
const linuxSignal = (signal: number): number => signal < 16 ? signal : signal + 1
const lastSignal = 30

/** Makes the two functions that return the size of a string list and the list itself. */
const strings = ({ heap }: WasiInstance, texts: () => ReadonlyArray<string>) => {
  const encoded = () => texts().map((text) => encodeUtf8(`${text}\0`))
  return {
    sizes: (count: number, size: number): number => {
      if (!heap.fits(count, 4) || !heap.fits(size, 4)) return Errno.EFAULT
      const all = encoded()
      heap.setU32(count, all.length)
      heap.setU32(size, all.reduce((sum, bytes) => sum + bytes.length, 0))
      return Errno.SUCCESS
    },
    get: (pointers: number, buffer: number): number => {
      const all = encoded()
      const size = all.reduce((sum, bytes) => sum + bytes.length, 0)
      if (!heap.fits(pointers, all.length * 4) || !heap.fits(buffer, size)) return Errno.EFAULT
      let at = buffer
      all.forEach((bytes, index) => {
        heap.setU32(pointers + index * 4, at)
        heap.range(at, bytes.length).set(bytes)
        at += bytes.length
      })
      return Errno.SUCCESS
    },
  }
}

export const environmentFunctions = (host: WasiInstance): EnvironmentFunctions => {
  const { heap, process } = host
  const args = strings(host, () => process.args)
  const environment = strings(host, () => Array.from(process.env, ([name, value]) => `${name}=${value}`))
  return {
    args_get: args.get,
    args_sizes_get: args.sizes,
    environ_get: environment.get,
    environ_sizes_get: environment.sizes,
    clock_res_get: (clock, out) => {
      if (clocks[clock] === undefined) return Errno.EINVAL
      if (!heap.fits(out, 8)) return Errno.EFAULT
      heap.setU64(out, process.clockResolution)
      return Errno.SUCCESS
    },
    clock_time_get: (clock, _precision, out) => {
      const time = clockTime(process, clock)
      if (time === undefined) return Errno.EINVAL
      if (!heap.fits(out, 8)) return Errno.EFAULT
      heap.setU64(out, time)
      return Errno.SUCCESS
    },
    proc_exit: (code) => process.exit(code & 0xff),
    proc_raise: (signal) => {
      if (signal < 0 || signal > lastSignal) return Errno.EINVAL
      return signal === 0 ? Errno.SUCCESS : toErrno(process.raise(linuxSignal(signal)))
    },
    random_get: (buffer, length) => {
      if (!heap.fits(buffer, length)) return Errno.EFAULT
      process.random(heap.range(buffer, length))
      return Errno.SUCCESS
    },
    sched_yield: () => {
      const later = process.yield()
      return later instanceof Promise ? later.then(() => Errno.SUCCESS) : Errno.SUCCESS
    },
  }
}
