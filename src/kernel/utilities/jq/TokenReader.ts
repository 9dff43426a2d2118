/** Reads the tokens of a jq program one after the other, and reports syntax errors. */
import { type Token, tokenize } from "./tokenize.ts"
import { SyntaxFailure } from "./Syntax.ts"

export const keywords: ReadonlySet<string> = new Set(
  "as def module import include if then else elif end reduce foreach and or try catch label break __loc__".split(" "),
)

export abstract class TokenReader {
  protected readonly file: string
  protected tokens: ReadonlyArray<Token>
  protected at = 0
  protected depth = 0

  constructor(source: string, file = "<top-level>") {
    this.file = file
    this.tokens = tokenize(source)
  }

  protected get line(): number {
    return (this.tokens[this.at] ?? this.tokens.at(-1))?.line ?? 1
  }

  protected fail(message?: string): never {
    const token = this.tokens[this.at]
    const found = token === undefined
      ? "end of file"
      : token._tag === "Operator"
      ? `'${token.text}'`
      : token._tag === "String"
      ? "QQSTRING_START"
      : token._tag === "Name"
      ? keywords.has(token.text) ? token.text : "IDENT"
      : { Field: "FIELD", Variable: "BINDING", Format: "FORMAT", Number: "LITERAL" }[token._tag]
    throw new SyntaxFailure(message ?? `syntax error, unexpected ${found} (Unix shell quoting issues?)`, this.line)
  }

  /** Whether an operator or a keyword comes next. */
  protected sees(text: string): boolean {
    const token = this.tokens[this.at]
    return token !== undefined && token.text === text && (token._tag === "Operator" || token._tag === "Name")
  }

  protected accept(text: string): boolean {
    if (!this.sees(text)) return false
    this.at++
    return true
  }

  protected expect(text: string): void {
    if (!this.accept(text)) this.fail()
  }

  /** Takes a token of a kind. */
  protected take(tag: Token["_tag"]): string | undefined {
    const token = this.tokens[this.at]
    if (token?._tag !== tag) return undefined
    this.at++
    return token.text
  }
}
