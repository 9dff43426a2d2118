/** Starting programs, one after another, 16 at once, and in a process that has grown. */
import type { Tool } from "../tools/Tool.ts"
import { type Job, type Measure, timed } from "./Row.ts"

/** Half as many before, for the compilers to settle. */
const warmUp = (times: number): number => Math.ceil(times / 2)

const each = async (
  spawn: NonNullable<Tool["spawn"]>,
  job: Job,
  spawns: number,
): Promise<{ ms: number }> => ({
  ms: (await timed(() => spawn(job.nothing, spawns, 1))) / spawns,
})

/** Milliseconds for one command at a time: the first of the process. */
export const spawnCold: Measure = ({ spawn }, job) => spawn && each(spawn, job, job.sizes.spawns)

/** Milliseconds for one command at a time, after many. */
export const spawn: Measure = ({ spawn }, job) => {
  if (spawn === undefined) return undefined
  const { spawns, warmMillis, warmSpawns } = job.sizes
  const run = async (): Promise<{ ms: number }> => {
    const start = performance.now()
    for (
      let done = 0;
      done < warmSpawns && performance.now() - start < warmMillis;
      done += 50
    ) {
      await spawn(job.nothing, 50, 1)
    }
    return await each(spawn, job, spawns)
  }
  return run()
}

/** Commands per second, 16 at once. */
export const concurrent: Measure = ({ spawn }, job) => {
  if (spawn === undefined) return undefined
  const times = Math.ceil(job.sizes.spawns / 16) * 32
  const run = async (): Promise<{ perSecond: number }> => {
    await spawn(job.nothing, warmUp(times), 16)
    return {
      perSecond: (times * 1000) /
        (await timed(() => spawn(job.nothing, times, 16))),
    }
  }
  return run()
}

/** Milliseconds for one command at a time while the process holds 300 MB: a `fork` that copies page tables shows. */
export const spawnLarge: Measure = ({ spawn }, job) => {
  if (spawn === undefined) return undefined
  const ballast = new Uint8Array(300_000_000).fill(1)
  const run = async (): Promise<{ ms: number }> => {
    // Fewer: a fork of this size takes 100 ms on some machines.
    const spawns = Math.ceil(job.sizes.spawns / 8)
    await spawn(job.nothing, warmUp(spawns), 1)
    const result = await each(spawn, job, spawns)
    if (ballast[ballast.length - 1] !== 1) {
      throw new Error("the ballast is gone")
    }
    return result
  }
  return run()
}
