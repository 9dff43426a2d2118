/** Runs pipelines, background commands and coprocesses. A stage that only starts a program needs no subshell. */
import type * as Tree from "../../shell-language/SyntaxTree.ts"
import { errnoText } from "../Errno.ts"
import type { Later, Pid } from "../System.ts"
import { expandWords } from "./expand/expandWords.ts"
import { reportError } from "./errorHandling.ts"
import { IndexedArray } from "./IndexedArray.ts"
import { reapChildren, spawnProgram, spawnShell, waitForChild } from "./processes.ts"
import {
  applyRedirections,
  awaitOpened,
  changesStdin,
  restoreDescriptors,
  type SavedDescriptors,
} from "./redirections.ts"
import type { FdPairs } from "./DescriptorTable.ts"
import type { Shell } from "./Shell.ts"
import { countCommand } from "./countCommand.ts"
import { ShellError } from "./ShellError.ts"
import { noteCommand } from "./traps.ts"

export const createPipe = (shell: Shell): readonly [read: number, write: number] => {
  const ends = shell.system.pipe()
  if (typeof ends === "number") throw new ShellError(`pipe: ${errnoText(ends)}`, "shell")
  return ends
}

/** The command of a pipeline that has only one, without `!` and `time`. */
export const soleCommand = ({ commands, negated, time }: Tree.Pipeline): Tree.Command | undefined =>
  commands.length === 1 && !negated && time === undefined ? commands[0] : undefined

/** Whether expanding a part neither changes the shell nor starts a process. */
const isPure = (part: Tree.WordPart): boolean =>
  part._tag === "Literal" || part._tag === "Escaped" || part._tag === "SingleQuoted" || part._tag === "Tilde" ||
  (part._tag === "DoubleQuoted" && part.parts.every(isPure)) ||
  (part._tag === "Parameter" && part.operation === undefined && !part.indirect && part.subscript === undefined)

const isPureWord = (word: Tree.Word): boolean => word.parts.every(isPure)

/** Whether a command only starts a program, so that it needs no subshell. */
const isPlain = (shell: Shell, node: Tree.Command): node is Tree.SimpleCommand => {
  if (
    node._tag !== "SimpleCommand" || node.assignments.length > 0 || shell.traps.has("DEBUG") ||
    shell.hasOption("xtrace")
  ) {
    return false
  }
  const [first] = node.words
  const [part] = first?.parts ?? []
  if (first?.parts.length !== 1 || part?._tag !== "Literal" || first.braces || /[*?[]/.test(part.value)) return false
  if (shell.functions.has(part.value) || shell.interpreter.builtins.has(part.value)) return false
  return node.words.every(isPureWord) &&
    node.redirects.every((redirection) =>
      redirection._tag === "FileRedirect" && redirection.variable === undefined && isPureWord(redirection.target)
    )
}

/** Starts a stage; an error of a plain one becomes the status of the stage, as if it had a process of its own. */
export const startStage = async (
  shell: Shell,
  node: Tree.Command,
  replaced: FdPairs,
  body: (copy: Shell) => Later<number>,
): Promise<Pid | { readonly status: number }> => {
  if (!isPlain(shell, node)) {
    const owns = changesStdin(replaced)
    return spawnShell(
      shell,
      (copy) => {
        copy.ownsStdin = owns
        return body(copy)
      },
      shell.descriptors.forChild(replaced),
    )
  }
  const undo: SavedDescriptors = []
  const ownedStdin = shell.ownsStdin
  shell.position = node.span.start
  countCommand(shell)
  try {
    for (const [fd, real] of replaced) undo.push([fd, shell.descriptors.set(fd, shell.system.dup(real))])
    const unopened: Array<number> = []
    await applyRedirections(shell, node.redirects, undo, unopened)
    const words = await expandWords(shell, node.words)
    shell.ownsStdin = changesStdin(undo)
    if (unopened.length > 0) return spawnWhenOpened(shell, words, unopened)
    return spawnProgram(shell, words)
  } catch (error) {
    if (!(error instanceof ShellError) || error.exitCode === 254) throw error
    return { status: await reportError(shell, error) }
  } finally {
    shell.ownsStdin = ownedStdin
    restoreDescriptors(shell, undo)
  }
}

/** Starts a program in a process that first waits for the other ends of its FIFOs, while the shell continues. */
const spawnWhenOpened = (shell: Shell, words: ReadonlyArray<string>, unopened: ReadonlyArray<number>): Pid => {
  const fds = shell.descriptors.forChild()
  const waited = fds.filter(([, real]) => unopened.includes(real)).map(([fd]) => fd)
  return spawnShell(shell, async (copy) => {
    for (const fd of waited) await awaitOpened(copy, copy.descriptors.get(fd) ?? -1)
    return waitForChild(copy, spawnProgram(copy, words))
  }, fds)
}

export const runPipeline = async (shell: Shell, node: Tree.Pipeline): Promise<number> => {
  const stages: Array<Pid | { readonly status: number }> = []
  const last = node.commands.length - 1
  let input: number | undefined
  let lastStatus: number | undefined
  try {
    for (const [index, stage] of node.commands.entries()) {
      const ends = index < last ? createPipe(shell) : undefined
      const replaced: Array<readonly [number, number]> = []
      if (input !== undefined) replaced.push([0, input])
      if (ends !== undefined) replaced.push([1, ends[1]])
      if (ends !== undefined && node.pipes[index] === "|&") replaced.push([2, ends[1]])
      try {
        if (index === last && shell.hasOption("lastpipe") && !isPlain(shell, stage)) {
          lastStatus = await runLastStage(shell, stage, replaced)
        } else stages.push(await startStage(shell, stage, replaced, (copy) => copy.interpreter.stage(copy, stage)))
      } finally {
        if (input !== undefined) shell.system.close(input)
        if (ends !== undefined) shell.system.close(ends[1])
        input = ends?.[0]
      }
    }
  } catch (error) {
    if (input !== undefined) shell.system.close(input)
    throw error
  }
  const command = node.commands[last]
  if (command?._tag === "SimpleCommand") noteCommand(shell, command.span)
  const statuses: Array<number> = []
  for (const stage of stages) statuses.push(typeof stage === "number" ? await waitForChild(shell, stage) : stage.status)
  if (lastStatus !== undefined) statuses.push(lastStatus)
  shell.pipeStatus = statuses
  return (shell.hasOption("pipefail") ? statuses.findLast((status) => status !== 0) : statuses.at(-1)) ?? 0
}

/** Runs the last stage in the shell itself: `shopt -s lastpipe`. */
const runLastStage = async (shell: Shell, node: Tree.Command, replaced: FdPairs): Promise<number> => {
  const undo: SavedDescriptors = []
  for (const [fd, real] of replaced) undo.push([fd, shell.descriptors.set(fd, shell.system.dup(real))])
  try {
    return await shell.interpreter.command(shell, node)
  } finally {
    restoreDescriptors(shell, undo)
  }
}

const addJob = (shell: Shell, pid: Pid, { end, start }: Tree.Span): void => {
  shell.lastBackground = pid
  const text = shell.source.text.slice(start, end).trimEnd()
  shell.jobs.push({
    number: Math.max(0, ...shell.jobs.map((job) => job.number)) + 1,
    pid,
    text: (text.endsWith("&") ? text.slice(0, -1) : text).trimEnd(),
    exitCode: undefined,
  })
}

/** A background copy runs outside the conditions of its parent. */
const unconditional = (copy: Shell): Shell => {
  copy.conditionDepth = 0
  return copy
}

/** Starts a coprocess, whose output and input are descriptors that children do not inherit. */
export const runCoprocess = (shell: Shell, { body, name, span }: Tree.Coprocess): number => {
  reapChildren(shell)
  const [output, outputEnd] = createPipe(shell)
  const [inputEnd, input] = createPipe(shell)
  const pid = spawnShell(
    shell,
    (copy) => copy.interpreter.stage(unconditional(copy), body),
    shell.descriptors.forChild([[0, inputEnd], [1, outputEnd]]),
  )
  shell.system.close(outputEnd)
  shell.system.close(inputEnd)
  const numbers = [output, input].map((real) => shell.descriptors.addPrivate(real, 60))
  const variable = shell.variables.need(name)
  variable.value = undefined
  variable.array = new IndexedArray(numbers.map(String))
  shell.variables.set(`${name}_PID`, String(pid))
  addJob(shell, pid, span)
  return shell.status = 0
}

/** Starts a background command with empty standard input. */
export const runBackground = async (
  shell: Shell,
  node: Tree.AndOr,
  body: (copy: Shell) => Later<number>,
): Promise<number> => {
  reapChildren(shell)
  const [read, write] = createPipe(shell)
  shell.system.close(write)
  const [pipeline] = node.pipelines
  const only = pipeline !== undefined && node.pipelines.length === 1 ? soleCommand(pipeline) : undefined
  try {
    const started = only !== undefined
      ? await startStage(
        shell,
        only,
        [[0, read]],
        (copy) => copy.interpreter.stage(unconditional(copy), only),
      )
      : spawnShell(shell, (copy) => body(unconditional(copy)), shell.descriptors.forChild([[0, read]]))
    const pid = typeof started === "number" ? started : spawnShell(shell, () => started.status)
    addJob(shell, pid, node.span)
  } finally {
    shell.system.close(read)
  }
  return shell.status = 0
}
