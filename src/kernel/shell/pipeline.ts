/**
 * Pipelines and the background: what runs beside the shell.
 *
 * All stages run at once, each in its own process. A stage that is a plain program is started as it is; anything else is
 * a copy of the shell.
 *
 * @module
 */
import type {
  AndOr,
  Command,
  Coprocess,
  Pipeline,
  SimpleCommand,
  Span,
  Word,
  WordPart,
} from "../../shell-language/SyntaxTree.ts"
import { errnoText } from "../Errno.ts"
import type { Later, Pid } from "../System.ts"
import { expandWords } from "./expand/expand.ts"
import { tell } from "./failure.ts"
import { IndexedArray } from "./IndexedArray.ts"
import { reap, spawnProgram, spawnShell, waitFor } from "./processes.ts"
import { redirect, restore, type Undo } from "./redirect.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"

type Replaced = ReadonlyArray<readonly [number, number]>

/** Two descriptors of the shell's own. */
export const pipe = (shell: Shell): readonly [read: number, write: number] => {
  const ends = shell.system.pipe()
  if (typeof ends === "number") throw new ShellError(`pipe: ${errnoText(ends)}`, "shell")
  return ends
}

/** Whether expanding a part changes nothing in the shell and starts nothing. */
const isPure = (part: WordPart): boolean =>
  part._tag === "Literal" || part._tag === "Escaped" || part._tag === "SingleQuoted" || part._tag === "Tilde" ||
  (part._tag === "DoubleQuoted" && part.parts.every(isPure)) ||
  (part._tag === "Parameter" && part.operation === undefined && !part.indirect && part.subscript === undefined)

const isPureWord = (word: Word): boolean => word.parts.every(isPure)

/** A command that is nothing but a program and its arguments, and can be started without a copy of the shell. */
const isPlain = (shell: Shell, node: Command): node is SimpleCommand => {
  if (node._tag !== "SimpleCommand" || node.assignments.length > 0 || shell.traps.has("DEBUG") || shell.on("xtrace")) {
    return false
  }
  const [first] = node.words
  const [part] = first?.parts ?? []
  if (first?.parts.length !== 1 || part?._tag !== "Literal" || first.braces || /[*?[]/.test(part.value)) return false
  if (shell.functions.has(part.value) || shell.machine.builtins.has(part.value)) return false
  return node.words.every(isPureWord) &&
    node.redirects.every((redirection) =>
      redirection._tag === "FileRedirect" && redirection.variable === undefined && isPureWord(redirection.target)
    )
}

/** Starts a stage. The errors of a plain one are the stage's, as if it had a process of its own. */
export const start = async (
  shell: Shell,
  node: Command,
  replaced: Replaced,
  body: (copy: Shell) => Later<number>,
): Promise<Pid | { readonly status: number }> => {
  if (!isPlain(shell, node)) return spawnShell(shell, body, shell.descriptors(replaced))
  const undo: Undo = []
  shell.at = node.span.start
  try {
    for (const [fd, real] of replaced) undo.push([fd, shell.point(fd, shell.system.dup(real))])
    await redirect(shell, node.redirects, undo)
    const words = await expandWords(shell, node.words)
    return spawnProgram(shell, words)
  } catch (error) {
    if (!(error instanceof ShellError) || error.exitCode === 254) throw error
    return { status: await tell(shell, error) }
  } finally {
    restore(shell, undo)
  }
}

/** Runs a pipeline of several commands; answers with its status. */
export const runPipeline = async (shell: Shell, node: Pipeline): Promise<number> => {
  const stages: Array<Pid | { readonly status: number }> = []
  const last = node.commands.length - 1
  let input: number | undefined
  let lastStatus: number | undefined
  try {
    for (const [index, stage] of node.commands.entries()) {
      const ends = index < last ? pipe(shell) : undefined
      const replaced: Array<readonly [number, number]> = []
      if (input !== undefined) replaced.push([0, input])
      if (ends !== undefined) replaced.push([1, ends[1]])
      if (ends !== undefined && node.pipes[index] === "|&") replaced.push([2, ends[1]])
      try {
        if (index === last && shell.on("lastpipe")) lastStatus = await inHere(shell, stage, replaced)
        else stages.push(await start(shell, stage, replaced, (copy) => copy.machine.stage(copy, stage)))
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
  const statuses: Array<number> = []
  for (const stage of stages) statuses.push(typeof stage === "number" ? await waitFor(shell, stage) : stage.status)
  if (lastStatus !== undefined) statuses.push(lastStatus)
  shell.pipeStatus = statuses
  return (shell.on("pipefail") ? statuses.findLast((status) => status !== 0) : statuses.at(-1)) ?? 0
}

/** The last stage, in the shell itself: `shopt -s lastpipe`. */
const inHere = async (shell: Shell, node: Command, replaced: Replaced): Promise<number> => {
  const undo: Undo = []
  for (const [fd, real] of replaced) undo.push([fd, shell.point(fd, shell.system.dup(real))])
  try {
    return await shell.machine.command(shell, node)
  } finally {
    restore(shell, undo)
  }
}

/** A process of the background is a job. */
const addJob = (shell: Shell, pid: Pid, { end, start }: Span): void => {
  shell.lastBackground = pid
  const text = shell.source.text.slice(start, end).trimEnd()
  shell.jobs.push({
    number: Math.max(0, ...shell.jobs.map((job) => job.number)) + 1,
    pid,
    text: (text.endsWith("&") ? text.slice(0, -1) : text).trimEnd(),
    exitCode: undefined,
  })
}

/** `coproc`: its output and its input are descriptors that only this shell has. */
export const runCoprocess = (shell: Shell, { body, name, span }: Coprocess): number => {
  reap(shell)
  const [output, outputEnd] = pipe(shell)
  const [inputEnd, input] = pipe(shell)
  const pid = spawnShell(
    shell,
    (copy) => copy.machine.stage(Object.assign(copy, { conditional: 0 }), body),
    shell.descriptors([[0, inputEnd], [1, outputEnd]]),
  )
  shell.system.close(outputEnd)
  shell.system.close(inputEnd)
  const numbers = [output, input].map((real) => {
    const fd = shell.freeDescriptor(60)
    shell.point(fd, real)
    shell.ownDescriptors.add(fd)
    return fd
  })
  const variable = shell.variables.need(name)
  variable.value = undefined
  variable.array = new IndexedArray(numbers.map(String))
  shell.variables.set(`${name}_PID`, String(pid))
  addJob(shell, pid, span)
  return shell.status = 0
}

/** `… &`: its standard input is empty unless it says otherwise. */
export const runBackground = async (
  shell: Shell,
  node: AndOr,
  body: (copy: Shell) => Later<number>,
): Promise<number> => {
  reap(shell)
  const [read, write] = pipe(shell)
  shell.system.close(write)
  const [pipeline] = node.pipelines
  const [only] = pipeline?.commands ?? []
  const alone = node.pipelines.length === 1 && pipeline?.commands.length === 1 && !pipeline.negated &&
    pipeline.time === undefined
  try {
    const started = only !== undefined && alone
      ? await start(
        shell,
        only,
        [[0, read]],
        (copy) => copy.machine.stage(Object.assign(copy, { conditional: 0 }), only),
      )
      : spawnShell(shell, (copy) => body(Object.assign(copy, { conditional: 0 })), shell.descriptors([[0, read]]))
    const pid = typeof started === "number" ? started : spawnShell(shell, () => started.status)
    addJob(shell, pid, node.span)
  } finally {
    shell.system.close(read)
  }
  return shell.status = 0
}
