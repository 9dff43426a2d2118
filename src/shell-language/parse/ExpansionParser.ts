/**
 * What `$` and backquotes begin: parameters, commands, arithmetic.
 *
 * @module
 */
import { Parameters } from "./ParameterParser.ts"
import type { Script, WordPart } from "../SyntaxTree.ts"
import { type Mode, modes } from "./WordParser.ts"

const special = /[@*#?$!-]/

/** Expansions; a script within them is read by what knows commands. */
export abstract class Expansions extends Parameters {
  /** A reader of a text within this one. `place` tells where its characters stand in the whole. */
  protected abstract within(text: string, place: (offset: number) => number): Expansions
  /** A whole script, to the end. */
  abstract script(): Script

  protected dollar(mode: Mode): WordPart | undefined {
    const start = this.pos++
    this.continuations()
    const c = this.peek()
    if (c === "(") {
      const text = this.arithmetic(this.pos, "$((")
      if (text !== undefined) return { _tag: "ArithmeticExpansion", text, span: this.span(start) }
      this.pos++
      const script = this.substituted(this.pos - 1)
      return { _tag: "CommandSubstitution", backquoted: false, script, span: this.span(start) }
    }
    if (c === "{") return this.braced(start, mode)
    if (c === "[") {
      this.pos++
      const text = this.arithmeticText(modes.oldArithmetic)
      if (this.peek() !== "]") throw this.unclosed("]", start)
      this.pos++
      return { _tag: "ArithmeticExpansion", text, span: this.span(start) }
    }
    const name = special.test(c) || /\d/.test(c) ? c : this.name()
    if (name === "") {
      this.pos = start
      return undefined
    }
    if (name === c && !/[A-Za-z_]/.test(c)) this.pos++
    return {
      _tag: "Parameter",
      name,
      subscript: undefined,
      indirect: false,
      operation: undefined,
      span: this.span(start),
    }
  }

  protected backquoted(mode: Mode): WordPart {
    const start = this.pos
    // Backslashes are taken off before the text within is read; where each character came from is kept.
    const from: Array<number> = []
    let text = ""
    let at = start + 1
    const escapable = mode.quoted && mode !== modes.hereDocument ? '$`\\"' : "$`\\"
    for (let c = this.text[at]; c !== "`"; c = this.text[at]) {
      if (c === undefined) throw this.unclosed("`", start)
      from.push(this.place(at))
      const next = this.text[at + 1]
      if (c === "\\" && next !== undefined && escapable.includes(next)) at++
      text += this.text[at++]
    }
    this.step(at - start)
    const end = this.place(at)
    this.enter()
    const script = this.within(text, (offset) => from[offset] ?? end).script()
    this.leave()
    this.pos = at + 1
    return { _tag: "CommandSubstitution", backquoted: true, script, span: this.span(start) }
  }
}
