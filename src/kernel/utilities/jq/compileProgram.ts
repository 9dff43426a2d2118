/** Compiles a program with its modules and variables. */
import { Compiler } from "./Compiler.ts"
import { identity } from "./FunctionNode.ts"
import { Frame, type Node } from "./Machine.ts"
import type { LoadedModule } from "./modules.ts"
import { LexicalScope } from "./LexicalScope.ts"
import type { Import } from "./Syntax.ts"
import type { Value } from "./values.ts"

export interface CompiledProgram {
  readonly node: Node
  readonly frame: Frame
}

/** Compiles a loaded program, which sees `variables`. Throws `SyntaxFailure`. */
export const compileProgram = (
  main: LoadedModule,
  variables: ReadonlyMap<string, Value>,
  libraries: ReadonlyArray<LoadedModule> = [],
): CompiledProgram => {
  const root = { level: 0, slots: 0 }
  const compiler = new Compiler(root)
  const frame = new Frame(undefined)
  const known = new Map<LoadedModule, LexicalScope>()
  let globals = new LexicalScope(root)
  const bind = (scope: LexicalScope, name: string, value: Value): LexicalScope => {
    frame.slots[root.slots] = value
    return scope.declare(name)
  }
  for (const [name, value] of variables) globals = bind(globals, name, value)

  /** Adds the functions between two scopes under a prefix. */
  const addFunctions = (scope: LexicalScope, from: LexicalScope, prefix: string): LexicalScope => {
    const found: Array<NonNullable<LexicalScope["binding"]>> = []
    for (let at: LexicalScope | undefined = from; at !== undefined && at !== globals; at = at.next) {
      if (at.binding?._tag === "Function" && !at.binding.name.includes("::")) found.push(at.binding)
    }
    return found.reverse().reduce((into, binding) => into.with({ ...binding, name: prefix + binding.name }), scope)
  }

  const addImport = (scope: LexicalScope, { isData, name }: Import, content: LoadedModule | Value): LexicalScope => {
    const isModule = typeof content === "object" && content !== null && "module" in content
    if (isModule) return addFunctions(scope, scopeOf(content), name === undefined ? "" : `${name}::`)
    if (!isData || name === undefined) return scope
    return bind(bind(scope, name, content), `${name}::${name}`, content)
  }

  const scopeOf = (loaded: LoadedModule): LexicalScope => {
    const before = known.get(loaded)
    if (before !== undefined) return before
    let scope = globals
    for (const [found, content] of loaded.imports) scope = addImport(scope, found, content)
    for (const definition of loaded.module.definitions) scope = compiler.define(definition, scope)
    known.set(loaded, scope)
    return scope
  }

  for (const library of libraries) globals = addFunctions(globals, scopeOf(library), "")
  const { body } = main.module
  const scope = scopeOf(main)
  return { node: body === undefined ? identity : compiler.compile(body, scope), frame }
}
