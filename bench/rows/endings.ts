/** Measures the ends of commands: deadlines on whole trees, and a normal exit while a grandchild holds the pipe. */
import process from "node:process"
import { expect } from "../tools/Tool.ts"
import { type Job, type Measure, sleep, type Values } from "./Row.ts"
import { processesWith, signal } from "./survivors.ts"

const deadline = 500
const grace = 1_000
/** This long after it is due, a tool hangs. */
const patience = 3_000

/** A number of seconds that only the processes of this measurement sleep. */
const uniqueSleep = (seconds: number): string =>
  `${seconds}.${String(process.pid).padStart(7, "0")}${
    String(Math.floor(performance.now() * 1000) % 1000).padStart(
      3,
      "0",
    )
  }`

const measure = (script: (sleep: string) => string, due: number): Measure => (tool, job: Job) => {
  const { timeout } = tool
  if (timeout === undefined) return undefined
  const run = async (): Promise<Values> => {
    await timeout(job.nothing, deadline, grace)
    const mark = uniqueSleep(1000)
    const start = performance.now()
    const ended = timeout(job.shell(script(mark)), deadline, grace).then(
      () => true,
      () => true,
    )
    await sleep(deadline / 2)
    const before = processesWith(mark).length
    const returned = await Promise.race([
      ended,
      sleep(due + patience - deadline / 2).then(() => false),
    ])
    const late = performance.now() - start - due
    await sleep(50)
    const left = processesWith(mark)
    for (const pid of left) signal(pid, "SIGKILL")
    expect(
      before >= 2,
      `${before} processes were running before the deadline`,
    )
    return { lateMs: late, survivors: left.length, hung: returned ? 0 : 1 }
  }
  return run()
}

/** Milliseconds after the deadline; processes that are still alive then. */
export const timeoutTree: Measure = measure(
  (mark) => `sleep ${mark} & sleep ${mark}`,
  deadline,
)

/** The same for a tree that ignores SIGTERM: milliseconds after the deadline and the grace. */
export const timeoutTerm: Measure = measure(
  (mark) => `trap "" TERM; sleep ${mark} & sleep ${mark}`,
  deadline + grace,
)

/** Milliseconds until a command that has ended is reported, while a process it left behind holds the pipe for 4 s. */
export const drain: Measure = (tool, job) => {
  const { text } = tool
  if (text === undefined) return undefined
  const run = async (): Promise<Values> => {
    await text(job.shell("echo warm"))
    const mark = uniqueSleep(4)
    const start = performance.now()
    const output = await text(job.shell(`sleep ${mark} & echo done`))
    const ms = performance.now() - start
    for (const pid of processesWith(mark)) signal(pid, "SIGKILL")
    expect(output.startsWith("done"), "the output")
    return { ms }
  }
  return run()
}
