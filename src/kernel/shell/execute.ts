/**
 * Executes a script's syntax tree. Jumps out of loops, functions and the shell are a field of the shell (`pendingJump`) that
 * every list checks, instead of exceptions, so that `break` is as cheap as any other command. Source: POSIX 2.9 "Shell
 * Commands".
 */
import type * as Tree from "../../shell-language/SyntaxTree.ts"
import type { Later } from "../System.ts"
import { evaluateCondition } from "./conditionalExpression.ts"
import { handleFailure, reportErrorsAs, reportInPlace, runAsCondition } from "./errorHandling.ts"
import { expandArithmetic, expandPattern, expandText } from "./expand/expandWords.ts"
import { runFor, runForArithmetic, runLoop, runSelect, runWhile } from "./loops.ts"
import { compilePattern } from "./expand/ShellPattern.ts"
import { runCoroutine } from "../Coroutine.ts"
import { runBackground, runCoprocess, runPipeline, soleCommand } from "./pipeline.ts"
import { spawnShell, waitForChild } from "./processes.ts"
import { applyInProcess } from "./applyInProcess.ts"
import {
  applyRedirections,
  closeProcessSubstitutions,
  restoreDescriptors,
  type SavedDescriptors,
} from "./redirections.ts"
import type { Shell } from "./Shell.ts"
import { runSimple } from "./simpleCommand.ts"
import { runTimed } from "./runTimed.ts"
import { sourceText, trace } from "./trace.ts"
import { beginCommand, noteCommand, runPending } from "./traps.ts"

/** Runs statements one after another; returns the status of the last. */
export const runList = async (shell: Shell, statements: ReadonlyArray<Tree.AndOr>): Promise<number> => {
  let status = 0
  for (const statement of statements) {
    // Builtins that make no system call would otherwise hold the event loop.
    const turn = shell.system.yield()
    if (turn !== undefined) await turn
    status = await runAndOr(shell, statement)
    if (shell.pendingSignals.length > 0 && !shell.isRunningTrap) await runPending(shell)
    if (shell.pendingJump !== undefined) return shell.status
  }
  return status
}

const executeList = (shell: Shell, node: Tree.List): Later<number> => {
  const [only] = node.statements
  return node.statements.length === 1 && only !== undefined ? runAndOr(shell, only) : runList(shell, node.statements)
}

const runAndOr = (shell: Shell, node: Tree.AndOr): Later<number> => {
  if (shell.hasOption("noexec")) return 0
  if (node.background) return runBackground(shell, node, (copy) => runForeground(copy, node))
  return runForeground(shell, node)
}

const runForeground = (shell: Shell, node: Tree.AndOr): Later<number> => {
  const [only] = node.pipelines
  return node.pipelines.length === 1 && only !== undefined ? runOnePipeline(shell, only) : runChain(shell, node)
}

/** Runs `a && b || c`; all but the last are conditions. */
const runChain = async (shell: Shell, node: Tree.AndOr): Promise<number> => {
  let status = 0
  for (const [index, pipeline] of node.pipelines.entries()) {
    const turn = shell.system.yield()
    if (turn !== undefined) await turn
    const operator = node.operators[index - 1]
    if ((operator === "&&" && status !== 0) || (operator === "||" && status === 0)) continue
    status = index === node.pipelines.length - 1
      ? await runOnePipeline(shell, pipeline)
      : await runAsCondition(shell, () => runOnePipeline(shell, pipeline))
    if (shell.pendingJump !== undefined) return shell.status
  }
  return status
}

const runOnePipeline = (shell: Shell, node: Tree.Pipeline): Later<number> => {
  const only = soleCommand(node)
  return only === undefined ? runPrefixed(shell, node) : runAlone(shell, only)
}

const runAlone = (shell: Shell, node: Tree.Command): Later<number> => {
  const status = executeCommand(shell, node)
  if (!isPipelineLike(node)) return status
  const keep = (code: number): number => {
    shell.pipeStatus = [code]
    return code
  }
  return typeof status === "number" ? keep(status) : status.then(keep)
}

/** Whether a command sets `PIPESTATUS`; most compound commands keep that of their last command. */
const isPipelineLike = (node: Tree.Command): boolean =>
  node._tag === "SimpleCommand" || node._tag === "Subshell" || node._tag === "Conditional" ||
  node._tag === "ArithmeticCommand"

/** Runs a pipeline with `!` or `time`, or of several commands. */
const runPrefixed = async (shell: Shell, node: Tree.Pipeline): Promise<number> => {
  const [only] = node.commands
  const run = (): Later<number> =>
    only === undefined ? 0 : node.commands.length === 1 ? runAlone(shell, only) : runPipeline(shell, node)
  shell.position = node.span.start
  const inTime = () => node.time === undefined ? run() : runTimed(shell, node.time === "posix", run)
  if (node.negated) {
    const status = await runAsCondition(shell, inTime)
    return shell.status = shell.pendingJump !== undefined ? shell.status : status === 0 ? 1 : 0
  }
  const status = await inTime()
  shell.status = status
  return node.commands.length > 1 ? handleFailure(shell, status) : status
}

export const executeCommand = (shell: Shell, node: Tree.Command): Later<number> => {
  if (node._tag === "SimpleCommand") return runSimple(shell, node)
  if (node._tag === "FunctionDefinition") {
    shell.functions.set(node.name, { name: node.name, body: node.body, source: shell.source })
    return shell.status = 0
  }
  if (node._tag === "Coprocess") return runCoprocess(shell, node)
  return node.redirects.length === 0 ? executeCompound(shell, node) : executeRedirected(shell, node, node.redirects)
}

/** Runs a command in a process that exists for it alone, so that `( … )` needs no second subshell. */
export const executeStage = (shell: Shell, node: Tree.Command): Later<number> => {
  if (node._tag === "SimpleCommand") return runSimple(shell, node, true)
  if (node._tag !== "Subshell") return executeCommand(shell, node)
  const run = (): Promise<number> => runList(shell, node.body.statements)
  return node.redirects.length === 0 ? run() : executeRedirected(shell, node, node.redirects, run)
}

const executeRedirected = async (
  shell: Shell,
  node: Tree.CompoundCommand,
  redirects: ReadonlyArray<Tree.Redirect>,
  run: () => Promise<number> = () => executeCompound(shell, node),
): Promise<number> => {
  const undo: SavedDescriptors = []
  const connections = shell.substitutionDescriptors.length
  try {
    shell.position = node.span.start
    if (node._tag === "Subshell") await applyInProcess(shell, redirects, undo)
    else await applyRedirections(shell, redirects, undo)
  } catch (error) {
    try {
      shell.status = await reportInPlace(shell, error)
    } finally {
      restoreDescriptors(shell, undo)
    }
    return handleFailure(shell, shell.status)
  }
  try {
    return await run()
  } catch (error) {
    return await reportInPlace(shell, error)
  } finally {
    restoreDescriptors(shell, undo)
    closeProcessSubstitutions(shell, connections)
  }
}

const executeCompound = async (shell: Shell, node: Tree.CompoundCommand): Promise<number> => {
  switch (node._tag) {
    case "Group":
      return await executeList(shell, node.body)
    case "Subshell": {
      shell.position = node.span.start
      const pid = spawnShell(shell, (copy) => runList(copy, node.body.statements))
      const status = await waitForChild(shell, pid)
      const before = shell.command
      noteCommand(shell, node.span)
      shell.status = await handleFailure(shell, shell.status = status)
      shell.command = before
      return shell.status
    }
    case "If":
      return runIf(shell, node)
    case "While":
      return runLoop(shell, () => runWhile(shell, node))
    case "For":
      return runLoop(shell, () => runFor(shell, node))
    case "ForArithmetic":
      return runLoop(shell, () => runForArithmetic(shell, node))
    case "Select":
      return runLoop(shell, () => runSelect(shell, node))
    case "Case":
      return runCase(shell, node)
    case "Conditional":
      await beginCommand(shell, node.span)
      shell.status = await reportErrorsAs(
        shell,
        "[[",
        async () => await evaluateCondition(shell, node.expression) ? 0 : 1,
      )
      return handleFailure(shell, shell.status)
    case "ArithmeticCommand":
      await beginCommand(shell, node.span)
      if (shell.hasOption("xtrace")) await trace(shell, () => `(( ${sourceText(shell, node.text.span)} ))`)
      shell.status = await reportErrorsAs(
        shell,
        "((",
        async () => (await expandArithmetic(shell, node.text)) === 0n ? 1 : 0,
      )
      return handleFailure(shell, shell.status)
  }
}

const runIf = async (shell: Shell, node: Tree.If): Promise<number> => {
  for (const branch of node.branches) {
    const status = await runAsCondition(shell, () => executeList(shell, branch.condition))
    if (shell.pendingJump !== undefined) return shell.status
    if (status === 0) return executeList(shell, branch.body)
  }
  return node.otherwise === undefined ? (shell.status = 0) : executeList(shell, node.otherwise)
}

const runCase = async (shell: Shell, node: Tree.Case): Promise<number> => {
  await beginCommand(shell, { start: node.span.start, end: node.word.span.end })
  if (shell.hasOption("xtrace")) await trace(shell, () => `case ${sourceText(shell, node.word.span)} in`)
  const subject = await expandText(shell, node.word)
  const options = { ignoreCase: shell.hasOption("nocasematch") }
  const matches = async (patterns: Tree.Case["clauses"][number]["patterns"]): Promise<boolean> => {
    for (const pattern of patterns) {
      const matcher = compilePattern(await expandPattern(shell, pattern), options)
      if (await runCoroutine(shell.system, matcher.matches(subject))) return true
    }
    return false
  }
  let status = 0
  let falls = false
  for (const clause of node.clauses) {
    if (!falls && !(await matches(clause.patterns))) continue
    status = clause.body.statements.length === 0 ? 0 : await executeList(shell, clause.body)
    if (shell.pendingJump !== undefined) return shell.status
    if (clause.terminator === ";;") return shell.status = status
    falls = clause.terminator === ";&"
  }
  return shell.status = status
}
