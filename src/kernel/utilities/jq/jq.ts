/**
 * Implements the `jq` utility, which streams its input and can pause at any step. jq built for WASM has megabytes and
 * waits for the end of its input.
 */
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { JqInput } from "./JqInput.ts"
import { JqObject, type Value } from "./values.ts"
import { JsonError } from "./JsonParser.ts"
import { type Host, Machine } from "./Machine.ts"
import { ModuleParser } from "./ModuleParser.ts"
import { HaltSignal } from "./Native.ts"
import { SyntaxFailure } from "./Syntax.ts"
import { StreamBuilder, TreeBuilder } from "./ValueBuilder.ts"
import { type CompiledProgram, compileProgram } from "./compileProgram.ts"
import { formatInSteps, formatJson, isLarge, type JsonLayout, parseColors } from "./formatJson.ts"
import { JqError } from "./JqError.ts"
import { LimitError } from "./limits.ts"
import { type LoadedModule, maxSourceLength, ModuleLoader } from "./modules.ts"
import { type JqOptions, parseJqOptions, usage } from "./options.ts"
import { isTrue } from "./kinds.ts"

/** Results of one input, for the exit code: nothing, null or false, or another value. */
type Outcome = "none" | "false" | "true"

/** Exit codes: a file that cannot be read or written, a wrong program, an error of the program. */
const systemError = 2
const compileError = 3
const programError = 5

class Run {
  readonly #io: UtilityIo
  readonly #options: JqOptions
  readonly #layout: JsonLayout
  readonly #input: JqInput
  readonly #machine: Machine
  readonly #program: CompiledProgram
  #isSlurped = false

  constructor(io: UtilityIo, options: JqOptions, layout: JsonLayout, program: CompiledProgram, loader: ModuleLoader) {
    this.#io = io
    this.#options = options
    this.#layout = layout
    this.#program = program
    const isStream = options.has("stream") || options.has("stream-errors")
    this.#input = new JqInput(
      io,
      options.files.length === 0 ? ["-"] : options.files,
      isStream ? new StreamBuilder() : new TreeBuilder(),
      { isSequence: options.has("seq") },
      (building) => this.#machine.settle(building),
    )
    const host: Host = {
      system: io.system,
      zone: io.zone,
      searchPaths: loader.searchPaths,
      flushAndYield: () => io.flushAndYield(),
      nextInput: () => this.#nextInput(),
      inputFile: () => this.#input.file,
      inputLine: () => this.#input.line,
      printMessage: (text) => io.err.putText(text),
      moduleMeta: (name) => loader.meta(name),
    }
    this.#machine = new Machine(program.frame, host)
  }

  #nextInput(): Value | undefined | Promise<Value | undefined> {
    const isRaw = this.#options.has("raw-input")
    if (this.#options.has("slurp")) {
      if (this.#isSlurped) return undefined
      this.#isSlurped = true
      return this.#input.slurp(isRaw)
    }
    return isRaw ? this.#input.nextLine() : this.#input.next()
  }

  #write(text: string): void {
    this.#io.print(text)
  }

  async #printLarge(value: Value): Promise<void> {
    const io = this.#io
    for (const steps = formatInSteps(value, this.#layout, (text) => this.#write(text)); steps.next().done !== true;) {
      if (io.out.isFull) await io.out.flush()
      await io.flushAndYield()
    }
  }

  #print(value: Value): Promise<void> | undefined {
    const options = this.#options
    const isZero = options.has("raw-output0")
    const isJoined = options.has("join-output")
    const end = isZero ? "\0" : isJoined ? "" : "\n"
    if (typeof value === "string" && (isZero || isJoined || options.has("raw-output"))) {
      if (isZero && value.includes("\0")) {
        throw new JqError("Cannot dump a string containing NUL with --raw-output0 option")
      }
      this.#write((options.has("ascii-output") ? formatJson(value, this.#layout) : value) + end)
    } else {
      const start = options.has("seq") ? "\x1e" : ""
      if (isLarge(value)) {
        this.#write(start)
        return this.#printLarge(value).then(() => this.#write(end))
      }
      this.#write(start + formatJson(value, this.#layout) + end)
    }
    if (!this.#io.out.isFull && !options.has("unbuffered")) return undefined
    const flushed = this.#io.out.flush()
    return flushed instanceof Promise ? flushed : undefined
  }

  /** Runs the program on one input; returns an exit code, or the kind of its results. */
  async #process(value: Value): Promise<Outcome | number> {
    let outcome: Outcome = "none"
    const { frame, node } = this.#program
    this.#machine.start(node, value, frame)
    try {
      for (let isFirst = true;; isFirst = false) {
        let result = this.#machine.run(isFirst)
        if (result instanceof Promise) result = await result
        if (result === undefined) return outcome
        outcome = isTrue(result) ? "true" : "false"
        const printed = this.#print(result)
        if (printed !== undefined) await printed
      }
    } catch (cause) {
      return this.#report(cause)
    }
  }

  /** Prints an error that ended the program. */
  #report(cause: unknown): number {
    if (!(cause instanceof JqError || cause instanceof JsonError || cause instanceof LimitError)) throw cause
    const where = `error (at ${this.#input.position})`
    if (cause instanceof JqError && typeof cause.value !== "string") {
      this.#io.printError(`${where} (not a string): ${formatJson(cause.value)}`)
    } else this.#io.printError(`${where}: ${cause.message}`)
    return programError
  }

  #halt({ code, value }: HaltSignal): number {
    if (typeof value === "string") this.#io.err.putText(value)
    else if (value !== undefined && value !== null) this.#io.err.putText(`${formatJson(value)}\n`)
    return Math.trunc(code) & 255
  }

  /** Runs the program on all inputs; the exit code. */
  async run(): Promise<number> {
    let last: Outcome = "none"
    let result: Outcome | number = "none"
    try {
      if (this.#options.has("null-input")) result = await this.#process(null)
      else {
        for (;;) {
          const value = await this.#readInput()
          if (value === undefined) break
          if (typeof value === "number") {
            result = value
            break
          }
          result = await this.#process(value.value)
          if (typeof result === "string" && result !== "none") last = result
        }
      }
    } catch (cause) {
      if (cause instanceof HaltSignal) return this.#halt(cause)
      throw cause
    }
    if (this.#input.errors > 0) result = systemError
    if (typeof result === "number") return result
    if (!this.#options.has("exit-status")) return 0
    const decisive = result === "none" ? last : result
    return decisive === "none" ? 4 : decisive === "false" ? 1 : 0
  }

  /** The next input; an exit code where it cannot be parsed. */
  async #readInput(): Promise<{ readonly value: Value } | number | undefined> {
    for (;;) {
      try {
        const value = await this.#nextInput()
        return value === undefined ? undefined : { value }
      } catch (cause) {
        if (!(cause instanceof JsonError || cause instanceof LimitError)) throw cause
        const isFatal = !this.#options.has("seq") || cause instanceof LimitError
        this.#io.printError(
          `${isFatal ? "" : "ignoring "}${cause instanceof LimitError ? "error" : "parse error"}: ${cause.message}`,
        )
        if (isFatal) return programError
      }
    }
  }
}

/** The variables of the command line. */
const readVariables = async (
  io: UtilityIo,
  options: JqOptions,
  loader: ModuleLoader,
): Promise<ReadonlyMap<string, Value>> => {
  let { named } = options
  for (const [name, path, isRaw] of options.fromFiles) {
    try {
      if (!named.entries.has(name)) {
        named = named.with(name, isRaw ? await loader.readText(path) : await loader.readValues(path))
      }
    } catch (cause) {
      if (!(cause instanceof JsonError || cause instanceof LimitError)) throw cause
      io.fail(`Bad JSON in --${isRaw ? "rawfile" : "slurpfile"} ${name} ${path}: ${cause.message}`)
    }
  }
  const args = new JqObject(new Map<string, Value>([["positional", options.positional], ["named", named]]))
  return new Map([["ARGS", args], ...named.entries])
}

/** Reads and compiles the program, and reports its errors. */
const compile = async (
  io: UtilityIo,
  options: JqOptions,
  loader: ModuleLoader,
): Promise<CompiledProgram | undefined> => {
  const given = options.program ?? "."
  const source = options.has("from-file") ? await loader.readSource(given) : given
  if (source.length > maxSourceLength) io.fail(`the program is longer than ${maxSourceLength} characters`)
  const folder = options.has("from-file") && given.includes("/") ? given.replace(/\/[^/]*$/, "") || "/" : "."
  const variables = await readVariables(io, options, loader)
  try {
    const main = await loader.load(new ModuleParser(source).module(), folder, true)
    const libraries: Array<LoadedModule> = []
    const own = `${io.system.env.get("HOME") ?? "/"}/.jq`
    if (options.libraries === undefined && typeof io.system.stat(own) === "object" && !io.isDirectory(own)) {
      libraries.push(await loader.load(new ModuleParser(await loader.readSource(own), own).module(), ".", false))
    }
    return compileProgram(main, variables, libraries)
  } catch (cause) {
    if (cause instanceof RangeError) {
      io.err.putText("jq: error: the program is nested too deep\njq: 1 compile error\n")
      return undefined
    }
    if (!(cause instanceof SyntaxFailure)) throw cause
    const line = source.split("\n")[cause.line - 1]
    const where = line === undefined ? "" : ` at <top-level>, line ${cause.line}:\n${line}`
    io.err.putText(`jq: error: ${cause.message}${where}\njq: 1 compile error\n`)
    return undefined
  }
}

/** `jq [OPTION]... FILTER [FILE]...`: filters and changes JSON. Source: jq(1). */
export const jq: Program = defineUtility("jq", "=", async (io) => {
  const options = parseJqOptions(io, io.operands)
  if (options.has("help") || options.has("version")) {
    io.print(options.has("help") ? usage : "jq-1.7.1\n")
    return 0
  }
  const colors = parseColors(io.system.env.get("JQ_COLORS"))
  if (colors === undefined) io.err.putText("Failed to set $JQ_COLORS\n")
  const layout: JsonLayout = {
    indent: options.indent,
    isSorted: options.has("sort-keys"),
    isAscii: options.has("ascii-output"),
    colors: options.has("color-output") && !options.has("monochrome-output") ? colors ?? parseColors() : undefined,
  }
  const loader = new ModuleLoader(io, options.libraries)
  const program = await compile(io, options, loader)
  return program === undefined ? compileError : new Run(io, options, layout, program, loader).run()
}, { errorExitCode: systemError })
