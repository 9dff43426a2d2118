/** Declares the names that a part of a program sees, and the locations of their values at run time. */
import type { Frame, Node } from "./Machine.ts"
import type { Definition } from "./Syntax.ts"

/** A function as a place of variables. */
export interface FunctionScope {
  readonly level: number
  slots: number
}

/** A function whose body is compiled when it is first needed. */
export interface FunctionCode {
  readonly definition: Definition
  readonly scope: FunctionScope
  entry: Node | undefined
}

export type Binding =
  | { readonly _tag: "Variable" | "Label"; readonly name: string; readonly owner: FunctionScope; readonly slot: number }
  | { readonly _tag: "Closure"; readonly name: string; readonly owner: FunctionScope; readonly index: number }
  | { readonly _tag: "Function"; readonly name: string; readonly owner: FunctionScope; readonly code: FunctionCode }

/** A chain of bindings, the innermost first. */
export class LexicalScope {
  readonly owner: FunctionScope
  readonly binding: Binding | undefined
  readonly next: LexicalScope | undefined

  constructor(owner: FunctionScope, binding?: Binding, next?: LexicalScope) {
    this.owner = owner
    this.binding = binding
    this.next = next
  }

  with(binding: Binding): LexicalScope {
    return new LexicalScope(this.owner, binding, this)
  }

  /** Declares a variable or a label in the current function. */
  declare(name: string, _tag: "Variable" | "Label" = "Variable"): LexicalScope {
    return this.with({ _tag, name, owner: this.owner, slot: this.owner.slots++ })
  }

  find(tag: "Variable" | "Label", name: string): { readonly owner: FunctionScope; readonly slot: number } | undefined {
    for (const binding of bindingsOf(this)) {
      if (binding._tag === tag && binding.name === name && "slot" in binding) return binding
    }
    return undefined
  }

  /** A function or a parameter of a name and a number of arguments. */
  findCallable(name: string, arity: number): Extract<Binding, { readonly _tag: "Closure" | "Function" }> | undefined {
    for (const binding of bindingsOf(this)) {
      if (binding._tag === "Closure" && binding.name === name && arity === 0) return binding
      if (binding._tag !== "Function" || binding.name !== name) continue
      if (binding.code.definition.params.length === arity) return binding
    }
    return undefined
  }

  /** The scope inside of a function. */
  enter(owner: FunctionScope): LexicalScope {
    return new LexicalScope(owner, undefined, this)
  }
}

function* bindingsOf(scope: LexicalScope): Generator<Binding> {
  for (let at: LexicalScope | undefined = scope; at !== undefined; at = at.next) {
    if (at.binding !== undefined) yield at.binding
  }
}

/** The frame some levels up. */
export const frameAt = (frame: Frame, levels: number): Frame => {
  let at = frame
  for (let count = levels; count > 0 && at.parent !== undefined; count--) at = at.parent
  return at
}
