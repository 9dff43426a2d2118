/**
 * Reads a log of strace (`-f -y -v`, of execve, execveat and what makes processes): every program that was started, by
 * which process, and which programs were that process before.
 *
 * Source: strace(1), execve(2), ptrace(2) (an exec of a thread takes the number of its leader).
 */
import { readDescriptor, readList, readString, skipComma } from "./straceWords.ts"

/** A program that was started: a call that succeeded. */
export interface Execution {
  readonly pid: number
  /** As the call named it; where it was a descriptor, the file behind it. */
  readonly path: string
  readonly argv: ReadonlyArray<string>
  readonly environment: ReadonlyArray<string>
  /** The program that made the call, or whose process it was forked from. `undefined` for the first. */
  readonly by: Execution | undefined
}

interface Process {
  /** The program that runs in it; none of its own since it was forked. */
  program: Execution | undefined
  /** A thread is the process that it belongs to. */
  leader: Process | undefined
  /** Whose child it is, and what that ran then. The log may tell it after the child has done much. */
  parent: { readonly process: Process; readonly program: Execution | undefined } | undefined
}

const leaderOf = (process: Process): Process => process.leader === undefined ? process : leaderOf(process.leader)

/** The program that a process had from its parent. */
const inherited = (process: Process): Execution | undefined => {
  if (process.leader !== undefined) return process.leader.program ?? inherited(process.leader)
  return process.parent === undefined ? undefined : process.parent.program ?? inherited(process.parent.process)
}

const unfinished = " <unfinished ...>"
const resumed = /^<\.\.\. \w+ resumed>/

/** The calls of a log, each on one line, with its pid and its result. */
const wholeLines = (text: string): ReadonlyArray<readonly [pid: number, line: string]> => {
  const open = new Map<number, string>()
  const lines: Array<readonly [number, string]> = []
  for (const raw of text.split("\n")) {
    const [, digits = "", line = ""] = /^(\d+)\s+(.*)$/.exec(raw) ?? []
    if (digits === "") continue
    const pid = Number(digits)
    const changed = /<pid changed to (\d+) \.\.\.>$/.exec(line)
    if (changed !== null) open.set(Number(changed[1]), line.slice(0, changed.index))
    else if (line.endsWith(unfinished)) open.set(pid, line.slice(0, -unfinished.length))
    else if (resumed.test(line)) {
      const head = open.get(pid) ?? ""
      open.delete(pid)
      lines.push([pid, head + line.replace(resumed, "")])
    } else lines.push([pid, line])
  }
  return lines
}

const isExec = /^execve(at)?\(/
const isBirth = /^(?:clone3?|fork|vfork)\b/

/** What a call of execve or execveat names. */
const readExec = (line: string): Pick<Execution, "path" | "argv" | "environment"> => {
  const cursor = { text: line, at: line.indexOf("(") + 1 }
  let place: string | undefined
  if (line.startsWith("execveat")) {
    place = readDescriptor(cursor)
    skipComma(cursor)
  }
  const named = readString(cursor)
  const path = place === undefined || named.startsWith("/") ? named : named === "" ? place : `${place}/${named}`
  skipComma(cursor)
  const argv = readList(cursor)
  skipComma(cursor)
  return { path, argv, environment: readList(cursor) }
}

/** Every program of the log that was started, in the order of the log. */
export const readLog = (text: string): ReadonlyArray<Execution> => {
  const processes = new Map<number, Process>()
  /** Processes that ended before it was known whose children they are. */
  const ended = new Map<number, Process>()
  const found: Array<{ readonly call: { by: Execution | undefined } & Execution; readonly process: Process }> = []
  const of = (pid: number): Process => {
    const known = processes.get(pid)
    if (known !== undefined) return known
    const made: Process = { program: undefined, leader: undefined, parent: undefined }
    processes.set(pid, made)
    return made
  }
  for (const [pid, line] of wholeLines(text)) {
    const own = leaderOf(of(pid))
    if (line.startsWith("+++")) {
      // The number may be used anew; a leader that another thread replaced lives on.
      if (line.includes("superseded")) continue
      if (own.parent === undefined) ended.set(pid, own)
      processes.delete(pid)
    } else if (isExec.test(line)) {
      if (!/\)\s*= 0$/.test(line)) continue
      const call = { pid, ...readExec(line), by: own.program }
      own.program = call
      found.push({ call, process: own })
    } else if (isBirth.test(line)) {
      const number = /\)\s*= (\d+)(?:<.*>)?$/.exec(line)?.[1]
      if (number === undefined) continue
      const child = ended.get(Number(number)) ?? of(Number(number))
      ended.delete(Number(number))
      if (line.includes("CLONE_THREAD")) child.leader = own
      else child.parent = { process: own, program: own.program }
    }
  }
  return found.map(({ call, process }) => {
    call.by ??= inherited(process)
    return call
  })
}
