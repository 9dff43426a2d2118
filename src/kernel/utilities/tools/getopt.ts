/** Implements the `getopt` utility of util-linux. */
import type { Program } from "../../System.ts"
import { defineUtility, type UtilityIo } from "../shared/defineUtility.ts"

type Value = "none" | "required" | "optional"

const valueOf = (text: string): Value => text.startsWith("::") ? "optional" : text.startsWith(":") ? "required" : "none"

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/**
 * `getopt [-aqQuT] [-o SHORT] [-l LONG] [-n NAME] -- ARGUMENT...`, `getopt SHORT ARGUMENT...`: orders options. Source:
 * getopt(1).
 */
export const getopt: Program = defineUtility(
  "getopt",
  "+a|alternative l|longoptions|long: n|name: o|options: q|quiet Q|quiet-output s|shell: T|test u|unquoted",
  (io) => {
    if (io.has("T")) return 4
    const shell = io.value("s") ?? "sh"
    if (!["sh", "bash"].includes(shell)) io.fail(`shell '${shell}' is not supported`)
    const [first, ...rest] = io.operands
    const isOld = !io.has("o")
    if (isOld && first === undefined) io.failUsage("missing optstring argument")
    const parser = new GetoptParser(io, io.value("o") ?? first ?? "", isOld && !io.has("l"))
    parser.parse(isOld ? rest : io.operands)
    if (!io.has("Q")) io.print(`${parser.words.map((word) => ` ${word}`).join("")}\n`)
    return parser.failed ? 1 : 0
  },
  { errorExitCode: 2 },
)

class GetoptParser {
  readonly #io: UtilityIo
  readonly #short = new Map<string, Value>()
  readonly #long = new Map<string, Value>()
  /** `+` ends options at the first operand, `-` keeps operands in their place. */
  readonly #mode: string
  readonly #quotes: boolean
  readonly #name: string
  readonly words: Array<string> = []
  failed = false

  constructor(io: UtilityIo, options: string, isOld: boolean) {
    this.#io = io
    this.#quotes = !(isOld || io.has("u"))
    this.#name = io.value("n") ?? "getopt"
    this.#mode = /^[+-]/.exec(options)?.[0] ?? (io.system.env.has("POSIXLY_CORRECT") ? "+" : "")
    const letters = options.slice(this.#mode === "" || !/^[+-]/.test(options) ? 0 : 1)
    for (const [all] of letters.matchAll(/[^:]:{0,2}/g)) this.#short.set(all[0] ?? "", valueOf(all.slice(1)))
    for (const word of io.values("l").flatMap((value) => value.split(/[,\s]+/)).filter((each) => each !== "")) {
      const bare = word.replace(/:+$/, "")
      this.#long.set(bare, valueOf(word.slice(bare.length)))
    }
  }

  #put(text: string): void {
    this.words.push(this.#quotes ? quote(text) : text)
  }

  #fail(message: string): void {
    if (!this.#io.has("q")) this.#io.err.putText(`${this.#name}: ${message}\n`)
    this.failed = true
  }

  parse(args: ReadonlyArray<string>): void {
    const operands: Array<string> = []
    const left = [...args]
    for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
      if (arg === "--") {
        for (const word of left) operands.push(word)
        break
      }
      if (arg.startsWith("--") || (this.#io.has("a") && /^-./.test(arg))) this.#parseLong(arg, left)
      else if (/^-./.test(arg)) this.#parseShort(arg, left)
      else if (this.#mode === "-") this.#put(arg)
      else {
        operands.push(arg)
        if (this.#mode !== "+") continue
        for (const word of left) operands.push(word)
        break
      }
    }
    this.words.push("--")
    for (const operand of operands) this.#put(operand)
  }

  #parseLong(arg: string, left: Array<string>): void {
    const [, given = "", , value] = /^--?([^=]*)(=(.*))?$/s.exec(arg) ?? []
    const near = [...this.#long.keys()].filter((name) => name.startsWith(given))
    const name = this.#long.has(given) ? given : near.length === 1 ? near[0] : undefined
    if (name === undefined) {
      const possible = near.map((each) => ` '--${each}'`).join("")
      this.#fail(
        near.length > 1
          ? `option '--${given}' is ambiguous; possibilities:${possible}`
          : `unrecognized option '${arg.replace(/=.*$/s, "")}'`,
      )
      return
    }
    const kind = this.#long.get(name)
    if (kind === "none" && value !== undefined) return this.#fail(`option '--${name}' doesn't allow an argument`)
    const taken = kind === "required" ? value ?? left.shift() : value
    if (kind === "required" && taken === undefined) return this.#fail(`option '--${name}' requires an argument`)
    this.words.push(`--${name}`)
    if (kind !== "none") this.#put(taken ?? "")
  }

  #parseShort(arg: string, left: Array<string>): void {
    for (let at = 1; at < arg.length; at++) {
      const letter = arg[at] ?? ""
      const kind = this.#short.get(letter)
      if (kind === undefined) {
        this.#fail(`invalid option -- '${letter}'`)
        continue
      }
      if (kind === "none") {
        this.words.push(`-${letter}`)
        continue
      }
      const rest = arg.slice(at + 1)
      const value = rest !== "" || kind === "optional" ? rest : left.shift()
      if (value === undefined) return this.#fail(`option requires an argument -- '${letter}'`)
      this.words.push(`-${letter}`)
      this.#put(value)
      return
    }
  }
}
