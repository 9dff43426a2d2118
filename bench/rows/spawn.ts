/** Starting programs, one after another, 16 at once, and in a process that has grown. */
import type { Tool } from "../tools/Tool.ts"
import { type Job, type Measure, timed } from "./Row.ts"

/** Half as many before, for the compilers to settle. */
const warmUp = (times: number): number => Math.ceil(times / 2)

const sequential = async (spawn: NonNullable<Tool["spawn"]>, job: Job, spawns: number): Promise<{ ms: number }> => {
  await spawn(job.nothing, warmUp(spawns), 1)
  return { ms: (await timed(() => spawn(job.nothing, spawns, 1))) / spawns }
}

/** Milliseconds for one command at a time. */
export const spawn: Measure = ({ spawn }, job) => spawn && sequential(spawn, job, job.sizes.spawns)

/** Commands per second, 16 at once. */
export const concurrent: Measure = ({ spawn }, job) => {
  if (spawn === undefined) return undefined
  const times = Math.ceil(job.sizes.spawns / 16) * 32
  const run = async (): Promise<{ perSecond: number }> => {
    await spawn(job.nothing, warmUp(times), 16)
    return {
      perSecond: (times * 1000) / (await timed(() => spawn(job.nothing, times, 16))),
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
    const result = await sequential(spawn, job, Math.ceil(job.sizes.spawns / 8))
    if (ballast[ballast.length - 1] !== 1) {
      throw new Error("the ballast is gone")
    }
    return result
  }
  return run()
}
