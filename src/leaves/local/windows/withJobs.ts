/**
 * A host on Windows whose processes can be put into job objects.
 *
 * @module
 */
import type { ExitStatus } from "../../../shell/Spawned.ts"
import type { Host, HostProcess, SpawnRequest } from "../Host.ts"
import { JobObject } from "./JobObject.ts"
import type { Kernel32 } from "./Kernel32.ts"

const withJob = (kernel: Kernel32, process: HostProcess): HostProcess => {
  const job = JobObject.of(kernel, process.pid)
  if (job === undefined) return process
  return {
    ...process,
    job,
    onExit: (done) =>
      process.onExit((status: ExitStatus) => {
        // Bun keeps 8 bits of an exit code, which has 32; whoever was ended by Bun itself has a signal and none.
        const code = status.signal === undefined ? job.exitCode : undefined
        done(code === undefined ? status : { exitCode: code })
      }),
  }
}

/** The host, where kernel32.dll can be called; `undefined` leaves it as it is. */
export const withJobs = (host: Host, kernel: Kernel32 | undefined): Host =>
  kernel === undefined ? host : {
    ...host,
    jobObjects: true,
    spawn: (request: SpawnRequest): HostProcess | Promise<HostProcess> => {
      const process = host.spawn(request)
      if (request.job !== true) return process
      return process instanceof Promise ? process.then((each) => withJob(kernel, each)) : withJob(kernel, process)
    },
  }
