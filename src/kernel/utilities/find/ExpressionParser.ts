/**
 * Reads the expression of find.
 *
 * Source: find(1).
 *
 * @module
 */
import { FileType, type Stat } from "../../Stat.ts"
import { compileGlob } from "../shared/compileGlob.ts"
import { changeMode, typeLetter } from "../shared/modes.ts"
import { compileRegex } from "../../regex/Regex.ts"
import { textToBinary } from "../../binaryString.ts"
import { runCommand } from "../shared/spawn.ts"
import type { UtilityIo } from "../shared/utility.ts"
import { dirName } from "../shared/paths.ts"
import type { Expression, Predicate } from "./Expression.ts"
import { printfAction } from "./printfAction.ts"

const sizeUnits: Readonly<Record<string, number>> = { b: 512, c: 1, G: 2 ** 30, k: 1024, M: 2 ** 20, w: 2 }
const kinds: Readonly<Record<string, string>> = { b: "b", c: "c", d: "d", f: "-", l: "l", p: "p", s: "s" }
const minute = 60_000_000_000n

/** `+5`, `-5` or `5` against a number. */
const numberTest = (io: UtilityIo, name: string, text: string): (value: number) => boolean => {
  const match = /^([-+]?)([0-9]+(?:\.[0-9]+)?)$/.exec(text)
  if (match === null) return io.fail(`invalid argument ‘${text}’ to ‘${name}’`)
  const wanted = Number(match[2])
  return match[1] === "+"
    ? (value) => value > wanted
    : match[1] === "-"
    ? (value) => value < wanted
    : (value) => value === wanted
}

/** Reads an expression and answers with what it does. */
export const parseExpression = (io: UtilityIo, words: ReadonlyArray<string>): Expression =>
  new ExpressionParser(io, words).read()

class ExpressionParser {
  readonly #io: UtilityIo
  readonly #words: ReadonlyArray<string>
  #at = 0
  #acts = false
  #depthFirst = false
  #least = 0
  #most = Infinity
  readonly #finish: Array<() => Promise<void>> = []

  constructor(io: UtilityIo, words: ReadonlyArray<string>) {
    this.#io = io
    this.#words = words
  }

  read(): Expression {
    const given = this.#words.length === 0 ? () => true : this.#list()
    if (this.#at < this.#words.length) this.#io.fail(`unexpected ‘${this.#words[this.#at] ?? ""}’`)
    const test: Predicate = this.#acts ? given : both(given, this.#print("\n"))
    return {
      depthFirst: this.#depthFirst,
      finish: async () => {
        for (const task of this.#finish) await task()
      },
      minDepth: this.#least,
      maxDepth: this.#most,
      test,
    }
  }

  #value(name: string): string {
    const value = this.#words[this.#at++]
    return value ?? this.#io.fail(`missing argument to \`${name}'`)
  }

  #list(): Predicate {
    let test = this.#either()
    while (this.#words[this.#at] === ",") {
      this.#at++
      const [first, second] = [test, this.#either()]
      test = async (found) => {
        await first(found)
        return await second(found)
      }
    }
    return test
  }

  #either(): Predicate {
    let test = this.#every()
    while (["-o", "-or"].includes(this.#words[this.#at] ?? "")) {
      this.#at++
      const [first, second] = [test, this.#every()]
      test = (found) => {
        const one = first(found)
        return typeof one === "boolean" ? one || second(found) : one.then((yes) => yes || second(found))
      }
    }
    return test
  }

  #every(): Predicate {
    let test = this.#one()
    for (;;) {
      const word = this.#words[this.#at]
      if (word === undefined || word === ")" || word === "," || word === "-o" || word === "-or") return test
      if (word === "-a" || word === "-and") this.#at++
      test = both(test, this.#one())
    }
  }

  #one(): Predicate {
    const word = this.#words[this.#at++]
    if (word === "!" || word === "-not") {
      const test = this.#one()
      return (found) => {
        const yes = test(found)
        return typeof yes === "boolean" ? !yes : yes.then((answer) => !answer)
      }
    }
    if (word === "(") {
      const test = this.#list()
      if (this.#words[this.#at++] !== ")") {
        this.#io.fail("invalid expression; expected to find a ‘)’ but didn't see one.")
      }
      return test
    }
    if (word === undefined) return this.#io.fail("expected an expression")
    return this.#primary(word)
  }

  #print(end: string): Predicate {
    return ({ path }) => {
      this.#io.print(path + end)
      return true
    }
  }

  #when(name: string, what: (stat: Stat) => bigint, unit: bigint): Predicate {
    const test = numberTest(this.#io, name, this.#value(name))
    const now = this.#io.system.now()
    return ({ stat }) => test(Number((now - what(stat)) / unit))
  }

  #newer(name: string, what: (stat: Stat) => bigint): Predicate {
    const path = this.#value(name)
    const stat = this.#io.system.stat(path)
    if (typeof stat === "number") return this.#io.fail(`‘${path}’`, stat)
    return (found) => what(found.stat) > stat.modified
  }

  #primary(name: string): Predicate {
    const io = this.#io
    switch (name) {
      case "-name":
      case "-iname": {
        const test = compileGlob(this.#value(name), name === "-iname")
        return (found) => test(found.name)
      }
      case "-path":
      case "-wholename":
      case "-ipath": {
        const test = compileGlob(this.#value(name), name === "-ipath")
        return (found) => test(found.path)
      }
      case "-lname": {
        const test = compileGlob(this.#value(name))
        return (found) => {
          const target = found.stat.type === FileType.symbolicLink ? io.system.readlink(found.path) : ""
          return typeof target === "string" && target !== "" && test(target)
        }
      }
      case "-regex":
      case "-iregex": {
        const pattern = compileRegex([this.#value(name)], { ignoreCase: name === "-iregex", utf8: true, whole: "line" })
        if (typeof pattern === "string") return io.fail(pattern)
        return (found) => pattern.test(textToBinary(found.path))
      }
      case "-type": {
        const letters = this.#value(name).split(",").map((letter) =>
          kinds[letter] ?? io.fail(`Unknown argument to -type: ${letter}`)
        )
        return (found) => letters.includes(typeLetter(found.stat))
      }
      case "-maxdepth":
      case "-mindepth": {
        const depth = this.#value(name)
        if (!/^[0-9]+$/.test(depth)) {
          io.fail(`Expected a positive decimal integer argument to ${name}, but got ‘${depth}’`)
        }
        if (name === "-maxdepth") this.#most = Number(depth)
        else this.#least = Number(depth)
        return () => true
      }
      case "-depth":
        this.#depthFirst = true
        return () => true
      case "-true":
        return () => true
      case "-false":
        return () => false
      case "-xdev":
      case "-mount":
      case "-daystart":
      case "-noleaf":
      case "-follow":
        return () => true
      case "-newer":
        return this.#newer(name, (stat) => stat.modified)
      case "-anewer":
        return this.#newer(name, (stat) => stat.accessed)
      case "-cnewer":
        return this.#newer(name, (stat) => stat.changed)
      case "-size": {
        const match = /^([-+]?[0-9]+)([bckwMG]?)$/.exec(this.#value(name))
        if (match === null) return io.fail(`invalid -size type \`${this.#words[this.#at - 1] ?? ""}'`)
        const unit = sizeUnits[match[2] || "b"] ?? 512
        const test = numberTest(io, name, match[1] ?? "")
        return ({ stat }) => test(Math.ceil((stat.type === FileType.directory ? 4096 : stat.size) / unit))
      }
      case "-mtime":
        return this.#when(name, (stat) => stat.modified, minute * 1440n)
      case "-atime":
        return this.#when(name, (stat) => stat.accessed, minute * 1440n)
      case "-ctime":
        return this.#when(name, (stat) => stat.changed, minute * 1440n)
      case "-mmin":
        return this.#when(name, (stat) => stat.modified, minute)
      case "-amin":
        return this.#when(name, (stat) => stat.accessed, minute)
      case "-cmin":
        return this.#when(name, (stat) => stat.changed, minute)
      case "-links": {
        const test = numberTest(io, name, this.#value(name))
        return ({ stat }) => test(stat.links)
      }
      case "-inum": {
        const test = numberTest(io, name, this.#value(name))
        return ({ stat }) => test(stat.inode)
      }
      case "-empty":
        return (found) => {
          if (found.stat.type === FileType.regularFile) return found.stat.size === 0
          const entries = found.stat.type === FileType.directory ? io.system.list(found.path) : undefined
          return typeof entries === "object" && entries.length === 0
        }
      case "-perm": {
        const text = this.#value(name)
        const sign = /^[-/]/.exec(text)?.[0] ?? ""
        const wanted = changeMode(text.slice(sign.length), 0, false, 0) ?? io.fail(`invalid mode ‘${text}’`)
        return ({ stat: { mode } }) =>
          sign === ""
            ? mode === wanted
            : sign === "-"
            ? (mode & wanted) === wanted
            : wanted === 0 || (mode & wanted) !== 0
      }
      case "-executable":
      case "-readable":
      case "-writable": {
        const bits = name === "-executable" ? 0o111 : name === "-readable" ? 0o444 : 0o222
        return ({ stat }) => (stat.mode & bits) !== 0 || stat.type === FileType.symbolicLink
      }
      case "-print":
      case "-print0":
        this.#acts = true
        return this.#print(name === "-print" ? "\n" : "\0")
      case "-printf":
        this.#acts = true
        return printfAction(io, this.#value(name))
      case "-prune":
        return (found) => {
          found.prune = true
          return true
        }
      case "-quit":
        this.#acts = true
        return () => io.exit(io.exitCode)
      case "-delete":
        this.#acts = true
        this.#depthFirst = true
        return (found) => {
          if (found.path === ".") return true
          const { system } = io
          const result = found.stat.type === FileType.directory
            ? system.removeDirectory(found.path)
            : system.unlink(found.path)
          if (result < 0) io.warn(`cannot delete ‘${found.path}’`, result)
          return result >= 0
        }
      case "-exec":
      case "-execdir":
      case "-ok":
        this.#acts = true
        return this.#exec(name)
      default:
        return io.fail(name[0] === "-" ? `unknown predicate \`${name}'` : `paths must precede expression: \`${name}'`)
    }
  }

  #exec(name: string): Predicate {
    const io = this.#io
    const words: Array<string> = []
    for (;;) {
      const word = this.#value(name)
      if (word === ";") break
      if (word === "+" && words[words.length - 1] === "{}") {
        words.pop()
        return this.#gather(words)
      }
      words.push(word)
    }
    if (words.length === 0) return io.fail(`missing argument to \`${name}'`)
    return async (found) => {
      const path = name === "-execdir" ? `./${found.name}` : found.path
      const cwd = name === "-execdir" ? dirName(found.path) : undefined
      return await runCommand(io, words.map((word) => word.replaceAll("{}", path)), { cwd, startFailedExitCode: 1 }) ===
        0
    }
  }

  #gather(words: ReadonlyArray<string>): Predicate {
    let paths: Array<string> = []
    let length = 0
    const run = async (): Promise<void> => {
      if (paths.length === 0) return
      const batch = paths
      paths = []
      length = 0
      if (await runCommand(this.#io, [...words, ...batch], { startFailedExitCode: 1 }) !== 0) this.#io.exitCode = 1
    }
    this.#finish.push(run)
    return async ({ path }) => {
      paths.push(path)
      length += path.length + 1
      if (length > 128_000) await run()
      return true
    }
  }
}

const both = (first: Predicate, second: Predicate): Predicate => (found) => {
  const one = first(found)
  return typeof one === "boolean" ? one && second(found) : one.then((yes) => yes && second(found))
}
