/** Decides which commands run in Sluice's own shell behind a policy, applies its limits to them, and plans them. */
import * as Result from "effect/Result"
import type { ShellExec } from "../command/ShellExec.ts"
import type { ShellFault } from "../command/ShellFault.ts"
import type { ScriptPlan } from "../script/ScriptPlan.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { CompiledRules } from "./CompiledRules.ts"
import { isContained } from "./containedUtility.ts"
import { type BoundedScript, boundScript, isUnchecked } from "./decide.ts"
import { planScript } from "./planScript.ts"
import { notAllowed, toShellFault } from "./PolicyRefusal.ts"

/** Whether a command runs in our own shell: a script, or a utility that the policy has without a process. */
export const runsInOwnShell = (exec: ShellExec, rules: CompiledRules): boolean =>
  !isUnchecked(rules) && (exec.useShell || isContained(rules, exec))

/** Applies the limits of a policy to a script. Fails where scripts do not run, on Windows. */
export const applyLimits = (exec: ShellExec, rules: CompiledRules): Result.Result<BoundedScript, ShellFault> => {
  if (rules.platform !== "windows") return boundScript(exec, rules)
  const issue = "scripts are not allowed on Windows: run a program with its arguments"
  return Result.fail(toShellFault(exec.commandId, notAllowed("script", "", issue)))
}

/** Plans a script whose limits have been applied. */
export const planLimited = (
  exec: ShellExec,
  rules: CompiledRules,
  { capabilities: { isolated } }: Pick<ShellService, "capabilities">,
): ScriptPlan => {
  const directory = exec.workingDirectory === undefined ? undefined : rules.files?.directory(exec.workingDirectory)
  return planScript(exec, rules, { directory: directory?._tag === "Seen" ? directory.seen : undefined, isolated })
}
