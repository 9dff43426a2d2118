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

/** Growth of RSS in KB (10^3 bytes) for each command. */
export const waiting: Measure = ({ spawn }, job) => {
  if (spawn === undefined) return undefined
  const count = job.sizes.waiting
  const run = async (): Promise<Values> => {
    await spawn(job.nothing, 64, 16)
    await collect()
    const before = process.memoryUsage.rss()
    const mark = `1000.${String(process.pid).padStart(7, "0")}`
    // The processes are killed below; some tools reject then.
    const ended = spawn({ file: "/bin/sleep", args: [mark] }, count, count)
      .catch(() => undefined)
    await until(() => processesWith(mark).length >= count)
    expect(
      processesWith(mark).length === count,
      `${processesWith(mark).length} of ${count} commands run`,
    )
    await collect()
    const kb = (process.memoryUsage.rss() - before) / count / 1000
    for (const pid of processesWith(mark)) signal(pid, "SIGKILL")
    await Promise.race([ended, sleep(5_000)])
    return { kb }
  }
  return run()
}
