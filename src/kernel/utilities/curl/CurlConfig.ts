/** Parses the command line and the configuration files of curl. Source: curl(1). */
import { decodeLossless } from "../../../base/surrogateEscape.ts"
import type { System } from "../../System.ts"
import { UtilityExit } from "../shared/UtilityExit.ts"
import { readFile } from "../http/files.ts"
import { type CurlOption, curlOptions } from "./optionTable.ts"

/** A URL with its output and its upload, as far as they were given. */
export interface UrlSlot {
  url?: string
  /** A file; `undefined` for standard output. */
  output?: string
  isRemoteName?: boolean
  hasOutput?: boolean
  upload?: string
}

/** The options of one group of URLs, up to `--next`. */
export class CurlConfig {
  readonly #flags = new Map<string, boolean>()
  readonly #values = new Map<string, Array<string>>()
  readonly slots: Array<UrlSlot> = []
  /** Indexes before which each slot has that part. */
  readonly #open = { url: 0, upload: 0, hasOutput: 0 }
  /** `-d`, `--json` and the like, in order. */
  readonly data: Array<readonly [option: string, value: string]> = []
  readonly form: Array<readonly [option: string, value: string]> = []

  has(flag: string): boolean {
    return this.#flags.get(flag) === true
  }

  value(name: string): string | undefined {
    return this.#values.get(name)?.at(-1)
  }

  values(name: string): ReadonlyArray<string> {
    return this.#values.get(name) ?? []
  }

  set(flag: string, on: boolean): void {
    this.#flags.set(flag, on)
  }

  add(name: string, value: string): void {
    const values = this.#values.get(name) ?? []
    this.#values.set(name, values)
    values.push(value)
  }

  /** The first slot that lacks a part, or a new one. */
  slot(part: "url" | "upload" | "hasOutput"): UrlSlot {
    while (this.slots[this.#open[part]]?.[part] !== undefined) this.#open[part]++
    return this.slots[this.#open[part]] ??= {}
  }
}

/** Options that apply to all groups. */
const globals: ReadonlySet<string> = new Set([
  ...[
    "fail-early",
    "help",
    "progress-bar",
    "progress-meter",
    "show-error",
    "silent",
    "styled-output",
    "stderr",
    "verbose",
  ],
  "version",
])

const numbers: ReadonlySet<string> = new Set(["max-redirs", "retry", "retry-delay", "retry-max-time", "max-filesize"])
const seconds: ReadonlySet<string> = new Set(["connect-timeout", "max-time"])
const withData = /^(data(-ascii|-binary|-raw|-urlencode)?|json)$/
const tryHelp = "\ncurl: try 'curl --help' or 'curl --manual' for more information"

const fail = (option: string, problem: string, exitCode = 2): never => {
  throw new UtilityExit(exitCode, `option ${option}: ${problem}${tryHelp}`)
}

/** Maximum nesting of configuration files. */
const maxDepth = 10

const maxOptions = 100_000

/** Characters of a line of a configuration. */
const maxLineLength = 102_400

/** Characters of a configuration that are parsed in one step. */
const stepLength = 16_384

export class CurlCommandLine {
  readonly #system: System
  #count = 0
  readonly #warn: (message: string) => void
  readonly global: CurlConfig = new CurlConfig()
  readonly configs: Array<CurlConfig> = [new CurlConfig()]

  constructor(system: System, warn: (message: string) => void) {
    this.#system = system
    this.#warn = warn
  }

  get #config(): CurlConfig {
    return this.configs.at(-1) ?? new CurlConfig()
  }

  #find(given: string): CurlOption | undefined {
    const exact = curlOptions.get(given)
    if (exact !== undefined || !given.startsWith("--")) return exact
    const near = new Set([...curlOptions].filter(([name]) => name.startsWith(given)).map(([, option]) => option))
    const [only] = near
    return near.size > 1 ? fail(given, "is ambiguous") : only
  }

  async parse(args: ReadonlyArray<string>): Promise<void> {
    if (!/^(-q|--disable)/.test(args[0] ?? "")) {
      const home = this.#system.env.get("HOME")
      const path = `${home}/.curlrc`
      if (home !== undefined && typeof this.#system.stat(path) === "object") await this.#readConfig(path, 1)
    }
    await this.#parse(args, 0)
  }

  async #parse(args: ReadonlyArray<string>, depth: number): Promise<void> {
    let hasEnded = false
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? ""
      if (hasEnded || arg[0] !== "-" || arg === "-") {
        await this.#apply("url", "--url", arg, depth)
        continue
      }
      if (arg === "--") {
        hasEnded = true
        continue
      }
      const letters = arg.startsWith("--") ? [arg] : Array.from(arg.slice(1), (letter) => `-${letter}`)
      for (let letter = 0; letter < letters.length; letter++) {
        const given = letters[letter] ?? ""
        const isOff = given.startsWith("--no-") && !curlOptions.has(given)
        const option = this.#find(isOff ? `--${given.slice(5)}` : given) ?? fail(given, "is unknown")
        if (option.kind === "refused") return fail(given, `is not here; ${option.hint}`)
        if (option.kind === "flag") {
          this.#flag(option.name, given === "-N" ? false : !isOff)
          continue
        }
        if (isOff) return fail(given, "used '--no-' for option that isn't a boolean")
        const rest = letters.slice(letter + 1).map((each) => each.slice(1)).join("")
        const value = rest === "" ? args[++at] : rest
        await this.#apply(option.name, given, value ?? fail(given, "requires parameter"), depth)
        break
      }
    }
  }

  #flag(name: string, on: boolean): void {
    if (globals.has(name)) this.global.set(name, on)
    else if (name === "next") {
      if (this.#config.slots.every(({ url }) => url === undefined)) fail("--next", "missing URL before --next")
      this.configs.push(new CurlConfig())
    } else if (name === "remote-name") {
      const slot = this.#config.slot("hasOutput")
      slot.hasOutput = true
      if (on) slot.isRemoteName = true
    } else this.#config.set(name, on)
  }

  async #apply(name: string, given: string, value: string, depth: number): Promise<void> {
    const config = this.#config
    if (++this.#count > maxOptions) return fail(given, `more than ${maxOptions} options and URLs`)
    if (numbers.has(name) && !/^-?\d+$/.test(value) || seconds.has(name) && !/^\d*\.?\d+$/.test(value)) {
      return fail(given, "expected a proper numerical parameter")
    }
    if (numbers.has(name) && value.startsWith("-") && name !== "max-redirs") {
      return fail(given, "expected a positive numerical parameter")
    }
    if (name === "config") {
      if (depth >= maxDepth) return fail(given, "too many configuration files within each other")
      await this.#readConfig(value, depth + 1, given)
    } else if (name === "url") config.slot("url").url = value
    else if (name === "upload-file") config.slot("upload").upload = value
    else if (name === "output") {
      const slot = config.slot("hasOutput")
      slot.hasOutput = true
      slot.output = value
    } else if (withData.test(name)) config.data.push([name, value])
    else if (name === "form" || name === "form-string") {
      if (!value.includes("=")) {
        if (!this.global.has("silent")) this.#warn("Illegally formatted input field!")
        return fail(given, "is badly used here")
      }
      config.form.push([name, value])
    } else if (globals.has(name)) this.global.add(name, value)
    else config.add(name, value)
  }

  async #readConfig(path: string, depth: number, given = "-K"): Promise<void> {
    const bytes = await readFile(this.#system, path)
    if (typeof bytes === "number") {
      const shown = this.global.has("silent") ? "" : `cannot read config from '${path}'\ncurl: `
      throw new UtilityExit(26, `${shown}option ${given}: error encountered when reading a file${tryHelp}`)
    }
    let read = 0
    for (const line of decodeLossless(bytes).split(/\r?\n/)) {
      if (line.length > maxLineLength) fail(given, `a line of '${path}' is longer than ${maxLineLength} characters`)
      read += line.length + 1
      if (read > stepLength) {
        read = 0
        await this.#system.yield(Infinity)
      }
      const [, word, quoted, plain] = /^\s*([^\s#=:"][^\s=:]*)\s*[=:]?\s*(?:"((?:[^"\\]|\\.)*)"?|(\S*))/.exec(line) ??
        []
      if (word === undefined) continue
      const value = quoted?.replace(/\\(.)/g, (_, letter: string) => escapes.get(letter) ?? letter) ?? plain ?? ""
      const option = word.startsWith("-") ? word : `--${word}`
      // A short option may have its value attached.
      const takesValue = curlOptions.get(option)?.kind === "text"
      await this.#parse(takesValue || value !== "" ? [option, value] : [option], depth)
    }
  }
}

const escapes: ReadonlyMap<string, string> = new Map([["t", "\t"], ["n", "\n"], ["r", "\r"], ["v", "\v"]])
