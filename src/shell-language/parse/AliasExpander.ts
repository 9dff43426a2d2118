/**
 * Replaces the name of an alias at the scanner's position by the alias's text. Source: POSIX.1-2024 XCU 2.3.1 "Alias
 * Substitution".
 */
import type { Scanner } from "./Scanner.ts"

/** Matches an unquoted whole word, which may be an alias. */
const aliasName = /^[^\s\\$`'"/&;|()<>=]+(?=[\s&;|()<>]|$)/

export class AliasExpander {
  private readonly scanner: Scanner
  /** The aliases whose text is being read, with the length of the text after each. */
  private readonly active: Array<{ readonly name: string; readonly left: number }> = []
  /** Position of the last alias that ends with a blank, and the length of the text after it: the next word may be an alias. */
  last: { readonly at: number; readonly left: number } | undefined

  constructor(scanner: Scanner) {
    this.scanner = scanner
  }

  /** Replaces the name at the position by its text, repeatedly; an alias is not replaced within its own text. */
  expand(): void {
    const { scanner } = this
    const { aliases } = scanner.state
    while (aliases !== undefined) {
      scanner.skipBlanks()
      const name = aliasName.exec(scanner.text.slice(scanner.position, scanner.position + 128))?.[0] ?? ""
      while (scanner.text.length - scanner.position <= (this.active.at(-1)?.left ?? -1)) this.active.pop()
      const value = name === "" || this.active.some((other) => other.name === name) ? undefined : aliases(name)
      if (value === undefined) return
      scanner.replace(scanner.position, scanner.position + name.length, value)
      const left = scanner.text.length - scanner.position - value.length
      this.active.push({ name, left })
      scanner.skipBlanks()
      if (/[ \t]$/.test(value)) this.last = { at: scanner.position, left }
    }
  }
}
