/**
 * Parses the expression of `find`: primaries joined by `!`, `-a`, `-o`, `,` and parentheses.
 *
 * Source: find(1).
 *
 * @module
 */
import type { UtilityIo } from "../shared/defineUtility.ts"
import { actions } from "./actions.ts"
import type { Expression, ExpressionState, Predicate, Primary } from "./Expression.ts"
import { tests } from "./tests.ts"

/** Parses an expression; fails if it is wrong. */
export const parseExpression = (io: UtilityIo, words: ReadonlyArray<string>): Expression =>
  new ExpressionParser(io, words).parse()

const primaries: ReadonlyMap<string, Primary> = new Map([...Object.entries(tests), ...Object.entries(actions)])

const and = (first: Predicate, second: Predicate): Predicate => async (entry) =>
  await first(entry) && await second(entry)

class ExpressionParser {
  readonly #words: ReadonlyArray<string>
  #at = 0
  #hasAction = false
  readonly #state: ExpressionState

  constructor(io: UtilityIo, words: ReadonlyArray<string>) {
    this.#words = words
    this.#state = {
      io,
      takeArgument: (name) => this.#words[this.#at++] ?? io.fail(`missing argument to \`${name}'`),
      depthFirst: false,
      minDepth: 0,
      maxDepth: Infinity,
      finishers: [],
    }
  }

  parse(): Expression {
    const given = this.#words.length === 0 ? () => true : this.#parseList()
    const rest = this.#peek()
    if (rest !== undefined) this.#state.io.fail(`unexpected ‘${rest}’`)
    const test = this.#hasAction ? given : and(given, this.#parsePrimary("-print"))
    const { depthFirst, finishers, maxDepth, minDepth } = this.#state
    const finish = async (): Promise<void> => {
      for (const finisher of finishers) await finisher()
    }
    return { depthFirst, finish, maxDepth, minDepth, test }
  }

  #peek(): string | undefined {
    return this.#words[this.#at]
  }

  #takeOneOf(...words: ReadonlyArray<string>): boolean {
    const found = words.includes(this.#peek() ?? "")
    if (found) this.#at++
    return found
  }

  #parseList(): Predicate {
    let test = this.#parseOr()
    while (this.#takeOneOf(",")) {
      const [first, second] = [test, this.#parseOr()]
      test = async (entry) => {
        await first(entry)
        return await second(entry)
      }
    }
    return test
  }

  #parseOr(): Predicate {
    let test = this.#parseAnd()
    while (this.#takeOneOf("-o", "-or")) {
      const [first, second] = [test, this.#parseAnd()]
      test = async (entry) => await first(entry) || await second(entry)
    }
    return test
  }

  #parseAnd(): Predicate {
    let test = this.#parseNot()
    for (;;) {
      const word = this.#peek()
      if (word === undefined || [")", ",", "-o", "-or"].includes(word)) return test
      this.#takeOneOf("-a", "-and")
      test = and(test, this.#parseNot())
    }
  }

  #parseNot(): Predicate {
    if (this.#takeOneOf("!", "-not")) {
      const test = this.#parseNot()
      return async (entry) => !await test(entry)
    }
    const { io } = this.#state
    if (this.#takeOneOf("(")) {
      const test = this.#parseList()
      if (!this.#takeOneOf(")")) io.fail("invalid expression; expected to find a ‘)’ but didn't see one.")
      return test
    }
    const word = this.#words[this.#at++]
    return word === undefined ? io.fail("expected an expression") : this.#parsePrimary(word)
  }

  #parsePrimary(name: string): Predicate {
    const { io } = this.#state
    const primary = primaries.get(name) ??
      io.fail(name[0] === "-" ? `unknown predicate \`${name}'` : `paths must precede expression: \`${name}'`)
    this.#hasAction ||= Object.hasOwn(actions, name) && name !== "-prune"
    return primary(this.#state, name)
  }
}
