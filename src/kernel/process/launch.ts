/**
 * How a program begins to run in its process.
 *
 * @module
 */
import { Errno, errnoText } from "../Errno.ts"
import type { Program } from "../System.ts"
import type { Core } from "./Core.ts"
import { killed } from "./Killed.ts"
import type { Process } from "./Process.ts"
import type { ProgramSource } from "./Programs.ts"

const runProgram = async (process: Process, program: Program): Promise<void> => {
  try {
    const exitCode = await program(process)
    process.end({ pid: process.pid, exitCode: exitCode & 255 })
  } catch (cause) {
    // Killed, it has ended already.
    if (cause !== killed) process.fault(cause)
  }
}

/** The type of modules is empty: it fits everything. */
const isProgram = (source: ProgramSource): source is Program => typeof source === "function"

/** Not at once: whoever started it has its number first. */
export const launch = (core: Core, process: Process, source: ProgramSource): void =>
  core.scheduler.soon(() => {
    if (process.status !== undefined) return
    if (isProgram(source)) void runProgram(process, source)
    else process.fault(new Error(errnoText(Errno.ENOEXEC)))
  })
