/**
 * Runs a script of sed over lines.
 *
 * @module
 */
import { binaryToBytes, binaryToText, textToBinary } from "../../binaryString.ts"
import type { Input } from "../shared/Input.ts"
import { Failures, type Regex } from "../../regex/Regex.ts"
import type { Later } from "../../System.ts"
import type { UtilityIo } from "../shared/utility.ts"
import { expandReplacement } from "./expandReplacement.ts"
import type { Address, Command, ReplacementPart, Script } from "./Script.ts"
import { formatUnambiguous } from "./formatUnambiguous.ts"

/** Bytes of the pattern space and the hold space: more ends it, as memory would. */
const maxSpaceLength = 256 * 1024 * 1024

/** Where lines come from and go to. */
export interface EditorFiles {
  /** The next line; `undefined` at the end. */
  readonly next: () => Promise<string | undefined> | string | undefined
  /** Whether the line is the last one that `$` means. */
  readonly isLast: () => Promise<boolean> | boolean
  /** Whether no line follows at all. */
  readonly isEnd: () => Promise<boolean> | boolean
  /** Whether the line that was given last had its newline. */
  readonly terminated: boolean
  /** The name of its file. */
  readonly name: () => string
  readonly inPlace: string | undefined
  /** Writes to the output or to the file that is edited in place. */
  readonly put: (text: string) => void
  readonly flush: () => Promise<void> | void
}

type Outcome = "end" | "restart" | "delete" | "quit" | "silent"

/** A sed at work. */
export class StreamEditor {
  readonly #io: UtilityIo
  readonly #script: Script
  readonly #files: EditorFiles
  readonly #quiet: boolean
  readonly #utf8: boolean
  readonly #end: string
  #space = ""
  #hold = ""
  #line = 0
  #replaced = false
  #lastPattern: Regex | undefined
  #append: Array<() => Promise<void>> = []
  /** The newline of the last line may be missing. */
  #missing = false
  readonly #outputs = new Map<string, number>()
  readonly #reads = new Map<string, Input | undefined>()
  exitCode = 0

  constructor(
    io: UtilityIo,
    script: Script,
    files: EditorFiles,
    how: { readonly quiet: boolean; readonly utf8: boolean },
  ) {
    this.#io = io
    this.#script = script
    this.#files = files
    this.#quiet = how.quiet
    this.#utf8 = how.utf8
    this.#end = io.has("z") ? "\0" : "\n"
    for (const { action } of script.commands) {
      const path = action._tag === "File" && /[wW]/.test(action.letter)
        ? action.path
        : action._tag === "Substitute"
        ? action.file
        : undefined
      if (path === undefined || this.#outputs.has(path)) continue
      this.#outputs.set(path, path === "/dev/stdout" ? 1 : path === "/dev/stderr" ? 2 : this.#create(path))
    }
  }

  #create(path: string): number {
    const fd = this.#io.system.open(path, { create: true, truncate: true, write: true })
    return fd < 0 ? this.#io.fail(`couldn't open file ${path}`, fd) : fd
  }

  restartLines(): void {
    this.#line = 0
    for (const command of this.#script.commands) {
      command.open = command.begun = command.from?._tag === "Line" && command.from.line === 0
    }
  }

  #put(text: string): void {
    if (this.#missing) this.#files.put(this.#end)
    this.#missing = false
    this.#files.put(text)
  }

  /** Writes a line with its newline, unless the input ended without one. */
  #putLine(text: string): void {
    this.#put(text)
    if (!this.#files.terminated) this.#missing = true
    else this.#files.put(this.#end)
  }

  async run(): Promise<void> {
    let keep = false
    for (;;) {
      if (!keep) {
        let line = this.#files.next()
        if (typeof line === "object") line = await line
        if (line === undefined) return
        this.#space = line
        this.#line++
      }
      this.#replaced = false
      const outcome = await this.#cycle()
      keep = outcome === "restart"
      if (!this.#quiet && (outcome === "end" || outcome === "quit")) this.#putLine(this.#space)
      await this.#appended()
      const flushed = this.#files.flush()
      if (flushed !== undefined) await flushed
      const pause = this.#io.system.breathe()
      if (pause !== undefined) await pause
      if (outcome === "quit" || outcome === "silent") return
    }
  }

  async #appended(): Promise<void> {
    if (this.#append.length === 0) return
    const tasks = this.#append
    this.#append = []
    for (const task of tasks) await task()
  }

  #test(pattern: Regex | undefined): Later<boolean> {
    const used = pattern ?? this.#lastPattern ?? this.#io.fail("no previous regular expression")
    this.#lastPattern = used
    return used.testLater(this.#io.system, this.#space)
  }

  async #matches(address: Address): Promise<boolean> {
    switch (address._tag) {
      case "Line":
        return this.#line === address.line
      case "Last":
        return await this.#files.isLast()
      case "Step":
        return address.step === 0
          ? this.#line === address.first
          : this.#line >= address.first && (this.#line - address.first) % address.step === 0
      case "Match":
        return await this.#test(address.pattern)
      default:
        return false
    }
  }

  /** Whether a command applies to this line. Plain addresses are answered without a wait. */
  #applies(command: Command): Promise<boolean> | boolean {
    const { from, negated, to } = command
    if (from === undefined) return !negated
    if (to === undefined) {
      if (from._tag === "Line") return (this.#line === from.line) !== negated
      if (from._tag === "Match") {
        const found = this.#test(from.pattern)
        return typeof found === "boolean" ? found !== negated : found.then((yes) => yes !== negated)
      }
    }
    return this.#inRange(command, from, to).then((yes) => yes !== negated)
  }

  async #inRange(command: Command, from: Address, to: Address | undefined): Promise<boolean> {
    if (to === undefined) return await this.#matches(from)
    if (!command.open) {
      if (from._tag === "Line") {
        // Once: at its line, or, when the command was not reached there, at the first line within the range.
        if (command.begun || this.#line < from.line) return false
        command.begun = true
        if (this.#line > from.line && to._tag === "Line" && this.#line > to.line) return false
      } else if (!await this.#matches(from)) return false
      command.open = true
      command.until = to._tag === "Line"
        ? to.line
        : to._tag === "More"
        ? this.#line + to.count
        : to._tag === "Multiple"
        ? (to.of === 0 ? this.#line : Math.ceil(this.#line / to.of) * to.of)
        : -1
      // A range that ends where it begins, or before, is one line.
      if (command.until >= 0 && this.#line >= command.until) command.open = false
      if (to._tag === "Last" && await this.#files.isLast()) command.open = false
      return true
    }
    if (command.until >= 0) {
      if (this.#line >= command.until) command.open = false
      // The end was passed while other lines were read.
      return this.#line <= command.until
    }
    if (await this.#matches(to)) command.open = false
    return true
  }

  async #cycle(): Promise<Outcome> {
    const { commands, labels } = this.#script
    let steps = 0
    for (let at = 0; at < commands.length;) {
      const command = commands[at++]
      if (command === undefined) break
      // A step may look at all of the pattern space.
      steps += 1 + this.#space.length / 256
      if (steps >= 1_024) {
        steps = 0
        const pause = this.#io.system.breathe(Infinity)
        if (pause !== undefined) await pause
        const flushed = this.#files.flush()
        if (flushed !== undefined) await flushed
      }
      let applies = this.#applies(command)
      if (typeof applies === "object") applies = await applies
      const { action } = command
      if (action._tag === "Block") {
        if (!applies) at = action.end
        continue
      }
      if (!applies) continue
      switch (action._tag) {
        case "Substitute":
          await this.#substitute(action.pattern, action.pieces, action)
          break
        case "Translate":
          this.#translate(action.map)
          break
        case "Jump": {
          if (action.letter === "b" || this.#replaced === (action.letter === "t")) {
            at = action.label === "" ? commands.length : labels.get(action.label) ?? commands.length
          }
          if (action.letter !== "b") this.#replaced = false
          break
        }
        case "Text":
          if (action.letter === "i") this.#put(action.text)
          else if (action.letter === "a") this.#append.push(() => Promise.resolve(this.#put(action.text)))
          else {
            if (command.to === undefined || command.negated || !command.open) this.#put(action.text)
            return "delete"
          }
          break
        case "File":
          await this.#file(action.letter, action.path)
          break
        case "Simple": {
          const outcome = await this.#simple(action.letter, action.value)
          if (outcome !== undefined) return outcome
        }
      }
      if (this.#space.length + this.#hold.length > maxSpaceLength) this.#io.fail("the pattern space is too large")
    }
    return "end"
  }

  async #simple(letter: string, value: number | undefined): Promise<Outcome | undefined> {
    switch (letter) {
      case "=":
        this.#put(`${this.#line}\n`)
        return undefined
      case "d":
        return "delete"
      case "D": {
        const newline = this.#space.indexOf("\n")
        if (newline < 0) return "delete"
        this.#space = this.#space.slice(newline + 1)
        return "restart"
      }
      case "g":
        this.#space = this.#hold
        return undefined
      case "G":
        this.#space += `\n${this.#hold}`
        return undefined
      case "h":
        this.#hold = this.#space
        return undefined
      case "H":
        this.#hold += `\n${this.#space}`
        return undefined
      case "x":
        ;[this.#space, this.#hold] = [this.#hold, this.#space]
        return undefined
      case "z":
        this.#space = ""
        return undefined
      case "F":
        this.#put(`${this.#files.name()}\n`)
        return undefined
      case "p":
        this.#putLine(this.#space)
        return undefined
      case "P":
        this.#put(this.#space.split("\n", 1)[0] + "\n")
        return undefined
      case "l":
        this.#put(formatUnambiguous(this.#space, value ?? Number(this.#io.value("l") ?? "70"), this.#utf8))
        return undefined
      case "n":
      case "N":
        return await this.#next(letter)
      case "q":
      case "Q":
        this.exitCode = value ?? 0
        return letter === "q" ? "quit" : "silent"
      default:
        return undefined
    }
  }

  async #next(letter: string): Promise<Outcome | undefined> {
    if (await this.#files.isEnd()) {
      // GNU prints the pattern space when there is no next line, unless POSIXLY_CORRECT.
      return "quit"
    }
    if (letter === "n" && !this.#quiet) this.#putLine(this.#space)
    await this.#appended()
    const line = await this.#files.next() ?? ""
    this.#space = letter === "n" ? line : `${this.#space}\n${line}`
    this.#line++
    return undefined
  }

  async #file(letter: string, path: string): Promise<void> {
    if (letter === "w" || letter === "W") {
      const text = letter === "w" ? this.#space : this.#space.split("\n", 1)[0] ?? ""
      return await this.#write(path, text + "\n")
    }
    if (letter === "R") {
      if (!this.#reads.has(path)) {
        const exists = typeof this.#io.system.stat(path) !== "number"
        this.#reads.set(path, exists ? this.#io.openInput(path) : undefined)
      }
      const line = await this.#reads.get(path)?.line()
      if (line !== undefined) this.#append.push(() => Promise.resolve(this.#put(`${line}\n`)))
      return
    }
    this.#append.push(async () => {
      if (path !== "/dev/stdin" && typeof this.#io.system.stat(path) === "number") return
      const input = this.#io.openInput(path === "/dev/stdin" ? "-" : path)
      if (input === undefined) return
      for (let line = await input.line(); line !== undefined; line = await input.line()) {
        this.#put(input.terminated ? `${line}\n` : line)
        if (!input.terminated) this.#missing = false
        await this.#files.flush()
      }
      input.close()
    })
  }

  async #write(path: string, text: string): Promise<void> {
    const fd = this.#outputs.get(path) ?? 1
    if (fd === 1) return this.#files.inPlace === undefined ? this.#put(text) : this.#io.out.putBinary(text)
    const written = await this.#io.system.writeAll(fd, binaryToBytes(text))
    if (written < 0) this.#io.fail(`couldn't write to ${path}`, written)
  }

  async #substitute(
    given: Regex | undefined,
    pieces: ReadonlyArray<ReplacementPart>,
    how: { readonly global: boolean; readonly nth: number; readonly print: boolean; readonly file: string | undefined },
  ): Promise<void> {
    const pattern = given ?? this.#lastPattern ?? this.#io.fail("no previous regular expression")
    this.#lastPattern = pattern
    const text = this.#space
    const simple = pieces.every((piece) => piece._tag === "Text" || (piece._tag === "Group" && piece.index === 0))
    let out = ""
    let done = 0
    let from = 0
    let count = 0
    // An empty match right after a match is none.
    let lastEnd = -1
    const { system } = this.#io
    const failures = new Failures()
    while (from <= text.length) {
      const found = pattern.execLater(system, text, from, failures)
      if (!(typeof found === "boolean" ? found : await found)) break
      const { end, start } = pattern
      if (start === end && start === lastEnd) {
        if (start >= text.length) break
        from = start + this.#step(text, start)
        continue
      }
      count++
      lastEnd = end
      from = end > start ? end : start + this.#step(text, start)
      if (count >= how.nth) {
        out += text.slice(done, start) +
          expandReplacement(
            pieces,
            text,
            simple ? Int32Array.of(start, end) : await pattern.capturesLater(system, text),
          )
        done = end
        if (!how.global) break
      }
      if ((count & 63) === 0) {
        const pause = this.#io.system.breathe()
        if (pause !== undefined) await pause
        if (out.length > maxSpaceLength) this.#io.fail("the pattern space is too large")
      }
    }
    if (count < how.nth) return
    this.#space = done === 0 && out === "" ? text.slice(done) : out + text.slice(done)
    this.#replaced = true
    if (how.print) this.#putLine(this.#space)
    if (how.file !== undefined) await this.#write(how.file, `${this.#space}\n`)
  }

  /** The bytes of the character at a place. */
  #step(text: string, at: number): number {
    let size = 1
    if (this.#utf8 && text.charCodeAt(at) >= 0xc0) {
      while (size < 4 && (text.charCodeAt(at + size) & 0xc0) === 0x80) size++
    }
    return size
  }

  #translate(map: Uint8Array | ReadonlyMap<string, string>): void {
    if (!(map instanceof Uint8Array)) {
      const letters = Array.from(
        this.#utf8 ? binaryToText(this.#space) : this.#space,
        (letter) => map.get(letter) ?? letter,
      )
      this.#space = this.#utf8 ? textToBinary(letters.join("")) : letters.join("")
      return
    }
    let out = ""
    for (let at = 0; at < this.#space.length; at++) {
      const code = this.#space.charCodeAt(at)
      out += String.fromCharCode(map[code] ?? code)
    }
    this.#space = out
  }
}
