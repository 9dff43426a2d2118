/** Keeps variables from what redirections of a program assign: bash expands those in the program's process. */
import type { Node, Redirect } from "../../shell-language/SyntaxTree.ts"
import { walk } from "../../shell-language/ShellLanguage.ts"
import { applyRedirections } from "./redirections.ts"

/** The names that `$((name++))`, `$((name = 1))` and `${name=text}` in redirections assign. */
const assignedNames = (redirects: ReadonlyArray<Redirect>): ReadonlySet<string> => {
  const names = new Set<string>()
  const visit = (node: Node): boolean => {
    // A substitution is a process of its own.
    if (node._tag === "CommandSubstitution" || node._tag === "ProcessSubstitution") return false
    if (node._tag === "ArithmeticUpdate" || node._tag === "ArithmeticAssignment") names.add(node.target.name)
    if (node._tag === "Parameter" && node.operation?._tag === "ParameterFallback" && node.operation.operator === "=") {
      names.add(node.name)
    }
    return true
  }
  for (const redirect of redirects) walk(redirect, visit)
  return names
}

/** Applies the redirections of a program or a subshell: what they assign is gone afterwards. */
export const applyInProcess: typeof applyRedirections = async (shell, redirects, undo, unopened) => {
  const { variables } = shell
  const kept = Array.from(assignedNames(redirects), (name) => [name, variables.find(name)?.clone()] as const)
  try {
    await applyRedirections(shell, redirects, undo, unopened)
  } finally {
    for (const [name, before] of kept) {
      if (before === undefined) variables.unset(name)
      else Object.assign(variables.need(name), { value: before.value, array: before.array, table: before.table })
    }
  }
}
