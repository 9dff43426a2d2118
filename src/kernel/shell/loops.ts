/** Executes the loops of a script: `while`, `until`, `for` and `select`. */
import type { For, ForArithmetic, List, Select, Span, While } from "../../shell-language/SyntaxTree.ts"
import { expandArithmetic, expandWords } from "./expand/expandWords.ts"
import { reportErrorsAs, runAsCondition } from "./errorHandling.ts"
import { readLine } from "./readLine.ts"
import type { Shell } from "./Shell.ts"
import { ShellError } from "./ShellError.ts"
import { sourceText, trace } from "./trace.ts"
import { beginCommand, runPending } from "./traps.ts"

/** Runs a loop, to which `break` and `continue` within it apply. */
export const runLoop = async (shell: Shell, run: () => Promise<number>): Promise<number> => {
  const outer = shell.iterations
  shell.iterations = 0
  shell.loopDepth++
  try {
    return shell.pendingJump === undefined ? shell.status = await run() : shell.status
  } finally {
    shell.loopDepth--
    shell.iterations = outer
  }
}

/** Whether a jump ends the loop; consumes a jump that ends here. */
const takesJump = (shell: Shell): boolean => {
  const jump = shell.pendingJump
  if (jump === undefined) return false
  if (jump.kind !== "break" && jump.kind !== "continue") return true
  shell.pendingJump = jump.count > 1 ? { kind: jump.kind, count: jump.count - 1 } : undefined
  return jump.kind === "break" || jump.count > 1
}

/** Runs the body of a loop once; returns whether the loop continues. */
const runBody = async (shell: Shell, body: List): Promise<boolean> => {
  const { maxIterations } = shell.limits
  if (++shell.iterations > maxIterations) {
    throw new ShellError(`loop: more than ${maxIterations} iterations`, "shell", 126)
  }
  await shell.interpreter.list(shell, body.statements)
  if (takesJump(shell)) return false
  if (shell.pendingSignals.length > 0 && !shell.isRunningTrap) {
    await runPending(shell)
    if (takesJump(shell)) return false
  }
  // A loop without system calls would otherwise block other processes and signals.
  const breath = shell.system.yield()
  if (breath !== undefined) await breath
  return true
}

export const runWhile = async (shell: Shell, node: While): Promise<number> => {
  let status = 0
  for (;;) {
    const held = await runAsCondition(shell, () => shell.interpreter.list(shell, node.condition.statements))
    if (takesJump(shell)) return shell.status
    if ((held === 0) === node.until) return status
    const goesOn = await runBody(shell, node.body)
    status = shell.status
    if (!goesOn) return status
  }
}

const headOf = ({ span, words }: For | Select): Span => ({
  start: span.start,
  end: words?.at(-1)?.span.end ?? span.start,
})

export const runFor = async (shell: Shell, node: For): Promise<number> => {
  shell.position = node.span.start
  const words = node.words === undefined ? shell.positional.words : await expandWords(shell, node.words)
  const head = headOf(node)
  let status = 0
  for (const word of words) {
    const trapped = beginCommand(shell, head)
    if (trapped !== undefined) await trapped
    if (shell.hasOption("xtrace")) await trace(shell, sourceText(shell, head))
    try {
      const variable = shell.variables.find(node.name, false)
      // A name reference refers to one word after another.
      if (variable?.reference === true && !variable.readonly) variable.value = word
      else shell.variables.set(node.name, word)
    } catch (error) {
      if (!(error instanceof ShellError)) throw error
      return shell.reportError(error.message)
    }
    const goesOn = await runBody(shell, node.body)
    status = shell.status
    if (!goesOn) break
  }
  return status
}

export const runForArithmetic = async (shell: Shell, node: ForArithmetic): Promise<number> => {
  shell.position = node.span.start
  let failed = false
  const value = async (text: ForArithmetic["first"]): Promise<bigint> => {
    if (text === undefined) return 1n
    const trapped = beginCommand(shell, text.span)
    if (trapped !== undefined) await trapped
    if (shell.hasOption("xtrace")) await trace(shell, `(( ${sourceText(shell, text.span).trimStart()} ))`)
    let found = 0n
    const status = await reportErrorsAs(shell, "((", async () => {
      found = await expandArithmetic(shell, text)
      return 0
    })
    failed = status !== 0
    return found
  }
  await value(node.first)
  let status = failed ? 1 : 0
  while (!failed && (await value(node.condition)) !== 0n) {
    const goesOn = await runBody(shell, node.body)
    status = shell.status
    if (!goesOn) return status
    await value(node.after)
  }
  return failed ? 1 : status
}

export const runSelect = async (shell: Shell, node: Select): Promise<number> => {
  await beginCommand(shell, headOf(node))
  const words = node.words === undefined ? shell.positional.words : await expandWords(shell, node.words)
  if (shell.hasOption("xtrace")) {
    const head = sourceText(shell, headOf(node))
    await trace(shell, node.words === undefined ? `select ${node.name} in "$@"` : head)
  }
  if (words.length === 0) return 0
  const width = String(words.length).length
  const menu = words.map((word, index) => `${String(index + 1).padStart(width)}) ${word}\n`).join("")
  let status = 0
  for (let shows = true;;) {
    await shell.print((shows ? menu : "") + (shell.variables.get("PS3") ?? "#? "), 2)
    const line = await readLine(shell, 0)
    if (line === undefined) {
      await shell.print("\n")
      return 1
    }
    shows = line.trim() === ""
    if (shows) continue
    shell.variables.set("REPLY", line)
    shell.variables.set(node.name, words[Number(line.trim()) - 1] ?? "")
    const goesOn = await runBody(shell, node.body)
    status = shell.status
    if (!goesOn) return status
  }
}
