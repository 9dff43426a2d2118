/** Makes a kernel with a few programs for the tests of the shell, and runs scripts in it. */
import { devices } from "../../../src/kernel/fs/devices.ts"
import { VirtualFileSystem } from "../../../src/kernel/fs/VirtualFileSystem.ts"
import { Kernel, type KernelOptions, type ProcessHandle } from "../../../src/kernel/mod.ts"
import { BufferFile } from "../../../src/kernel/process/BufferFile.ts"
import { StaticFile } from "../../../src/kernel/process/StaticFile.ts"
import type { OpenFile } from "../../../src/kernel/OpenFile.ts"
import { shellProgram, type ShellProgramOptions } from "../../../src/kernel/shell/ShellProgram.ts"
import type { Program, System } from "../../../src/kernel/System.ts"
import { utilities } from "../../../src/kernel/utilities/Utilities.ts"

export const must = <A>(answer: A | number): A => {
  if (typeof answer === "number") throw new Error(`errno ${-answer}`)
  return answer
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A kernel with an empty folder `/work`, `/tmp` and devices. */
export const makeWorld = (options: Partial<KernelOptions> = {}, shell: ShellProgramOptions = {}): Kernel => {
  const fileSystem = VirtualFileSystem.make({
    now: () => BigInt(Date.now()) * 1_000_000n,
    mounts: { "/dev": devices() },
  })
  for (const path of ["/tmp", "/work", "/root"]) fileSystem.makeDirectory(fileSystem.root, path, 0o755)
  return Kernel.make({
    fileSystem,
    programs: { ...utilities, sh: shellProgram(shell), bash: shellProgram(shell) },
    env: [["PATH", "/usr/bin:/bin"], ["HOME", "/root"]],
    ...options,
  })
}

export interface Answer {
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
  readonly signal: number | undefined
}

export interface Started {
  readonly handle: ProcessHandle
  readonly stdout: BufferFile
  readonly stderr: BufferFile
  readonly answer: Promise<Answer>
}

/** Starts a program by its arguments, with captures on 1 and 2. */
export const start = (
  kernel: Kernel,
  program: string | Program,
  args: ReadonlyArray<string>,
  stdin: OpenFile = new StaticFile(new Uint8Array(0)),
  cwd = "/work",
): Started => {
  const [stdout, stderr] = [new BufferFile(), new BufferFile()]
  const handle = must<ProcessHandle>(kernel.start({ program, args, cwd, fds: { 0: stdin, 1: stdout, 2: stderr } }))
  const answer = handle.exited.then(({ exitCode, signal }) => ({
    stdout: stdout.text,
    stderr: stderr.text,
    exitCode,
    signal,
  }))
  return { handle, stdout, stderr, answer }
}

/** Runs `sh -c script` in a world of its own. */
export const sh = (script: string, stdin = "", kernel: Kernel = makeWorld()): Promise<Answer> =>
  start(kernel, "sh", ["sh", "-c", script], new StaticFile(bytes(stdin))).answer

export type { System }
