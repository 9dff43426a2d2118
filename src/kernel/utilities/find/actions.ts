/** Parses the actions of `find`: `-print`, `-printf`, `-delete`, `-exec` and others. Source: find(1). */
import { FileType } from "../../Stat.ts"
import { maxFormatLength } from "../../strftime.ts"
import { Output } from "../shared/Output.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { WalkEntry } from "../shared/walk.ts"
import { dirName } from "../shared/paths.ts"
import { runProgram } from "../shared/spawn.ts"
import type { ExpressionState, Predicate, Primary } from "./Expression.ts"
import { formatListing, makeFormatter } from "./formatEntry.ts"

/** Maximum length of the arguments of one command, in characters. */
const maxBatchLength = 128_000

/** The output of an action: stdout, or the file after its name if the name begins with `-f`. */
const outputOf = ({ finishers, io, takeArgument }: ExpressionState, name: string): Output => {
  if (!name.startsWith("-f")) return io.out
  const fd = io.openOutput(takeArgument(name))
  if (fd < 0) return io.exit(1)
  const output = new Output(io.system, fd)
  finishers.push(async () => await output.flush())
  return output
}

/** Prints a text of each entry. */
const print = (textOf: (entry: WalkEntry, io: UtilityIo) => string): Primary => (state, name) => {
  const output = outputOf(state, name)
  return async (entry) => {
    output.putText(textOf(entry, state.io))
    if (output.isFull) await output.flush()
    return true
  }
}

const printFormatted: Primary = (state, name) => {
  const output = outputOf(state, name)
  const text = state.takeArgument(name)
  if (text.length > maxFormatLength) return state.io.fail(`the format is longer than ${maxFormatLength} characters`)
  const format = makeFormatter(state.io, text)
  return async (entry) => {
    output.putText(format(entry))
    if (output.isFull) await output.flush()
    return true
  }
}

const remove: Primary = (state) => {
  state.depthFirst = true
  const { system } = state.io
  return ({ path, stat }) => {
    if (path === ".") return true
    const result = stat.type === FileType.directory ? system.removeDirectory(path) : system.unlink(path)
    if (result < 0) state.io.warn(`cannot delete ‘${path}’`, result)
    return result >= 0
  }
}

const execute: Primary = (state, name) => {
  const { io } = state
  const words: Array<string> = []
  for (let word = state.takeArgument(name); word !== ";"; word = state.takeArgument(name)) {
    if (word === "+" && words.at(-1) === "{}") return executeBatches(state, words.slice(0, -1))
    words.push(word)
  }
  if (words.length === 0) return io.fail(`missing argument to \`${name}'`)
  return async (entry) => {
    const path = name === "-execdir" ? `./${entry.name}` : entry.path
    const cwd = name === "-execdir" ? dirName(entry.path) : undefined
    const command = words.map((word) => word.replaceAll("{}", path))
    return await runProgram(io, command, { cwd, startFailedExitCode: 1 }) === 0
  }
}

/** `-exec … +`: collects paths, and runs the command with many of them at once. */
const executeBatches = ({ finishers, io }: ExpressionState, words: ReadonlyArray<string>): Predicate => {
  let paths: Array<string> = []
  let length = 0
  const run = async (): Promise<void> => {
    if (paths.length === 0) return
    const batch = paths
    paths = []
    length = 0
    if (await runProgram(io, [...words, ...batch], { startFailedExitCode: 1 }) !== 0) io.exitCode = 1
  }
  finishers.push(run)
  return async ({ path }) => {
    paths.push(path)
    length += path.length + 1
    if (length > maxBatchLength) await run()
    return true
  }
}

const prune: Primary = () => (entry) => {
  entry.prune = true
  return true
}

export const actions: Readonly<Record<string, Primary>> = {
  "-delete": remove,
  "-exec": execute,
  "-execdir": execute,
  "-fls": print(formatListing),
  "-fprint": print(({ path }) => `${path}\n`),
  "-fprint0": print(({ path }) => `${path}\0`),
  "-fprintf": printFormatted,
  "-ls": print(formatListing),
  "-print": print(({ path }) => `${path}\n`),
  "-print0": print(({ path }) => `${path}\0`),
  "-printf": printFormatted,
  "-prune": prune,
  "-quit": ({ io }) => () => io.exit(io.exitCode),
}
