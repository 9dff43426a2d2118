/** Memory of commands that wait: they run, and write nothing. */
import process from "node:process"
import { expect } from "../tools/Tool.ts"
import { type Measure, sleep, type Values } from "./Row.ts"
import { processesWith, signal } from "./survivors.ts"

/** Collects the garbage, where the runtime was started so that it can be asked to. */
const collect = async (): Promise<void> => {
  const own: unknown = Reflect.get(globalThis, "gc")
  for (let turn = 0; turn < 3; turn++) {
    if (typeof Bun !== "undefined") Bun.gc(true)
    else if (typeof own === "function") Reflect.apply(own, undefined, [])
    await sleep(20)
  }
}

const until = async (isSo: () => boolean): Promise<void> => {
  for (let turn = 0; turn < 100 && !isSo(); turn++) await sleep(100)
}

/**
 * Growth of RSS in KB (10^3 bytes) for each further command, while as many run already: the first ones also grow the heap
 * and what the runtime keeps for all (4 MB on Bun, as much for 20 commands as for 200).
 */
export const waiting: Measure = ({ spawn }, job) => {
  if (spawn === undefined) return undefined
  const count = job.sizes.waiting
  const run = async (): Promise<Values> => {
    await spawn(job.nothing, 64, 16)
    const mark = `1000.${String(process.pid).padStart(7, "0")}`
    const ended: Array<Promise<void>> = []
    let total = 0
    const rssAfter = async (more: number): Promise<number> => {
      total += more
      // The processes are killed below; some tools reject then.
      ended.push(spawn({ file: "/bin/sleep", args: [mark] }, more, more).catch(() => undefined))
      await until(() => processesWith(mark).length >= total)
      expect(
        processesWith(mark).length === total,
        `${processesWith(mark).length} of ${total} commands run`,
      )
      await collect()
      return process.memoryUsage.rss()
    }
    const before = await rssAfter(count)
    const kb = (await rssAfter(count) - before) / count / 1000
    for (const pid of processesWith(mark)) signal(pid, "SIGKILL")
    await Promise.race([Promise.all(ended), sleep(5_000)])
    return { kb }
  }
  return run()
}
