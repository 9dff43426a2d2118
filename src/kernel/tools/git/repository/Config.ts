/** Reads and changes git's configuration: the files of the user and of the repository, and `-c`. Source: git-config(1). */
import type { System } from "../../../System.ts"
import { failure, fatal } from "../GitError.ts"
import { lstat, readTextIfExists, replaceFile } from "./files.ts"

/** Maximum bytes of a file, which is parsed at once. */
const maxConfigBytes = 1_048_576

export interface ConfigEntry {
  /** `section.name` in lower case, with an unchanged subsection between them. */
  readonly key: string
  readonly value: string
  /** Lines of the file that hold it. */
  readonly from: number
  readonly to: number
}

interface ParsedConfig {
  readonly lines: ReadonlyArray<string>
  readonly entries: ReadonlyArray<ConfigEntry>
  /** The line of the last header of each section. */
  readonly sections: ReadonlyMap<string, number>
}

const parseValue = (text: string): string => {
  let value = ""
  let [quoted, kept] = [false, 0]
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ""
    if (letter === '"') {
      quoted = !quoted
      kept = value.length
      continue
    }
    if (!quoted && (letter === "#" || letter === ";")) break
    if (letter === "\\") {
      const next = text[++at] ?? ""
      value += next === "n" ? "\n" : next === "t" ? "\t" : next === "b" ? "\b" : next
      kept = value.length
      continue
    }
    value += letter
    if (quoted || !/\s/.test(letter)) kept = value.length
  }
  return value.slice(0, kept)
}

const formatValue = (value: string): string => {
  const escaped = value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\t", "\\t")
  return /^\s|\s$|[#;]/.test(value) ? `"${escaped}"` : escaped
}

/** Whether a line ends with a backslash that is not itself escaped. */
const isContinued = (line: string): boolean => {
  let start = line.length
  while (line[start - 1] === "\\") start--
  return (line.length - start) % 2 === 1
}

const parse = (text: string): ParsedConfig => {
  const lines = text.split("\n")
  const entries: Array<ConfigEntry> = []
  const sections = new Map<string, number>()
  let section = ""
  for (let at = 0; at < lines.length; at++) {
    const from = at
    let line = (lines[at] ?? "").trim()
    const header = /^\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]\s*(.*)$/.exec(line)
    if (header !== null) {
      const [, name = "", sub, rest = ""] = header
      section = name.toLowerCase() + (sub === undefined ? "" : `.${sub.replace(/\\(.)/g, "$1")}`)
      sections.set(section, at)
      line = rest
    }
    if (line === "" || line.startsWith("#") || line.startsWith(";")) continue
    if (isContinued(line)) {
      const parts: Array<string> = []
      while (isContinued(line) && at + 1 < lines.length) {
        parts.push(line.slice(0, -1))
        line = lines[++at] ?? ""
      }
      line = parts.join("") + line
    }
    const [, name, value] = /^([A-Za-z][\w-]*)\s*(?:=\s*(.*))?$/s.exec(line) ?? []
    if (name === undefined) return fatal(`bad config line ${at + 1} in file config`)
    entries.push({
      key: `${section}.${name.toLowerCase()}`,
      value: value === undefined ? "true" : parseValue(value),
      from,
      to: at,
    })
  }
  return { lines, entries, sections }
}

/** The form of a key in which it is compared. */
export const configKey = (given: string): string => {
  const [first, last] = [given.indexOf("."), given.lastIndexOf(".")]
  if (first <= 0 || last === given.length - 1) return failure(`key does not contain a section: ${given}`)
  return given.slice(0, first).toLowerCase() + given.slice(first, last) + given.slice(last).toLowerCase()
}

const sectionOf = (key: string): string => key.slice(0, key.lastIndexOf("."))

const headerOf = (section: string): string => {
  const dot = section.indexOf(".")
  return dot < 0 ? `[${section}]` : `[${section.slice(0, dot)} "${section.slice(dot + 1).replace(/[\\"]/g, "\\$&")}"]`
}

/** One file of the configuration. */
export class ConfigFile {
  readonly #system: System
  readonly path: string
  #parsed: ParsedConfig | undefined

  constructor(system: System, path: string) {
    this.#system = system
    this.path = path
  }

  async #read(): Promise<ParsedConfig> {
    const size = this.#parsed === undefined ? lstat(this.#system, this.path)?.size ?? 0 : 0
    if (size > maxConfigBytes) fatal(`${this.path}: larger than ${maxConfigBytes} bytes`)
    return this.#parsed ??= parse(await readTextIfExists(this.#system, this.path) ?? "")
  }

  async entries(): Promise<ReadonlyArray<ConfigEntry>> {
    return (await this.#read()).entries
  }

  async #write(lines: ReadonlyArray<string>): Promise<void> {
    const text = lines.join("\n").replace(/\n*$/, "\n")
    await replaceFile(this.#system, this.path, text === "\n" ? "" : text)
    this.#parsed = undefined
  }

  /** Sets the value of a key; `name` is the last part as it was given. With `add`, in addition to existing values. */
  async set(key: string, name: string, value: string, add = false): Promise<void> {
    const { entries, lines, sections } = await this.#read()
    const line = `\t${name} = ${formatValue(value)}`
    const found = add ? undefined : entries.findLast((entry) => entry.key === key)
    if (found !== undefined) return this.#write([...lines.slice(0, found.from), line, ...lines.slice(found.to + 1)])
    const section = sectionOf(key)
    const start = sections.get(section)
    if (start === undefined) {
      return this.#write([...lines.filter((each, at) => at < lines.length - 1 || each !== ""), headerOf(section), line])
    }
    const next = Math.min(...[...sections.values()].filter((at) => at > start), lines.length)
    const last = Math.max(start, ...entries.filter(({ from }) => from >= start && from < next).map(({ to }) => to))
    return this.#write([...lines.slice(0, last + 1), line, ...lines.slice(last + 1)])
  }

  /** Removes the values of a key. Returns their number. */
  async unset(key: string, all: boolean): Promise<number> {
    const { entries, lines, sections } = await this.#read()
    const found = entries.filter((entry) => entry.key === key)
    if (found.length === 0 || (found.length > 1 && !all)) return found.length
    const gone = new Set(found.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)))
    // A section without further entries and comments is removed with its last entry.
    const start = sections.get(sectionOf(key)) ?? -1
    const next = Math.min(...[...sections.values()].filter((at) => at > start), lines.length)
    const rest = lines.slice(start + 1, next).filter((line, at) => !gone.has(start + 1 + at) && line.trim() !== "")
    if (start >= 0 && rest.length === 0) gone.add(start)
    await this.#write(lines.filter((_, at) => !gone.has(at)))
    return found.length
  }

  async removeSection(section: string): Promise<boolean> {
    const { lines, sections } = await this.#read()
    const start = sections.get(section)
    if (start === undefined) return false
    const next = Math.min(...[...sections.values()].filter((at) => at > start), lines.length)
    await this.#write([...lines.slice(0, start), ...lines.slice(next)])
    return true
  }

  async renameSection(from: string, to: string): Promise<void> {
    const { lines, sections } = await this.#read()
    const start = sections.get(from)
    if (start !== undefined) await this.#write(lines.map((line, at) => at === start ? headerOf(to) : line))
  }
}

/** The whole configuration of a run; later files take precedence. */
export class Config {
  readonly global: ConfigFile
  readonly local: ConfigFile | undefined
  readonly #overrides: ReadonlyArray<readonly [key: string, value: string]>

  constructor(system: System, gitdir: string | undefined, overrides: ReadonlyArray<readonly [string, string]>) {
    this.global = new ConfigFile(
      system,
      system.env.get("GIT_CONFIG_GLOBAL") ?? `${system.env.get("HOME") ?? ""}/.gitconfig`,
    )
    this.local = gitdir === undefined ? undefined : new ConfigFile(system, `${gitdir}/config`)
    this.#overrides = overrides
  }

  async list(): Promise<ReadonlyArray<readonly [key: string, value: string]>> {
    const files = [this.global, ...this.local === undefined ? [] : [this.local]]
    const lists = await Promise.all(files.map((file) => file.entries()))
    return [...lists.flat().map(({ key, value }) => [key, value] as const), ...this.#overrides]
  }

  async all(key: string): Promise<ReadonlyArray<string>> {
    return (await this.list()).flatMap(([each, value]) => each === key ? [value] : [])
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.all(key)).at(-1)
  }

  async flag(key: string, otherwise: boolean): Promise<boolean> {
    const value = (await this.get(key))?.toLowerCase()
    return value === undefined ? otherwise : ["true", "yes", "on", "1"].includes(value)
  }
}
