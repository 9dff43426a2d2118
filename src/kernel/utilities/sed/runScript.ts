/** Runs a parsed `sed` script over the lines of the edited files. */
import { binaryToText, textToBinary } from "../../binaryString.ts"
import { runWaiting } from "../../Coroutine.ts"
import type { Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { Replaced } from "../shared/replaceMatches.ts"
import type { EditedFiles } from "./EditedFiles.ts"
import { formatUnambiguous } from "./formatUnambiguous.ts"
import { appliesToLine, type CurrentLine } from "./appliesToLine.ts"
import type { Action, Command, Script, Substitution } from "./Script.ts"
import { ScriptFiles } from "./ScriptFiles.ts"
import { maxSpaceLength, substitute } from "./substitute.ts"

/** The end of a cycle; only `end` and `quit` print the pattern space. */
type CycleEnd = "end" | "restart" | "delete" | "quit" | "quitSilently"

/** Bytes that `y` translates between two yields. */
const translatedAtOnce = 16_384

export interface ScriptRunOptions {
  /** Whether the pattern space is not printed at the end of a cycle. */
  readonly quiet: boolean
  readonly utf8: boolean
}

/** Runs a script over all lines of the edited files; returns the exit code that `q` or `Q` sets. */
export const runScript = async (
  io: UtilityIo,
  script: Script,
  lines: EditedFiles,
  { quiet, utf8 }: ScriptRunOptions,
): Promise<number> => {
  const terminator = io.has("z") ? "\0" : "\n"
  const scriptFiles = new ScriptFiles(io, script)
  let space = ""
  let hold = ""
  /** Whether the line in each space had a newline: the last one of the input may have none, and is printed without. */
  let isSpaceTerminated = true
  let isHoldTerminated = true
  let lineNumber = 0
  let hasReplaced = false
  let lastPattern: Regex | undefined
  /** Output that waits for the end of the cycle: the commands `a`, `r` and `R`. */
  const appends: Array<() => Promise<void>> = []
  /** Whether the last line was printed without its newline, as the input ended without one. */
  let lacksNewline = false
  let lastExitCode = 0
  const current: CurrentLine = {
    line: () => lineNumber,
    isLast: () => lines.isLast(),
    test: (pattern) => patternOf(pattern).test(io.system, space),
  }
  /** The commands that are only a letter and perhaps a number. A result ends the cycle. */
  const simple: Readonly<Record<string, (value?: number) => Later<CycleEnd | void>>> = {
    "=": () => put(lineNumber + terminator),
    d: () => "delete",
    D: () => deleteFirstLine(),
    F: () => put(lines.name() + terminator),
    g: () => setSpace(hold, isHoldTerminated),
    G: () => setSpace(space + terminator + hold, isHoldTerminated),
    h: () => setHold(space, isSpaceTerminated),
    H: () => setHold(hold + terminator + space, isSpaceTerminated),
    l: (width = Number(io.value("l") ?? "70")) => putParts(formatUnambiguous(space, width, utf8, terminator)),
    n: () => readNext("n"),
    N: () => readNext("N"),
    p: () => putLine(space),
    P: () => space.includes(terminator) ? put(firstLine() + terminator) : putLine(space),
    q: (exitCode = 0) => quit("quit", exitCode),
    Q: (exitCode = 0) => quit("quitSilently", exitCode),
    x: () => {
      const [text, isTerminated] = [space, isSpaceTerminated]
      setSpace(hold, isHoldTerminated)
      setHold(text, isTerminated)
    },
    z: () => void (space = ""),
  }

  /** Starts anew, because the lines of another file follow. */
  lines.onSeparate = () => {
    lineNumber = 0
    setHold("", true)
    scriptFiles.rewind()
    // Each file that is edited in place is an output of its own.
    if (lines.inPlace !== undefined) lacksNewline = false
    for (const command of script.commands) {
      command.isOpen = command.hasStarted = command.from?._tag === "Line" && command.from.line === 0
    }
  }

  const setSpace = (text: string, isTerminated: boolean): void => {
    space = text
    isSpaceTerminated = isTerminated
  }

  const setHold = (text: string, isTerminated: boolean): void => {
    hold = text
    isHoldTerminated = isTerminated
  }

  const flushAndYield = (cost?: number): Later<void> => {
    const flushed = lines.flush()
    return flushed === undefined ? io.system.yield(cost) : flushed.then(() => io.system.yield(cost))
  }

  const patternOf = (pattern: Regex | undefined): Regex =>
    lastPattern = pattern ?? lastPattern ?? io.fail("no previous regular expression")

  const put = (text: string): void => {
    if (lacksNewline) lines.put(terminator)
    lacksNewline = false
    lines.put(text)
  }

  /** Writes a line with its newline, unless the input ended without one. */
  const putLine = (text: string): void => {
    put(text)
    if (isSpaceTerminated) lines.put(terminator)
    else lacksNewline = true
  }

  const putParts = async (parts: Iterable<string>): Promise<void> => {
    for (const part of parts) {
      put(part)
      await flushAndYield(Infinity)
    }
  }

  const runAppends = async (): Promise<void> => {
    for (const append of appends.splice(0)) await append()
  }

  function* runCycle(): Generator<Promise<CycleEnd | boolean | void>, CycleEnd, CycleEnd | boolean | void> {
    const { commands, labels } = script
    let steps = 0
    for (let at = 0; at < commands.length;) {
      const command = commands[at++]
      if (command === undefined) break
      // One step may read the whole pattern space.
      steps += 1 + space.length / 256
      if (steps >= 1_024) {
        steps = 0
        const turn = flushAndYield(Infinity)
        if (turn !== undefined) yield turn
      }
      const selected = appliesToLine(command, current)
      const isSelected = (typeof selected === "object" ? yield selected : selected) === true
      const { action } = command
      if (action._tag === "Block") {
        if (!isSelected) at = action.end
        continue
      }
      if (!isSelected) continue
      if (action._tag === "Jump") {
        if (action.letter === "b" || hasReplaced === (action.letter === "t")) {
          at = action.label === "" ? commands.length : labels.get(action.label) ?? commands.length
        }
        if (action.letter !== "b") hasReplaced = false
        continue
      }
      const executed = execute(command, action)
      const cycleEnd = typeof executed === "object" ? yield executed : executed
      if (typeof cycleEnd === "string") return cycleEnd
      if (space.length + hold.length > maxSpaceLength) io.fail("the pattern space is too large")
    }
    return "end"
  }

  const execute = (command: Command, action: Action): Later<CycleEnd | void> => {
    switch (action._tag) {
      case "Substitute":
        return runSubstitution(action)
      case "Translate":
        return translate(action.map)
      case "File":
        return useFile(action.letter, action.path)
      case "Simple":
        return simple[action.letter]?.(action.value)
      case "Text": {
        const { letter, text } = action
        if (letter === "a") appends.push(() => Promise.resolve(put(text)))
        else if (letter === "i" || command.to === undefined || command.negated || !command.isOpen) {
          put(text.replace(/\n$/, terminator))
        }
        return letter === "c" ? "delete" : undefined
      }
    }
  }

  const quit = (end: CycleEnd, exitCode: number): CycleEnd => {
    lastExitCode = exitCode
    return end
  }

  const deleteFirstLine = (): CycleEnd => {
    const newline = space.indexOf(terminator)
    if (newline < 0) return "delete"
    space = space.slice(newline + 1)
    return "restart"
  }

  const firstLine = (): string => space.split(terminator, 1)[0] ?? ""

  const readNext = async (letter: "n" | "N"): Promise<CycleEnd | void> => {
    // GNU prints the pattern space if there is no next line; POSIX does not.
    if (await lines.isLast()) return "end"
    if (letter === "n" && !quiet) putLine(space)
    await runAppends()
    const line = await lines.next() ?? ""
    setSpace(letter === "n" ? line : space + terminator + line, lines.terminated)
    hasReplaced = false
    lineNumber++
  }

  const useFile = async (letter: string, path: string): Promise<void> => {
    if (letter === "w") await write(path, space)
    else if (letter === "W") await write(path, firstLine())
    else if (letter === "R") {
      const line = await scriptFiles.nextLine(path)
      if (line !== undefined) appends.push(() => Promise.resolve(put(line)))
    } else {
      appends.push(() =>
        scriptFiles.forEachLine(path, (text, terminated) => {
          put(text)
          if (!terminated) lacksNewline = false
          return lines.flush()
        })
      )
    }
  }

  const write = async (path: string, line: string): Promise<void> => {
    const text = await scriptFiles.write(path, line, isSpaceTerminated ? terminator : "")
    if (text === undefined) return
    if (lines.inPlace === undefined) lines.put(text)
    else io.out.putBinary(text)
  }

  const runSubstitution = (action: Substitution): Later<void> => {
    const replaced = substitute(io, patternOf(action.pattern), space, action, utf8)
    return replaced instanceof Promise
      ? replaced.then((later) => keepReplaced(action, later))
      : keepReplaced(action, replaced)
  }

  const keepReplaced = ({ file, print }: Substitution, { count, text }: Replaced): Later<void> => {
    if (count === 0) return
    space = text
    hasReplaced = true
    if (print) putLine(text)
    if (file !== undefined) return write(file, text)
  }

  const translatePart = (part: string, map: Uint8Array | ReadonlyMap<string, string>): string => {
    if (map instanceof Uint8Array) {
      let translated = ""
      for (let at = 0; at < part.length; at++) {
        const code = part.charCodeAt(at)
        translated += String.fromCharCode(map[code] ?? code)
      }
      return translated
    }
    const translated = Array.from(utf8 ? binaryToText(part) : part, (letter) => map.get(letter) ?? letter).join("")
    return utf8 ? textToBinary(translated) : translated
  }

  const translate = (map: Uint8Array | ReadonlyMap<string, string>): Later<void> => {
    if (space.length > translatedAtOnce) return translateParts(map)
    space = translatePart(space, map)
  }

  const translateParts = async (map: Uint8Array | ReadonlyMap<string, string>): Promise<void> => {
    let translated = ""
    for (let from = 0; from < space.length;) {
      let to = from + translatedAtOnce
      // A character has at most three bytes after its first.
      for (let left = 3; utf8 && left > 0 && (space.charCodeAt(to) & 0xc0) === 0x80; left--) to++
      translated += translatePart(space.slice(from, to), map)
      from = to
      await flushAndYield(Infinity)
    }
    space = translated
  }

  let cycleEnd: CycleEnd | undefined
  while (cycleEnd !== "quit" && cycleEnd !== "quitSilently") {
    if (cycleEnd !== "restart") {
      let line = lines.next()
      if (typeof line === "object") line = await line
      if (line === undefined) break
      setSpace(line, lines.terminated)
      lineNumber++
      hasReplaced = false
    }
    const cycle = runWaiting(runCycle())
    cycleEnd = typeof cycle === "object" ? await cycle : cycle
    if (!quiet && (cycleEnd === "end" || cycleEnd === "quit")) putLine(space)
    if (appends.length > 0 && cycleEnd !== "quitSilently") await runAppends()
    if (cycleEnd === "quit" && lacksNewline) put("")
    const turn = flushAndYield()
    if (turn !== undefined) await turn
  }
  return lastExitCode
}
