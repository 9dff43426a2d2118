/** Shared parts of the tests of processes: kernels with an empty file system, and programs that copy and count. */
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { Kernel, type KernelOptions, type ProcessHandle } from "../../../src/kernel/mod.ts"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { NullFile } from "../../../src/kernel/process/NullFile.ts"
import type { OpenFile } from "../../../src/kernel/OpenFile.ts"
import type { Program, SpawnRequest, System, WaitStatus } from "../../../src/kernel/System.ts"

export const emptyFiles = (): VirtualFileSystem => VirtualFileSystem.make({ now: () => 0n })

export const makeKernel = (options: Partial<KernelOptions> = {}): Kernel =>
  Kernel.make({ fileSystem: emptyFiles(), programs: {}, ...options })

/** A number that was to be a success. */
export const must = <A>(answer: A | number): A => {
  if (typeof answer === "number") throw new Error(`errno ${-answer}`)
  return answer
}

export interface Ran extends WaitStatus {
  readonly stdout: string
  readonly stderr: string
}

/** Starts a program with a capture on 1 and 2, and waits for it. */
export const run = async (
  kernel: Kernel,
  request: Omit<SpawnRequest, "fds" | "args"> & { readonly args?: ReadonlyArray<string> },
  stdin: OpenFile = new NullFile(),
): Promise<Ran> => {
  const stdout = new BufferFile()
  const stderr = new BufferFile()
  const handle = must<ProcessHandle>(
    kernel.start({ args: ["test"], ...request, fds: { 0: stdin, 1: stdout, 2: stderr } }),
  )
  const status = await handle.exited
  return { ...status, stdout: stdout.text, stderr: stderr.text }
}

export const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** Copies 0 to 1, in pieces of so many bytes. */
export const copier = (size: number): Program => async (system) => {
  const piece = new Uint8Array(size)
  for (;;) {
    const read = system.read(0, piece)
    const count = typeof read === "number" ? read : await read
    if (count <= 0) return -count
    const written = system.writeAll(1, piece.subarray(0, count))
    if ((typeof written === "number" ? written : await written) < 0) return 1
  }
}

/** A pipeline of programs within a process: how each stage ended, in order. */
export const pipeline = async (system: System, stages: ReadonlyArray<SpawnRequest["program"]>): Promise<
  ReadonlyArray<WaitStatus>
> => {
  const pids: Array<number> = []
  let input = system.dup(0)
  for (const [index, program] of stages.entries()) {
    const last = index === stages.length - 1
    const [read, write] = last ? [-1, system.dup(1)] : must(system.pipe())
    pids.push(system.spawn({ program, args: [`stage${index}`], fds: [[0, input], [1, write], [2, 2]] }))
    system.close(input)
    system.close(write)
    input = read
  }
  const statuses: Array<WaitStatus> = []
  for (const pid of pids) {
    const status = await system.wait(pid)
    if (typeof status !== "object") throw new Error(`wait: ${status}`)
    statuses.push(status)
  }
  return statuses
}

/** A pipeline of programs by name, started from within: what the last wrote, and how each ended. */
export const runPipeline = async (
  kernel: Kernel,
  stages: ReadonlyArray<ReadonlyArray<string>>,
): Promise<{ readonly stdout: string; readonly stderr: string; readonly codes: ReadonlyArray<number> }> => {
  const codes: Array<number> = []
  const ran = await run(kernel, {
    program: async (system) => {
      const pids: Array<number> = []
      let input = system.dup(0)
      for (const [index, args] of stages.entries()) {
        const [read, write] = index === stages.length - 1 ? [-1, system.dup(1)] : must(system.pipe())
        pids.push(system.spawn({ program: args[0] ?? "", args, fds: [[0, input], [1, write], [2, 2]] }))
        system.close(input)
        system.close(write)
        input = read
      }
      for (const pid of pids) {
        const status = await system.wait(pid)
        if (typeof status !== "object") return 1
        codes.push(status.exitCode)
      }
      return 0
    },
  })
  return { stdout: ran.stdout, stderr: ran.stderr, codes }
}

/** What `produce` writes with that seed. */
export const produced = (total: number, seed: number): Uint8Array<ArrayBuffer> => {
  let state = seed
  return Uint8Array.from({ length: total }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state >>> 24
  })
}

/** What `tally` says of it. */
export const expectedTally = (total: number, seed: number): string => {
  let a = 1
  let b = 0
  for (const byte of produced(total, seed)) {
    a = (a + byte) % 65_521
    b = (b + a) % 65_521
  }
  return `${total} ${((b * 65_536 + a) >>> 0).toString(16).padStart(8, "0")}\n`
}
