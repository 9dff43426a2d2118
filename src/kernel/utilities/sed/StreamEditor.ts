/**
 * Runs a parsed script of `sed` over lines: the cycle, the pattern space and the hold space.
 *
 * @module
 */
import { binaryToText, textToBinary } from "../../binaryString.ts"
import type { Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/defineUtility.ts"
import type { EditedFiles } from "./EditedFiles.ts"
import { formatUnambiguous } from "./formatUnambiguous.ts"
import { applies, type CurrentLine } from "./LineSelector.ts"
import type { Action, Command, Script, Substitution } from "./Script.ts"
import { ScriptFiles } from "./ScriptFiles.ts"
import { maxSpaceLength, substitute } from "./substitute.ts"

/** The end of a cycle; only `end` and `quit` print the pattern space. */
type CycleEnd = "end" | "restart" | "delete" | "quit" | "quitSilently"

/** A running script. */
export class StreamEditor {
  readonly #io: UtilityIo
  readonly #script: Script
  readonly #lines: EditedFiles
  readonly #quiet: boolean
  readonly #utf8: boolean
  readonly #terminator: string
  readonly #current: CurrentLine
  readonly #scriptFiles: ScriptFiles
  #space = ""
  #hold = ""
  #line = 0
  #hasReplaced = false
  #lastPattern: Regex | undefined
  /** Output that waits for the end of the cycle: the commands `a`, `r` and `R`. */
  #appends: Array<() => Promise<void>> = []
  /** Whether the last line was printed without its newline, as the input ended without one. */
  #lacksNewline = false
  exitCode = 0
  /** The commands that are only a letter and perhaps a number. A result ends the cycle. */
  readonly #simple: Readonly<Record<string, (value?: number) => Later<CycleEnd | void>>> = {
    "=": () => this.#put(`${this.#line}\n`),
    d: () => "delete",
    D: () => this.#deleteFirstLine(),
    F: () => this.#put(`${this.#lines.name()}\n`),
    g: () => void (this.#space = this.#hold),
    G: () => void (this.#space += `\n${this.#hold}`),
    h: () => void (this.#hold = this.#space),
    H: () => void (this.#hold += `\n${this.#space}`),
    l: (width = Number(this.#io.value("l") ?? "70")) => this.#put(formatUnambiguous(this.#space, width, this.#utf8)),
    n: () => this.#readNext("n"),
    N: () => this.#readNext("N"),
    p: () => this.#putLine(this.#space),
    P: () => this.#put(`${this.#firstLine()}\n`),
    q: (exitCode = 0) => this.#quit("quit", exitCode),
    Q: (exitCode = 0) => this.#quit("quitSilently", exitCode),
    x: () => void ([this.#space, this.#hold] = [this.#hold, this.#space]),
    z: () => void (this.#space = ""),
  }

  constructor(
    io: UtilityIo,
    script: Script,
    lines: EditedFiles,
    options: { readonly quiet: boolean; readonly utf8: boolean },
  ) {
    this.#io = io
    this.#script = script
    this.#lines = lines
    this.#quiet = options.quiet
    this.#utf8 = options.utf8
    this.#terminator = io.has("z") ? "\0" : "\n"
    this.#scriptFiles = new ScriptFiles(io, script)
    this.#current = {
      line: () => this.#line,
      isLast: lines.isLast.bind(lines),
      test: (pattern) => this.#patternOf(pattern).test(io.system, this.#space),
    }
  }

  /** Starts to count lines anew: the lines of another file follow. */
  restartLines(): void {
    this.#line = 0
    for (const command of this.#script.commands) {
      command.isOpen = command.hasStarted = command.from?._tag === "Line" && command.from.line === 0
    }
  }

  /** Runs the script over all lines. */
  async run(): Promise<void> {
    let cycleEnd: CycleEnd | undefined
    for (;;) {
      if (cycleEnd !== "restart") {
        let line = this.#lines.next()
        if (typeof line === "object") line = await line
        if (line === undefined) return
        this.#space = line
        this.#line++
      }
      this.#hasReplaced = false
      cycleEnd = await this.#runCycle()
      if (!this.#quiet && (cycleEnd === "end" || cycleEnd === "quit")) this.#putLine(this.#space)
      if (this.#appends.length > 0) await this.#runAppends()
      await this.#flushAndYield()
      if (cycleEnd === "quit" || cycleEnd === "quitSilently") return
    }
  }

  async #flushAndYield(cost?: number): Promise<void> {
    const flushed = this.#lines.flush()
    if (flushed !== undefined) await flushed
    const turn = this.#io.system.yield(cost)
    if (turn !== undefined) await turn
  }

  #patternOf(pattern: Regex | undefined): Regex {
    return this.#lastPattern = pattern ?? this.#lastPattern ?? this.#io.fail("no previous regular expression")
  }

  #put(text: string): void {
    if (this.#lacksNewline) this.#lines.put(this.#terminator)
    this.#lacksNewline = false
    this.#lines.put(text)
  }

  /** Writes a line with its newline, unless the input ended without one. */
  #putLine(text: string): void {
    this.#put(text)
    if (this.#lines.terminated) this.#lines.put(this.#terminator)
    else this.#lacksNewline = true
  }

  async #runAppends(): Promise<void> {
    const appends = this.#appends
    this.#appends = []
    for (const append of appends) await append()
  }

  async #runCycle(): Promise<CycleEnd> {
    const { commands, labels } = this.#script
    let steps = 0
    for (let at = 0; at < commands.length;) {
      const command = commands[at++]
      if (command === undefined) break
      // One step may read the whole pattern space.
      steps += 1 + this.#space.length / 256
      if (steps >= 1_024) {
        steps = 0
        await this.#flushAndYield(Infinity)
      }
      let isSelected = applies(command, this.#current)
      if (typeof isSelected === "object") isSelected = await isSelected
      const { action } = command
      if (action._tag === "Block") {
        if (!isSelected) at = action.end
        continue
      }
      if (!isSelected) continue
      if (action._tag === "Jump") {
        if (action.letter === "b" || this.#hasReplaced === (action.letter === "t")) {
          at = action.label === "" ? commands.length : labels.get(action.label) ?? commands.length
        }
        if (action.letter !== "b") this.#hasReplaced = false
        continue
      }
      let cycleEnd = this.#runCommand(command, action)
      if (typeof cycleEnd === "object") cycleEnd = await cycleEnd
      if (typeof cycleEnd === "string") return cycleEnd
      if (this.#space.length + this.#hold.length > maxSpaceLength) this.#io.fail("the pattern space is too large")
    }
    return "end"
  }

  #runCommand(command: Command, action: Action): Later<CycleEnd | void> {
    switch (action._tag) {
      case "Substitute":
        return this.#substitute(action)
      case "Translate":
        return this.#translate(action.map)
      case "File":
        return this.#useFile(action.letter, action.path)
      case "Simple":
        return this.#simple[action.letter]?.(action.value)
      case "Text": {
        const { letter, text } = action
        if (letter === "a") this.#appends.push(() => Promise.resolve(this.#put(text)))
        else if (letter === "i" || command.to === undefined || command.negated || !command.isOpen) this.#put(text)
        return letter === "c" ? "delete" : undefined
      }
    }
  }

  #quit(end: CycleEnd, exitCode: number): CycleEnd {
    this.exitCode = exitCode
    return end
  }

  #deleteFirstLine(): CycleEnd {
    const newline = this.#space.indexOf("\n")
    if (newline < 0) return "delete"
    this.#space = this.#space.slice(newline + 1)
    return "restart"
  }

  #firstLine(): string {
    return this.#space.split("\n", 1)[0] ?? ""
  }

  async #readNext(letter: "n" | "N"): Promise<CycleEnd | void> {
    // GNU prints the pattern space if there is no next line; POSIX does not.
    if (await this.#lines.isEnd()) return "quit"
    if (letter === "n" && !this.#quiet) this.#putLine(this.#space)
    await this.#runAppends()
    const line = await this.#lines.next() ?? ""
    this.#space = letter === "n" ? line : `${this.#space}\n${line}`
    this.#line++
  }

  async #useFile(letter: string, path: string): Promise<void> {
    if (letter === "w") await this.#write(path, this.#space)
    else if (letter === "W") await this.#write(path, this.#firstLine())
    else if (letter === "R") {
      const line = await this.#scriptFiles.nextLine(path)
      if (line !== undefined) this.#appends.push(() => Promise.resolve(this.#put(`${line}\n`)))
    } else {
      this.#appends.push(() =>
        this.#scriptFiles.forEachLine(path, (text, terminated) => {
          this.#put(text)
          if (!terminated) this.#lacksNewline = false
          return this.#lines.flush()
        })
      )
    }
  }

  async #write(path: string, text: string): Promise<void> {
    const isOutput = await this.#scriptFiles.write(path, `${text}\n`)
    if (!isOutput) return
    if (this.#lines.inPlace === undefined) this.#put(`${text}\n`)
    else this.#io.out.putBinary(`${text}\n`)
  }

  async #substitute(action: Substitution): Promise<void> {
    const result = await substitute(this.#io, this.#patternOf(action.pattern), this.#space, action, this.#utf8)
    if (result === undefined) return
    this.#space = result
    this.#hasReplaced = true
    if (action.print) this.#putLine(result)
    if (action.file !== undefined) await this.#write(action.file, result)
  }

  #translate(map: Uint8Array | ReadonlyMap<string, string>): void {
    if (!(map instanceof Uint8Array)) {
      const text = this.#utf8 ? binaryToText(this.#space) : this.#space
      const translated = Array.from(text, (letter) => map.get(letter) ?? letter).join("")
      this.#space = this.#utf8 ? textToBinary(translated) : translated
      return
    }
    let translated = ""
    for (let at = 0; at < this.#space.length; at++) {
      const code = this.#space.charCodeAt(at)
      translated += String.fromCharCode(map[code] ?? code)
    }
    this.#space = translated
  }
}
