/** Wraps a Windows host so that its processes can be put into job objects and have 32-bit exit codes. */
import type { ExitStatus } from "../../shell/SpawnedProcess.ts"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { JobObject } from "./JobObject.ts"
import type { Kernel32 } from "./Kernel32.ts"
import { exitCodeOf, openProcess } from "./processHandle.ts"

/** Restores the 32-bit exit code: Bun keeps only 8 bits. A process ended by a signal of Bun has no exit code. */
const withCode = (process: HostProcess, exitCode: () => number | undefined): HostProcess => ({
  ...process,
  onExit: (done) =>
    process.onExit((status: ExitStatus) => {
      const code = exitCode()
      done(code === undefined || status.signal !== undefined ? status : { exitCode: code })
    }),
})

const withJob = (kernel: Kernel32, process: HostProcess): HostProcess => {
  const job = JobObject.of(kernel, process.pid)
  return job === undefined ? process : withCode({ ...process, job }, () => job.exitCode)
}

const withoutJob = (kernel: Kernel32, process: HostProcess): HostProcess => {
  const handle = openProcess(kernel, process.pid, "query")
  if (handle === undefined) return process
  return withCode(process, () => {
    const code = exitCodeOf(kernel, handle)
    kernel.CloseHandle(handle)
    return code
  })
}

/** Wraps a host if kernel32.dll can be called; otherwise returns it unchanged. */
export const withJobs = (host: Host, kernel: Kernel32 | undefined): Host => {
  if (kernel === undefined) return host
  const wrap = ({ job }: SpawnRequest, process: HostProcess): HostProcess =>
    job === true ? withJob(kernel, process) : host.runtime === "bun" ? withoutJob(kernel, process) : process
  return {
    ...host,
    jobObjects: true,
    spawn: (request) => {
      const process = host.spawn(request)
      return process instanceof Promise ? process.then((each) => wrap(request, each)) : wrap(request, process)
    },
  }
}
