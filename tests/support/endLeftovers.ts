/**
 * Ends, when a run of the test runner is over, the processes that its tests left behind, and prints their command lines.
 * A test that is killed by its timeout cannot end what it started. On Linux only: the processes are found by a variable
 * of the environment, which they inherit.
 */
import { readdirSync, readFileSync } from "node:fs"

const variable = "TEST_RUN_MARK"

/** What stands in a file of a process, empty where it has gone or belongs to another user. */
const read = (pid: number, file: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return ""
  }
}

const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)$/m.exec(read(pid, "status"))?.[1])

/** Whether it is the test runner itself or one of its workers. On Bun workers are threads, and the tests its children. */
const isRunner = (pid: number): boolean =>
  pid === process.pid || (parentOf(pid) === process.pid && read(pid, "cmdline").includes("vitest"))

const endMarked = (mark: string): void => {
  const left = readdirSync("/proc").map(Number).filter((pid) =>
    pid > 0 && !isRunner(pid) && read(pid, "environ").split("\0").includes(mark)
  )
  for (const pid of left) {
    const commandLine = read(pid, "cmdline").replaceAll("\0", " ").trim()
    try {
      process.kill(pid, "SIGKILL")
      console.error(`a test left ${pid} running, now ended: ${commandLine.slice(0, 200)}`)
    } catch {
      // Gone meanwhile.
    }
  }
}

export default (): (() => void) | undefined => {
  if (process.platform !== "linux") return undefined
  // Each project of the configuration sets this up, in one process.
  const prefix = `${process.pid}:`
  const before = process.env[variable]
  const value = before?.startsWith(prefix) === true ? before : `${prefix}${crypto.randomUUID()}`
  process.env[variable] = value
  return () => endMarked(`${variable}=${value}`)
}
