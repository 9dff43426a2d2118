/**
 * Runs as one Windows program for many names, as BusyBox does: a POSIX shell (`sh.exe`) and its utilities (`cat.exe`,
 * `seq.exe`, …), each by the name of its file, for the contract of shells, whose commands are scripts of `sh`. The
 * programs are those of the sandbox, joined to the real pipes, files and environment of the process; a job in the
 * background (`… & …`) is a process of its own, so that it may outlive its shell and hold its pipes.
 */
import { spawn } from "node:child_process"
import { read, writeSync } from "node:fs"
import process from "node:process"
import { Errno } from "../../../../src/kernel/Errno.ts"
import { devices } from "../../../../src/kernel/fs/devices.ts"
import { hostFolder } from "../../../../src/kernel/fs/HostFolder.ts"
import { memory } from "../../../../src/kernel/fs/memory.ts"
import { VirtualFileSystem } from "../../../../src/kernel/fs/VirtualFileSystem.ts"
import { Kernel } from "../../../../src/kernel/mod.ts"
import { OpenFile } from "../../../../src/kernel/OpenFile.ts"
import { systemClock } from "../../../../src/kernel/process/KernelClock.ts"
import { StreamSource } from "../../../../src/kernel/process/StreamSource.ts"
import { shellProgram } from "../../../../src/kernel/shell/ShellProgram.ts"
import { FileType } from "../../../../src/kernel/Stat.ts"
import { utilities } from "../../../../src/kernel/utilities/Utilities.ts"
import * as ShellLanguage from "../../../../src/shell-language/ShellLanguage.ts"
import { contractPrograms } from "../../kernel/programs.ts"

const piece = 65_536

/** Standard input, read only when a program reads. */
const input = new StreamSource({
  pull: () =>
    new Promise((resolve) => {
      const into = new Uint8Array(piece)
      // A pipe that was closed is at its end.
      read(0, into, 0, piece, null, (error, count) =>
        resolve(error !== null || count === 0 ? undefined : into.subarray(0, count)))
    }),
})

/** Writes to a pipe and waits while it is full, as a process does. */
class Output extends OpenFile {
  readonly type: FileType = FileType.unknown
  readonly #fd: number

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  override write(from: Uint8Array): number {
    try {
      return writeSync(this.#fd, from)
    } catch {
      return -Errno.EPIPE
    }
  }
}

/** `Z:\tmp\a` is `/tmp/a` in here. */
const pathHere = (path: string): string => path.replace(/^[A-Za-z]:/, "").replaceAll("\\", "/")

/** Starts the jobs in the background at the top of a script, each as a process of its own; what is left of the script. */
const withoutJobs = (script: string): string => {
  const parsed = ShellLanguage.parse(script)
  if (parsed._tag === "Failure") return script
  let rest = script
  for (const { background, span } of [...parsed.success.statements].reverse()) {
    if (!background) continue
    const text = script.slice(span.start, span.end).replace(/&\s*$/, "")
    spawn(process.execPath, ["-c", text], { stdio: ["ignore", "inherit", "inherit"], detached: true }).unref()
    rest = `${rest.slice(0, span.start)}:; ${rest.slice(span.end)}`
  }
  return rest
}

const name = pathHere(process.execPath).split("/").at(-1)?.replace(/\.exe$/i, "").toLowerCase() ?? "sh"
const [option, script, ...more] = process.argv.slice(2)
const args = name === "sh" && option === "-c" && script !== undefined
  ? ["-c", withoutJobs(script), ...more]
  : process.argv.slice(2)

const shell = shellProgram()
const kernel = Kernel.make({
  fileSystem: VirtualFileSystem.make({
    mounts: {
      "/": memory({}),
      "/dev": devices({}),
      "/tmp": hostFolder("Z:\\tmp"),
    },
    now: systemClock.now,
  }),
  programs: { sh: shell, bash: shell, ...utilities, ...contractPrograms },
})

const variables = Object.entries(process.env).flatMap(([key, value]) =>
  value === undefined ? [] : [[key.toUpperCase() === "PATH" ? "PATH" : key, value] as const]
)
const started = kernel.start({
  program: name,
  args: [name, ...args],
  env: variables.map(([key, value]) => [key, key === "PATH" ? `${value}:/usr/bin:/bin` : value]),
  cwd: pathHere(process.cwd()),
  fds: { 0: input, 1: new Output(1), 2: new Output(2) },
})
if (typeof started === "number") {
  console.error(`${name}: errno ${-started}`)
  process.exit(126)
}
void started.exited.then(({ exitCode, signal }) => process.exit(signal === undefined ? exitCode : 128 + signal))
