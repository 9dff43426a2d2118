/** Parses a jq program or module. Source: jq(1), the grammar of jq 1.7.1. */
import { ExpressionParser } from "./ExpressionParser.ts"
import { JqObject, type Value } from "./values.ts"
import type { Definition, Import, Module } from "./Syntax.ts"
import { constantOf } from "./constantOf.ts"

export class ModuleParser extends ExpressionParser {
  module(): Module {
    const meta = this.accept("module") ? this.#meta() : undefined
    const imports: Array<Import> = []
    while (this.sees("import") || this.sees("include")) imports.push(this.#import())
    const definitions: Array<Definition> = []
    while (this.sees("def")) definitions.push(this.definition())
    if (this.at === this.tokens.length) return { meta, imports, definitions, body: undefined }
    const body = this.pipe()
    if (this.at < this.tokens.length) this.fail()
    return { meta, imports, definitions, body }
  }

  /** A constant object and a semicolon. */
  #meta(): Value {
    const value = constantOf(this.pipe())
    if (value === undefined) return this.fail("Module metadata must be constant")
    if (!(value instanceof JqObject)) return this.fail("Module metadata must be an object")
    this.expect(";")
    return value
  }

  #import(): Import {
    const isInclude = this.accept("include")
    if (!isInclude) this.expect("import")
    const text = this.string("text")
    const path = text === undefined ? this.fail() : constantOf(text)
    if (typeof path !== "string") return this.fail("Import path must be constant")
    let name: string | undefined
    let isData = false
    if (!isInclude) {
      this.expect("as")
      const variable = this.take("Variable")
      isData = variable !== undefined
      name = variable ?? this.take("Name") ?? this.fail()
    }
    if (this.accept(";")) return { path, name, isData, meta: null }
    return { path, name, isData, meta: this.#meta() }
  }
}
