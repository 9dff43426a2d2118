/** Lists the commands and redirections of a script, with their effects on later ones. */
import {
  children,
  type FileRedirect,
  type Node,
  type Script,
  type SimpleCommand,
  type Span,
} from "../shell-language/ShellLanguage.ts"
import { changesOf, type PartlyKnown, type ScriptChange, wordsOf } from "./scriptChanges.ts"

export interface ScriptCall {
  readonly node: SimpleCommand
  readonly words: PartlyKnown
  /** Whether it is in a function, and so may run after commands that follow it. */
  readonly isDeferred: boolean
}

export interface ScriptRedirect {
  readonly node: FileRedirect
  readonly isDeferred: boolean
}

export interface ScriptCalls {
  readonly calls: ReadonlyArray<ScriptCall>
  readonly redirects: ReadonlyArray<ScriptRedirect>
  readonly changes: ReadonlyArray<ScriptChange>
  /** The ends of function definitions, by name; `undefined` for a definition that may not happen. */
  readonly functions: ReadonlyMap<string, number | undefined>
}

/** The part of a script in which a command's changes apply. */
interface Scope {
  /** The start of the outermost loop. */
  readonly from: number | undefined
  readonly to: number
  readonly isDeferred: boolean
}

const scopeIn = (node: Node, scope: Scope, whole: Span): Scope => {
  switch (node._tag) {
    case "FunctionDefinition":
      return { from: 0, to: whole.end, isDeferred: true }
    case "Subshell":
    case "CommandSubstitution":
    case "ProcessSubstitution":
    case "Coprocess":
      return { ...scope, to: scope.isDeferred ? scope.to : node.span.end }
    case "While":
    case "For":
    case "ForArithmetic":
    case "Select":
      return { ...scope, from: scope.from ?? node.span.start }
    default:
      return scope
  }
}

export const readScriptCalls = (script: Script, text: string): ScriptCalls => {
  const calls: Array<ScriptCall> = []
  const redirects: Array<ScriptRedirect> = []
  const changes: Array<ScriptChange> = []
  const functions = new Map<string, number | undefined>()
  const certain = new Set<Node>(
    script.statements.flatMap(({ background, pipelines: [first, second] }) =>
      first !== undefined && second === undefined && !background && first.commands.length === 1 ? first.commands : []
    ),
  )
  const seen = new Set<Node>()
  const visit = (node: Node, outer: Scope): void => {
    if (seen.has(node)) return
    seen.add(node)
    const scope = scopeIn(node, outer, script.span)
    const { isDeferred } = scope
    if (node._tag === "SimpleCommand") {
      calls.push({ node, words: wordsOf(node), isDeferred })
    } else if (node._tag === "FileRedirect") redirects.push({ node, isDeferred })
    else if (node._tag === "FunctionDefinition") {
      functions.set(node.name, certain.has(node) ? node.span.end : undefined)
    }
    // A loop returns to the commands before the change.
    const start = scope.from ?? (node._tag === "SimpleCommand" ? node.span.end : node.span.start)
    changes.push(...changesOf(node, text, { start, end: scope.to }))
    for (const child of children(node)) visit(child, scope)
  }
  visit(script, { from: undefined, to: Infinity, isDeferred: false })
  const byStart = (a: { readonly node: Node }, b: { readonly node: Node }): number =>
    a.node.span.start - b.node.span.start
  return { calls: calls.sort(byStart), redirects: redirects.sort(byStart), changes, functions }
}
