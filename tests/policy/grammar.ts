/**
 * Scripts by a grammar: here-documents, substitutions, quotes and backquotes within each other, and within their texts
 * what would end them and begin them anew around `evil`, as an attacker writes it who knows two readers that disagree.
 */
import type { Random } from "../support/random.ts"

/** What stands open around a text: what ends it, and what a text begins with that goes on in its place. */
interface Frame {
  readonly close: ReadonlyArray<string>
  readonly reopen: ReadonlyArray<string>
}

const delimiters = [
  "E",
  "EOF",
  "'E'",
  '"E"',
  "\\E",
  "E'F'",
  "''",
  "E)",
  "'E)'",
  "'E E'",
  "$E",
  "`E`",
  "'#'",
  "'('",
  "E\\\nF",
]

/** A delimiter as its line has it. */
const bare = (delimiter: string): string => delimiter.replace(/\\\n|['"\\]/g, "")

export class Grammar {
  readonly #r: Random
  readonly #frames: Array<Frame> = []
  /** The delimiters of the here-documents around, the innermost last. */
  readonly #delimiters: Array<string> = []

  constructor(r: Random) {
    this.#r = r
  }

  #within<A>(frame: Frame, make: () => A): A {
    this.#frames.push(frame)
    const made = make()
    this.#frames.pop()
    return made
  }

  /** Ends some of what stands open, runs `evil`, and begins the same again. */
  #escape(): string {
    const { int, pick } = this.#r
    const frames = this.#frames.slice(-int(1, 3))
    const delimiter = this.#delimiters.at(-1) ?? "E"
    const first = pick(["", "", delimiter, delimiter, delimiter, `${delimiter}x`, `\t${delimiter}`, "\\", "\n", "#"])
    const closing = frames.toReversed().map(({ close }) => pick(close)).join(pick(["", "", " ", "\n"]))
    const opening = frames.map(({ reopen }) => pick(reopen)).join("")
    return `${first}${closing}${pick([";", " ; ", "\n", " | ", " && "])}evil${
      pick([";", " ; ", "\n", " & "])
    }${opening}`
  }

  /** Text in which nothing is meant to run. */
  #text(): string {
    const { int, pick } = this.#r
    return pick([
      () => "a",
      () => "evil",
      () =>
        pick([
          "'",
          '"',
          "`",
          "\\",
          "$",
          "\\\\",
          "#",
          ")",
          "}",
          "]",
          "\\\n",
          "\n",
          "$(",
          "${",
          "((",
          "<<E",
          "\\'",
          '\\"',
          "\\`",
        ]),
      () => this.#escape(),
      () => this.#escape(),
      () => this.#text() + this.#text(),
      () => `${this.#text()}${pick([" ", "\n", ""])}${int(0, 9)}`,
    ])()
  }

  #hereDocument(depth: number): string {
    const { pick } = this.#r
    const delimiter = pick(delimiters)
    const dash = pick(["", "", "-"])
    const end = bare(delimiter)
    this.#delimiters.push(end)
    const lines = this.#within(
      { close: ["", "", "\n"], reopen: ["", "", ": <<E\n"] },
      () =>
        Array.from({ length: pick([1, 1, 2]) }, () =>
          pick([
            () => this.#escape(),
            () => this.#escape(),
            () => this.#text(),
            () => this.#escape(),
            () => this.#expansion(depth - 1),
            () => `${end}${pick([")", " )", "x", "`", '"', "}", ";", " ", "\\", "))"])}${this.#text()}`,
          ])()),
    )
    this.#delimiters.pop()
    const body = lines.join("\n")
    return `${pick([":", "cat", "ls"])} <<${dash}${delimiter}${
      pick(["", "", " | cat", " && ls", "; ls", ")"])
    }\n${body}\n${dash === "-" ? pick(["", "\t"]) : ""}${end}\n`
  }

  #expansion(depth: number): string {
    const { pick } = this.#r
    if (depth <= 0) return pick(["$x", "${x}", '"$x"', "$((1))"])
    const inner = (open: string, close: string, reopen: ReadonlyArray<string>, make: () => string): string =>
      open + this.#within({ close: [close], reopen }, make) + close
    return pick([
      () => inner("$(", ")", ["(:", "(", ": $(:", "$(", "( ("], () => this.script(depth - 1)),
      () => inner("$(", ")", ["(:", "(", ": $(:", "$("], () => this.script(depth - 1)),
      () => inner(pick(["<(", ">("]), ")", ["(:", "(", ": <(:"], () => this.script(depth - 1)),
      () =>
        inner("`", "`", ["`:", "`", ": `:"], () => this.script(depth - 1).replace(pick([/[`\\]/g, /[`]/g]), "\\$&")),
      () => inner("${x:-", "}", ["${x:-", ": ${x:-"], () => this.#word(depth - 1)),
      () => inner(pick(["${x#", "${x//", "${x/a/", "${x^"]), "}", ["${x#"], () => this.#word(depth - 1)),
      () =>
        inner(
          "$((",
          "))",
          ["$((", ": $((1 +"],
          () => pick(["1", "(1)", "'1'", this.#expansion(depth - 1), this.#text()]),
        ),
      () => inner("${x:", "}", ["${x:"], () => pick(["1", "1:2", this.#text()])),
    ])()
  }

  #word(depth: number): string {
    const { pick } = this.#r
    return pick([
      () => pick(["a", "./b", "*", "~", "{a,b}", "x=1", "-n", "$'a\\n'", "$'\\x27'", "#a", "a#b", "[a]", "{", "}"]),
      () => `'${this.#within({ close: ["'"], reopen: ["'", ": '"] }, () => this.#text())}'`,
      () => `"${this.#within({ close: ['"'], reopen: ['"', ': "'] }, () => this.#text())}"`,
      () => `"${this.#within({ close: ['"'], reopen: ['"', ': "'] }, () => this.#expansion(depth))}"`,
      () => `$'${this.#within({ close: ["'"], reopen: ["'", "$'"] }, () => this.#text())}'`,
      () => this.#expansion(depth),
      () => this.#expansion(depth),
      () => `\\${this.#text()}`,
      () => this.#word(depth) + this.#word(depth),
    ])()
  }

  #command(depth: number): string {
    const { int, pick } = this.#r
    if (depth <= 0) return pick(["ls", "echo a", ": a", "x=1", "cat"])
    const words = (): string => Array.from({ length: int(0, 2) }, () => this.#word(depth - 1)).join(" ")
    return pick([
      () => `${pick(["ls", "echo", ":", "cat"])} ${words()}`,
      () => `${pick(["ls", "echo", ":", "cat"])} ${words()}`,
      () => `: ${this.#expansion(depth)}`,
      () => `x=${this.#word(depth - 1)}`,
      () => this.#hereDocument(depth),
      () => this.#hereDocument(depth),
      () => `(${this.#within({ close: [")"], reopen: ["(:", "("] }, () => this.script(depth - 1))})`,
      () => `{ ${this.script(depth - 1)}\n}`,
      () => `case ${this.#word(depth - 1)} in ${this.#word(depth - 1)}) ${this.#command(depth - 1)}\n;; esac`,
      () => `[[ ${this.#word(depth - 1)} ${pick(["==", "=~", "<", "-nt"])} ${this.#word(depth - 1)} ]]`,
      () => `eval ${pick(["'", '"'])}${this.script(depth - 1)}${pick(["'", '"'])}`,
      () => `trap '${this.script(depth - 1)}' EXIT`,
      () => `a=(${this.#word(depth - 1)} ${this.#word(depth - 1)})`,
      () => `for i in ${this.#word(depth - 1)}; do ${this.#command(depth - 1)}\ndone`,
      () => `f() { ${this.#command(depth - 1)}\n}; f`,
      () => `ls <<< ${this.#word(depth - 1)}`,
    ])()
  }

  /** Commands, as many as there are lines. */
  script(depth: number): string {
    const { int, pick } = this.#r
    const commands = Array.from({ length: pick([1, 1, 1, 2]) }, () => this.#command(depth))
    return commands.join(pick(["\n", "\n", ";", " | ", " && "])) + (int(0, 9) === 0 ? ` # ${this.#text()}` : "")
  }
}
