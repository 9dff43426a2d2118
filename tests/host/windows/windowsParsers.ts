/**
 * Parses command lines as Windows does, after the documentation, so that a built line can be read back on any machine.
 */

const isBlank = (char: string | undefined): boolean => char === " " || char === "\t"

const programName = (line: string): readonly [name: string, rest: string] => {
  const quoted = /^"([^"]*)"?/.exec(line)
  if (quoted !== null) return [quoted[1] ?? "", line.slice(quoted[0].length)]
  const name = /^[^ \t]*/.exec(line)?.[0] ?? ""
  return [name, line.slice(name.length)]
}

/**
 * The arguments that a program gets, program name first. `"crt"`: the C runtime since 2008, where `""` within quotes
 * is a quote and the quotes go on; `"shell"`: CommandLineToArgvW, where they end there.
 *
 * Sources: Microsoft, "Parsing C command-line arguments"; "CommandLineToArgvW"; David Deley, "How Command Line
 * Parameters Are Parsed".
 */
export const argvOf = (line: string, rules: "crt" | "shell"): Array<string> => {
  const [program, rest] = programName(line)
  const argv = [program]
  let at = 0
  while (true) {
    while (isBlank(rest[at])) at++
    if (at >= rest.length) return argv
    let argument = ""
    let inQuotes = false
    while (at < rest.length && (inQuotes || !isBlank(rest[at]))) {
      let slashes = 0
      while (rest[at] === "\\") {
        slashes++
        at++
      }
      if (rest[at] !== '"') {
        argument += "\\".repeat(slashes)
        if (slashes === 0) argument += rest[at++]
        continue
      }
      argument += "\\".repeat(Math.floor(slashes / 2))
      at++
      if (slashes % 2 === 1) {
        argument += '"'
      } else if (inQuotes && rest[at] === '"') {
        argument += '"'
        at++
        if (rules === "shell") inQuotes = false
      } else {
        inQuotes = !inQuotes
      }
    }
    argv.push(argument)
  }
}

/**
 * `%NAME%` and `%NAME:~start,end%` as cmd.exe expands them outside a batch file: an unknown name stays as it is, and
 * the search goes on right after its first `%`. `cd` is always known.
 *
 * Source: "How does the Windows Command Interpreter (CMD.EXE) parse scripts?", phase 1, command-line mode.
 */
export const expandPercent = (line: string, environment: Readonly<Record<string, string>>): string => {
  const variables = new Map(Object.entries({ cd: "C:\\here", ...environment }).map(([n, v]) => [n.toLowerCase(), v]))
  let out = ""
  let at = 0
  while (at < line.length) {
    const found = line[at] === "%" ? /^%([^%:]+)(?::~(-?\d*)(,)?(-?\d*))?%/.exec(line.slice(at)) : null
    const value = found === null ? undefined : variables.get((found[1] ?? "").toLowerCase())
    if (found === null || value === undefined) {
      out += line[at++]
      continue
    }
    const [, , start, comma, length] = found
    const end = Number(length) < 0 ? Number(length) : Number(start) + Number(length)
    // `%x:~,%`: from the start, and a length of nothing is no length at all.
    out += start === undefined
      ? value
      : comma === undefined
      ? value.slice(Number(start))
      : value.slice(Number(start), end)
    at += found[0].length
  }
  return out
}

/** A command as cmd.exe runs it: its name, and the text after it, which a batch file sees as `%*`. */
export interface CmdCommand {
  readonly name: string
  readonly tail: string
}

/**
 * What `cmd.exe … /s /c LINE` runs: the outer quotes off, `%` expanded, then quotes toggled, and every operator or
 * `^` that is not in quotes is an error here, since no argument may bring one.
 */
export const cmdRuns = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>): CmdCommand => {
  const line = args.at(-1) ?? ""
  if (!line.startsWith('"') || !line.endsWith('"')) throw new Error(`no outer quotes: ${line}`)
  const text = expandPercent(line.slice(1, -1), environment)
  assertNoSyntax(text)
  const [name, tail] = programName(text)
  return { name, tail }
}

/** Throws when cmd.exe would see anything but words. */
export const assertNoSyntax = (text: string): void => {
  let inQuotes = false
  for (const char of text) {
    if (char === '"') inQuotes = !inQuotes
    else if (!inQuotes && /[&|<>()^\r\n\0]/.test(char)) throw new Error(`an operator: ${char} in ${text}`)
  }
  if (inQuotes) throw new Error(`an open quote: ${text}`)
}

/** The arguments as a batch file counts them, `%1` and on: split at blanks, `,`, `;` and `=` outside quotes. */
export const batchArguments = (tail: string): Array<string> => {
  const found: Array<string> = []
  let word = ""
  let inQuotes = false
  for (const char of tail) {
    if (char === '"') inQuotes = !inQuotes
    if (!inQuotes && /[ \t,;=\v\f\u00a0]/.test(char)) {
      if (word !== "") found.push(word)
      word = ""
    } else word += char
  }
  return word === "" ? found : [...found, word]
}
