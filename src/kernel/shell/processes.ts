/** Starts programs, scripts and subshells as processes, waits for them, and reads scripts and output as text. */
import { Errno, errnoText } from "../Errno.ts"
import { type Later, type Pid, Signal, type System } from "../System.ts"
import { isDirectory } from "./expand/expandPathname.ts"
import { PositionalParameters } from "./PositionalParameters.ts"
import type { FdPairs } from "./DescriptorTable.ts"
import type { Shell } from "./Shell.ts"
import { ShellError, shellErrorOf } from "./ShellError.ts"
import { ScriptSource } from "./ScriptSource.ts"
import { runExitTrap } from "./traps.ts"
import { Variables } from "./Variables.ts"
import { ByteBuffer } from "../../base/ByteBuffer.ts"
import { decodeLossless } from "../../base/surrogateEscape.ts"

/** Runs the body of a shell process, reports its errors and runs the EXIT trap; returns the exit code. */
export const runToExit = async (shell: Shell, body: (shell: Shell) => Later<number>): Promise<number> => {
  try {
    shell.status = await body(shell)
  } catch (thrown) {
    const error = shellErrorOf(thrown)
    if (error.message !== "") await shell.reportError(error.message)
    shell.status = error.exitCode
  }
  return await runExitTrap(shell) & 255
}

/** Starts a subshell in a process of its own; returns its pid. */
export const spawnShell = (
  shell: Shell,
  body: (shell: Shell) => Later<number>,
  fds: FdPairs = shell.descriptors.forChild(),
  parentDeathSignal?: number,
): Pid => {
  const copy = shell.fork()
  shell.syncPath()
  const pid = shell.system.spawn({
    program: (system: System) =>
      runToExit(copy(system), (subshell) => {
        subshell.variables.holdAll()
        return body(subshell)
      }),
    args: [shell.name],
    env: shell.variables.exported,
    fds,
    parentDeathSignal,
  })
  if (pid < 0) throw new ShellError(`fork: ${errnoText(pid)}`, "shell", 254)
  return pid
}

const startError = (name: string, errno: number): ShellError => {
  if (errno === -Errno.ENOENT) {
    return new ShellError(
      `${name}: ${name.includes("/") ? "No such file or directory" : "command not found"}`,
      "command",
      127,
    )
  }
  return new ShellError(`${name}: ${errnoText(errno)}`, "command", 126)
}

/** Starts a program; returns its pid. Throws a `ShellError` if it cannot be started. */
export const spawnProgram = (
  shell: Shell,
  words: ReadonlyArray<string>,
  fds: FdPairs = shell.descriptors.forChild(),
  name: string = words[0] ?? "",
  parentDeathSignal?: number,
): Pid => {
  if (name === "") throw startError(name, -Errno.ENOENT)
  shell.syncPath()
  const env = shell.variables.exported
  const pid = shell.system.spawn({
    program: name,
    args: words,
    env,
    fds,
    parentDeathSignal,
    ownsStdin: shell.ownsStdin,
  })
  if (pid > 0) return pid
  if (pid === -Errno.ENOEXEC) return spawnScript(shell, words, fds, parentDeathSignal)
  if (name.includes("/") && (pid === -Errno.EACCES || pid === -Errno.EISDIR) && isDirectory(shell.system, name)) {
    throw startError(name, -Errno.EISDIR)
  }
  if (pid === -Errno.EAGAIN || pid === -Errno.ENOMEM) throw new ShellError(`fork: ${errnoText(pid)}`, "shell", 254)
  throw startError(name, pid)
}

/** Starts an executable file that is not a program as a shell script. */
const spawnScript = (
  shell: Shell,
  words: ReadonlyArray<string>,
  fds: FdPairs,
  parentDeathSignal: number | undefined,
): Pid => {
  const found = shell.system.which(words[0] ?? "")
  const path = typeof found === "string" ? found : words[0] ?? ""
  const body = async (copy: Shell): Promise<number> => {
    const text = await readFile(copy.system, path, copy.limits.maxValueLength)
    if (typeof text === "number") return copy.reportError(`${path}: ${errnoText(text)}`, 126)
    const variables = new Variables()
    for (const [name, value] of shell.variables.exported) {
      variables.set(name, value)
      variables.need(name).exported = true
    }
    copy.reset(variables, path, new PositionalParameters(words.slice(1)))
    return runScript(copy, text)
  }
  return spawnShell(shell, body, fds, parentDeathSignal)
}

export const runScript = (shell: Shell, text: string): Promise<number> => {
  shell.enterCall("main", "main", shell.name, 0)
  return shell.interpreter.run(shell, text, new ScriptSource(text, shell.name))
}

export const readFile = async (system: System, path: string, limit: number): Promise<string | number> => {
  const fd = system.open(path, { read: true })
  if (fd < 0) return fd
  const text = await readText(system, fd, limit)
  system.close(fd)
  return text
}

/** All text until the end of a file; an errno, `-EFBIG` when there is more than the limit. */
export const readText = async (system: System, fd: number, limit: number): Promise<string | number> => {
  const text = new ByteBuffer(limit)
  const buffer = new Uint8Array(65_536)
  for (;;) {
    const count = await system.read(fd, buffer)
    if (count < 0) return count
    if (count === 0) return decodeLossless(text.bytes)
    if (!text.push(buffer.subarray(0, count))) return -Errno.EFBIG
  }
}

const signalNames: ReadonlyMap<number, string> = new Map<number, string>([
  [Signal.SIGHUP, "Hangup"],
  [Signal.SIGQUIT, "Quit"],
  [Signal.SIGABRT, "Aborted"],
  [Signal.SIGKILL, "Killed"],
  [Signal.SIGUSR1, "User defined signal 1"],
  [Signal.SIGUSR2, "User defined signal 2"],
  [Signal.SIGALRM, "Alarm clock"],
  [Signal.SIGTERM, "Terminated"],
])

/** Waits for a child in the foreground; traps of signals run afterwards. Reports the signal that ended it, unless `silent`. */
export const waitForChild = async (shell: Shell, pid: Pid, silent = false): Promise<number> => {
  for (;;) {
    const status = await shell.system.wait(pid)
    if (typeof status === "object") {
      const name = silent || status.signal === undefined ? undefined : signalNames.get(status.signal)
      if (name !== undefined) {
        await shell.reportError(`${String(pid).padStart(5)} ${name.padEnd(23)} ${shell.commandText}`)
      }
      return status.exitCode
    }
    if (status !== -Errno.EINTR) return shell.childExits.get(pid) ?? 127
  }
}

/** Number of exit codes that are kept: POSIX requires as many as the maximum number of concurrent children. */
const maxKeptExits = 1_024

/** Keeps the exit code of a child for `wait`. */
export const rememberExit = (shell: Shell, pid: Pid, exitCode: number): void => {
  const job = shell.jobs.find((candidate) => candidate.pid === pid)
  if (job !== undefined) job.exitCode = exitCode
  if (shell.jobs.length > maxKeptExits) shell.jobs = shell.jobs.filter((candidate) => candidate.exitCode === undefined)
  shell.childExits.set(pid, exitCode)
  for (const oldest of shell.childExits.keys()) {
    if (shell.childExits.size <= maxKeptExits) return
    shell.childExits.delete(oldest)
  }
}

/** Waits for the children that have ended, so that none stays in the kernel's process table. */
export const reapChildren = (shell: Shell): void => {
  for (;;) {
    const status = shell.system.wait(-1, { hang: false })
    if (typeof status !== "object" || status instanceof Promise) return
    rememberExit(shell, status.pid, status.exitCode)
  }
}
