/** Implements the `yq` utility over the engine of `jq`. Source: mikefarah's yq 4, whose command line and operators it has. */
import { parse } from "yaml"
import type { Program } from "../../System.ts"
import { JqArray, type JqObject, makeObject, type Value } from "../jq/values.ts"
import { type Host, Machine } from "../jq/Machine.ts"
import { ModuleParser } from "../jq/ModuleParser.ts"
import { SyntaxFailure } from "../jq/Syntax.ts"
import { compileProgram } from "../jq/compileProgram.ts"
import { formatJson } from "../jq/formatJson.ts"
import { JqError } from "../jq/JqError.ts"
import { LimitError } from "../jq/limits.ts"
import { isTrue } from "../jq/kinds.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"
import { FormatError } from "./FormatError.ts"
import {
  type Format,
  formatOfPath,
  formatResult,
  type InputDocument,
  maxFileLength,
  type OutputLayout,
  parseFormat,
  readDocuments,
} from "./formats.ts"
import { translateExpression } from "./translateExpression.ts"

const maxExpressionLength = 65_536

/** A document and its origin. */
interface Located extends InputDocument {
  readonly path: string
  readonly fileIndex: number
  readonly documentIndex: number
}

const readText = async (io: UtilityIo, path: string, maxLength: number): Promise<string> => {
  const input = io.openInput(path)
  if (input === undefined) return io.exit(1)
  const decoder = new TextDecoder()
  let text = ""
  for await (const piece of io.chunks(input)) {
    text += decoder.decode(piece, { stream: true })
    if (text.length > maxLength) {
      io.fail(
        `Error: ${path}: more than ${maxLength} characters, all of which yq would hold: split the file, or use JSON`,
      )
    }
  }
  input.close()
  if (input.failed) io.exit(1)
  return text + decoder.decode()
}

/** Whether an expression changes its input, rather than only selecting from it. */
const isUpdate = (expression: string): boolean =>
  /(^|[^=!<>])=(?!=)|\bdel\(|\b(with|sort_keys|with_entries|map_values|pick|omit)\(|\*/.test(
    expression.replace(/"(\\.|[^"\\])*"/g, '""'),
  )

/** Compiles an expression with the files and variables that it names. */
const compile = async (io: UtilityIo, expression: string, isAll: boolean) => {
  const loads: Array<readonly [name: string, path: string, isText: boolean]> = []
  const program = translateExpression(expression, {
    isAll,
    fail: (message) => io.fail(`Error: ${message}`),
    load: (path, isText) => {
      loads.push([`__load${loads.length}`, path, isText])
      return `$__load${loads.length - 1}`
    },
    readVariable: (name, isText) => {
      const text = io.system.env.get(name) ?? io.fail(`Error: Value for env variable '${name}' not provided in env()`)
      if (isText) return JSON.stringify(text)
      const value: unknown = text.length < 4_096 ? parse(text, { logLevel: "silent", maxAliasCount: 10 }) : text
      return JSON.stringify(value) ?? "null"
    },
  })
  const variables = new Map<string, Value>()
  for (const [name, path, isText] of loads) {
    const format = formatOfPath(path)
    const text = await readText(io, path, maxFileLength(format))
    const [first] = isText ? [] : await readDocuments(io, text, format)
    variables.set(name, isText ? text : first?.value ?? null)
  }
  try {
    return compileProgram({ module: new ModuleParser(program).module(), imports: [] }, variables)
  } catch (cause) {
    if (!(cause instanceof SyntaxFailure)) throw cause
    return io.fail(`Error: bad expression '${expression}': ${cause.message.split("\n")[0] ?? ""}`)
  }
}

const hostOf = (io: UtilityIo): Host => ({
  system: io.system,
  zone: io.zone,
  searchPaths: [],
  flushAndYield: () => io.flushAndYield(),
  nextInput: () => undefined,
  inputFile: () => null,
  inputLine: () => 0,
  printMessage: (text) => io.err.putText(text),
  moduleMeta: () => Promise.resolve(null),
})

class Run {
  readonly #io: UtilityIo
  readonly #layout: OutputLayout
  readonly #isUpdate: boolean
  readonly #program: Awaited<ReturnType<typeof compile>>
  readonly #machine: Machine
  #text = ""
  #last: readonly [file: number, document: number] | undefined
  results = 0
  /** Whether a result is neither null nor false. */
  hasTrue = false

  constructor(io: UtilityIo, layout: OutputLayout, expression: string, program: Awaited<ReturnType<typeof compile>>) {
    this.#io = io
    this.#layout = layout
    this.#isUpdate = isUpdate(expression)
    this.#program = program
    this.#machine = new Machine(program.frame, hostOf(io))
  }

  /** Takes the text written so far. */
  takeText(): string {
    const text = this.#text
    this.#text = ""
    this.#last = undefined
    return text
  }

  /** Evaluates the expression, and keeps the text of each result. `document`: the one that is shown with its comments. */
  async evaluate(input: Value, document: Located | undefined, isKept: boolean): Promise<void> {
    const io = this.#io
    this.#machine.start(this.#program.node, input, this.#program.frame)
    for (let isFirst = true;; isFirst = false) {
      let value = this.#machine.run(isFirst)
      if (value instanceof Promise) value = await value
      if (value === undefined) return
      this.results++
      if (isTrue(value)) this.hasTrue = true
      const place = [document?.fileIndex ?? 0, document?.documentIndex ?? 0] as const
      const isNew = this.#last !== undefined && (this.#last[0] !== place[0] || this.#last[1] !== place[1])
      if (isNew && this.#layout.format === "yaml" && !io.has("N")) this.#text += "---\n"
      this.#last = place
      const isWhole = this.#isUpdate && this.results === 1 || this.#isUpdate && isNew
      this.#text += await formatResult({ value, yaml: document?.yaml, isUpdate: isWhole }, this.#layout)
      if (this.#text.length > 64 * 1024 * 1024) io.fail("Error: the output is too long")
      if (!isKept) {
        io.print(this.#text)
        this.#text = ""
        if (io.out.isFull) await io.out.flush()
      }
    }
  }
}

const inputOf = ({ documentIndex, fileIndex, path, value }: Located): JqObject =>
  makeObject({ v: value, fi: fileIndex, di: documentIndex, f: path })

/** Replaces a file by a text, in one step. */
const replaceFile = async (io: UtilityIo, path: string, text: string): Promise<void> => {
  const { system } = io
  const stat = system.stat(path)
  const temporary = `${path}.yq-${system.pid}`
  const fd = io.openOutput(temporary)
  if (fd < 0) return io.exit(1)
  const written = await system.writeAll(fd, new TextEncoder().encode(text))
  system.close(fd)
  const mode = typeof stat === "object" ? stat.mode : 0o644
  const moved = written < 0 ? written : Math.min(system.setMode(temporary, mode), 0) || system.rename(temporary, path)
  if (moved < 0) {
    system.unlink(temporary)
    io.fail(`Error: cannot write ${path}`, moved)
  }
}

const runOn = async (io: UtilityIo, isAll: boolean, operands: ReadonlyArray<string>): Promise<number> => {
  const [first] = operands
  const isFile = first !== undefined && typeof io.system.stat(first) === "object"
  const fromFile = io.value("from-file")
  const hasExpression = fromFile === undefined &&
    !(isFile && (operands.length === 1 || first.includes(".")) && !/^\.[a-zA-Z[]*$/.test(first))
  const expression = fromFile !== undefined
    ? await readText(io, fromFile, maxExpressionLength)
    : hasExpression
    ? first ?? "."
    : "."
  const files = hasExpression ? operands.slice(1) : operands
  const paths = io.has("n") ? [] : files.length > 0 ? files : ["-"]
  if (io.has("i") && (paths.length === 0 || paths[0] === "-")) {
    io.fail("Error: write in place flag only applicable when giving an expression and at least one file")
  }
  const given = (option: string): string | undefined => io.value(option)?.replace(/^=/, "")
  const [inFormat, outFormat] = [given("p"), io.has("j") ? "json" : given("o")]
  const formatOf = (path: string): Format =>
    inFormat === undefined || inFormat === "auto" ? formatOfPath(path) : parseFormat(io, inFormat)
  const format = outFormat === undefined || outFormat === "auto"
    ? paths[0] === undefined ? "yaml" : formatOf(paths[0])
    : parseFormat(io, outFormat)
  const raw = given("r")
  const layout: OutputLayout = {
    format,
    indent: Number(given("I") ?? "2"),
    isPretty: io.has("P"),
    unwraps: raw === undefined ? format !== "json" : raw !== "false",
  }
  const run = new Run(io, layout, expression, await compile(io, expression, isAll))
  const isKept = io.has("i")
  if (io.has("n")) {
    const nothing: Located = { value: null, path: "", fileIndex: 0, documentIndex: 0 }
    await run.evaluate(isAll ? new JqArray([inputOf(nothing)]) : inputOf(nothing), nothing, isKept)
  }
  const all: Array<Located> = []
  for (const [fileIndex, path] of paths.entries()) {
    const text = await readText(io, path, maxFileLength(formatOf(path)))
    const documents = await readDocuments(io, text, formatOf(path)).catch((cause: unknown) => {
      if (cause instanceof FormatError) return io.fail(`Error: bad file '${path}': ${cause.message}`)
      throw cause
    })
    const located = documents.map((document, documentIndex): Located => ({
      ...document,
      path,
      fileIndex,
      documentIndex,
    }))
    if (isAll) all.push(...located)
    else for (const document of located) await run.evaluate(inputOf(document), document, isKept)
    if (isKept && !isAll) await replaceFile(io, path, run.takeText())
  }
  if (isAll && !io.has("n")) await run.evaluate(new JqArray(all.map(inputOf)), all[0], isKept)
  if (isKept && isAll) await replaceFile(io, paths[0] ?? "", run.takeText())
  if (io.has("e") && !run.hasTrue) io.fail("Error: no matches found")
  return io.exitCode
}

/**
 * `yq [eval | eval-all] [-einPrNj] [-p FORMAT] [-o FORMAT] [-I INDENT] [EXPRESSION] [FILE]...`: reads and changes YAML, JSON, TOML,
 * CSV and properties. Source: mikefarah's yq 4.
 */
export const yq: Program = defineUtility(
  "yq",
  "o|output-format: p|input-format: i|inplace n|null-input r|unwrapScalar:: N|no-doc P|prettyPrint e|exit-status I|indent: j|tojson " +
    "from-file: V|version",
  async (io) => {
    if (io.has("V")) {
      io.print("yq (https://github.com/mikefarah/yq/) version v4.44.3\n")
      return 0
    }
    const [command] = io.operands
    const isAll = command === "ea" || command === "eval-all"
    const operands = isAll || command === "e" || command === "eval" ? io.operands.slice(1) : io.operands
    try {
      return await runOn(io, isAll, operands)
    } catch (cause) {
      if (cause instanceof JqError) {
        return io.fail(`Error: ${typeof cause.value === "string" ? cause.message : formatJson(cause.value)}`)
      }
      if (cause instanceof FormatError || cause instanceof LimitError || cause instanceof ReferenceError) {
        return io.fail(`Error: ${cause.message}`)
      }
      throw cause
    }
  },
  { withoutEffect: { "M|no-colors": "output has no colors" } },
)
