/**
 * Executes simple commands: expands words, assigns, redirects, and runs a function, builtin or program.
 * Source: POSIX 2.9.1 "Simple Commands".
 */
import { type Assignment, declarations, plainText, type SimpleCommand } from "../../shell-language/ShellLanguage.ts"
import type { Later, Pid } from "../System.ts"
import { assign } from "./assign.ts"
import { expandText, expandWords } from "./expand/expandWords.ts"
import { applyInProcess } from "./applyInProcess.ts"
import { handleFailure, reportInPlace } from "./errorHandling.ts"
import { spawnProgram, waitForChild } from "./processes.ts"
import {
  applyRedirections,
  changesStdin,
  closeProcessSubstitutions,
  keepRedirections,
  restoreDescriptors,
  type SavedDescriptors,
} from "./redirections.ts"
import type { ShellFunction } from "./Call.ts"
import { PositionalParameters } from "./PositionalParameters.ts"
import type { Interpreter, Shell } from "./Shell.ts"
import { countCommand } from "./countCommand.ts"
import { ShellError } from "./ShellError.ts"
import type { Variable } from "./Variable.ts"
import { quoteTraced, trace } from "./trace.ts"
import { beginCommand, runPending, runReturnTrap, runTrap } from "./traps.ts"

const noArrays: ReadonlyMap<number, Assignment> = new Map()

/** The expanded words of a command; arguments of a declaration that assign a whole array are kept by index. */
interface Words {
  readonly words: ReadonlyArray<string>
  readonly arrays: ReadonlyMap<number, Assignment>
}

/** Whether a command is a declaration, possibly after `command` and `builtin`. */
const isDeclaration = (node: SimpleCommand): boolean => {
  for (const word of node.words) {
    const name = plainText(word)
    if (name !== "command" && name !== "builtin") return name !== undefined && declarations.has(name)
  }
  return false
}

const expandCommand = (shell: Shell, node: SimpleCommand): Later<Words> => {
  if (!node.words.some((word) => word.assignment !== undefined) || !isDeclaration(node)) {
    const words = expandWords(shell, node.words)
    return words instanceof Promise
      ? words.then((list) => ({ words: list, arrays: noArrays }))
      : { words, arrays: noArrays }
  }
  return expandDeclaration(shell, node)
}

const expandDeclaration = async (shell: Shell, node: SimpleCommand): Promise<Words> => {
  const words: Array<string> = []
  const arrays = new Map<number, Assignment>()
  for (const word of node.words) {
    const assignment = word.assignment
    if (assignment === undefined) { for (const expanded of await expandWords(shell, [word])) words.push(expanded) }
    else if (assignment.value._tag === "ArrayLiteral") {
      arrays.set(words.length, assignment)
      words.push(assignment.name)
    } else {
      const [target] = word.parts
      const text = target?._tag === "Literal" ? target.value : ""
      words.push(text + await expandText(shell, assignment.value))
    }
  }
  return { words, arrays }
}

/** The position for the line of a command: bash's parser notes the line after two tokens. */
const lineOf = ({ assignments, redirects, words }: SimpleCommand): number => {
  if (assignments.length + redirects.length === 0) return (words[1] ?? words[0])?.span.end ?? 0
  const ends = [
    ...assignments.slice(0, 2).map(({ span }) => span.end),
    ...words.slice(0, 2).map(({ span }) => span.end),
    ...redirects.slice(0, 2).map(({ span }) => span.start),
  ].sort((a, b) => a - b)
  return ends[1] ?? ends[0] ?? 0
}

/** Runs a simple command. If it is the only one of its process, its parent handles the failure. */
export const runSimple = async (shell: Shell, node: SimpleCommand, isStage = false): Promise<number> => {
  const trapped = beginCommand(shell, node.span, lineOf(node))
  if (trapped !== undefined) await trapped
  const connections = shell.substitutionDescriptors.length
  try {
    countCommand(shell)
    const running = runExpanded(shell, node, isStage && shell.ownsStdin)
    const status = typeof running === "number" ? running : await running
    shell.status = status
    if (shell.pendingSignals.length > 0 && !shell.isRunningTrap) await runPending(shell)
    return status === 0 || isStage ? status : await handleFailure(shell, status)
  } catch (thrown) {
    shell.status = await reportInPlace(shell, thrown)
    return isStage ? shell.status : await handleFailure(shell, shell.status)
  } finally {
    closeProcessSubstitutions(shell, connections)
  }
}

const runExpanded = (shell: Shell, node: SimpleCommand, isPiped: boolean): Later<number> => {
  shell.substitutionStatus = undefined
  const expansion = expandCommand(shell, node)
  return expansion instanceof Promise
    ? expansion.then((words) => runWords(shell, node, words, isPiped))
    : runWords(shell, node, expansion, isPiped)
}

const runWords = (shell: Shell, node: SimpleCommand, expanded: Words, isPiped: boolean): Later<number> => {
  const [name] = expanded.words
  return name === undefined ? runAssignments(shell, node) : runNamed(shell, node, name, expanded, isPiped)
}

const runNamed = async (
  shell: Shell,
  node: SimpleCommand,
  name: string,
  { arrays, words }: Words,
  isPiped: boolean,
): Promise<number> => {
  const isTraced = shell.hasOption("xtrace") && node.assignments.length === 0
  if (isTraced && arrays.size === 0) await traceWords(shell, words)
  const last = words.at(-1) ?? ""
  const undo: SavedDescriptors = []
  const ownedStdin = shell.ownsStdin
  const called = shell.functions.get(name)
  const builtin = shell.interpreter.builtins.get(name)
  const stays = name === "exec" && builtin !== undefined && called === undefined
  let child: Pid | undefined
  try {
    if (node.redirects.length > 0) {
      const isProgram = called === undefined && !isBuiltin(shell, words)
      await (isProgram ? applyInProcess : applyRedirections)(shell, node.redirects, undo)
    }
    shell.ownsStdin = isPiped || changesStdin(undo)
    const run = (): Later<number> => {
      if (called !== undefined) return callFunction(shell, called, words)
      if (builtin !== undefined) return builtin(shell, words, arrays)
      child = spawnProgram(shell, words)
      return 0
    }
    const running = node.assignments.length === 0 ? run() : withAssignments(shell, node, words, run)
    const status = typeof running === "number" ? running : await running
    // The arrays of a declaration are assigned, and shown, first.
    if (isTraced && arrays.size > 0) await traceWords(shell, words)
    if (child === undefined) return status
  } catch (error) {
    return await reportInPlace(shell, error)
  } finally {
    if (stays) keepRedirections(shell, undo)
    else restoreDescriptors(shell, undo)
    shell.ownsStdin = ownedStdin
    shell.lastArgument = last
  }
  // Its redirections are undone: the signal that ends a program is reported on the shell's own stderr.
  return waitForChild(shell, child)
}

/** Whether a command is a builtin, `command` included unless a program follows it. */
const isBuiltin = ({ interpreter: { builtins } }: Shell, words: ReadonlyArray<string>): boolean => {
  const name = words.find((word) => word !== "command") ?? "command"
  return builtins.has(name) || name.startsWith("-")
}

const traceWords = (shell: Shell, words: ReadonlyArray<string>): Promise<void> =>
  trace(shell, words.map(quoteTraced).join(" "))

/** Runs `a=1 b=2` without a command; the status is that of the last substitution. */
const runAssignments = (shell: Shell, node: SimpleCommand): Later<number> => {
  const [only] = node.assignments
  if (node.assignments.length > 1 || only === undefined || node.redirects.length > 0) return assignAll(shell, node)
  const done = assign(shell, only)
  return done instanceof Promise ? done.then(() => shell.substitutionStatus ?? 0) : shell.substitutionStatus ?? 0
}

const assignAll = async (shell: Shell, node: SimpleCommand): Promise<number> => {
  const undo: SavedDescriptors = []
  try {
    if (node.redirects.length > 0) await applyRedirections(shell, node.redirects, undo)
    for (const assignment of node.assignments) await assign(shell, assignment)
    return shell.substitutionStatus ?? 0
  } catch (error) {
    return await reportInPlace(shell, error)
  } finally {
    restoreDescriptors(shell, undo)
  }
}

/** Creates the variable of one command. `a+=1 command` appends to the previous value. */
const makeTemporary = ({ variables }: Shell, { append, name }: Assignment): Variable => {
  const before = append ? variables.get(name) : undefined
  const variable = variables.local(name, true)
  variable.value = before
  variable.exported = true
  return variable
}

/** Runs `a=1 command` with variables that exist for the command and are exported to it. */
const withAssignments = async (
  shell: Shell,
  node: SimpleCommand,
  words: ReadonlyArray<string>,
  run: () => Later<number>,
): Promise<number> => {
  shell.variables.enter(true)
  try {
    for (const assignment of node.assignments) {
      try {
        shell.variables.isExpandingPrefix = true
        await assign(shell, assignment, { isTable: false, make: () => makeTemporary(shell, assignment) })
      } catch (error) {
        if (!(error instanceof ShellError) || !error.message.endsWith("readonly variable")) throw error
        await shell.reportError(error.message)
      } finally {
        shell.variables.isExpandingPrefix = false
      }
    }
    if (shell.hasOption("xtrace")) await traceWords(shell, words)
    return await run()
  } finally {
    shell.variables.leave()
  }
}

const runProgram = (shell: Shell, words: ReadonlyArray<string>): Promise<number> =>
  waitForChild(shell, spawnProgram(shell, words))

export const invoke: Interpreter["invoke"] = async (shell, words, as) => {
  const name = words[0] ?? ""
  const called = as.functions ? shell.functions.get(name) : undefined
  if (called !== undefined) return callFunction(shell, called, words)
  const builtin = as.builtins ? shell.interpreter.builtins.get(name) : undefined
  if (builtin !== undefined) return await builtin(shell, words, noArrays)
  return as.programs ? runProgram(shell, words) : shell.reportError(`${name}: not a shell builtin`)
}

/** Traps that a function does not inherit from its caller. */
const functionTraps = ["DEBUG", "RETURN"]

const callFunction = async (shell: Shell, called: ShellFunction, words: ReadonlyArray<string>): Promise<number> => {
  const limit = Number(shell.variables.get("FUNCNEST") ?? 0)
  if (shell.functionDepth >= (limit > 0 ? Math.min(limit, shell.limits.maxDepth) : shell.limits.maxDepth)) {
    throw new ShellError(`${called.name}: maximum function nesting level exceeded (${shell.limits.maxDepth})`, "line")
  }
  // The host's stack does not grow with the nesting of functions.
  await Promise.resolve(shell.system.yield())
  const { position: at, loopDepth, positional, source } = shell
  const outer = shell.enterCall("function", called.name, called.source.name, shell.line)
  shell.positional = new PositionalParameters(words.slice(1))
  shell.source = called.source
  shell.loopDepth = 0
  shell.variables.enter()
  const traps = shell.hasOption("functrace") ? [] : functionTraps.map((name) => [name, shell.traps.get(name)] as const)
  for (const [name] of traps) shell.traps.delete(name)
  try {
    // With `functrace`, the DEBUG trap also runs before the first command of the function.
    if (shell.traps.has("DEBUG")) await runTrap(shell, "DEBUG")
    const status = await shell.interpreter.command(shell, called.body)
    if (shell.pendingJump?.kind === "return") {
      shell.pendingJump = undefined
      return await runReturnTrap(shell, shell.status)
    }
    return await runReturnTrap(shell, shell.pendingJump === undefined ? status : shell.status)
  } catch (thrown) {
    // Reported here, the error names a line of the function.
    return await reportInPlace(shell, thrown)
  } finally {
    for (const [name, trap] of traps) if (trap !== undefined && !shell.traps.has(name)) shell.traps.set(name, trap)
    shell.variables.leave()
    if (shell.call?.options !== undefined) shell.options = new Set(shell.call.options)
    shell.call = outer
    shell.positional = positional
    shell.source = source
    shell.position = at
    shell.loopDepth = loopDepth
  }
}
