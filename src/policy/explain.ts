/** Explains what a policy decides about a command or about the commands of a script, without running them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { isSecret, reveal } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { AccessPolicyError } from "./AccessPolicyError.ts"
import type { AccessPolicySettings } from "./accessPolicyFields.ts"
import { compileRules } from "./CompiledRules.ts"
import { decide } from "./decide.ts"
import type { CommandDecision, ExplainedCommand } from "./ExplainedCommand.ts"
import { explainScript } from "./explainScript.ts"
import { misfit } from "./guardShell.ts"
import { quoteForMessage } from "./nameMatcher.ts"
import { boundPlanned, isPlanned, planBounded } from "./plannedScripts.ts"
import { ProgramDecisions } from "./ProgramDecisions.ts"

/** The decision of a fault, as the shell of a script takes it. */
const decisionOf = ({ message, reason }: ShellFault): CommandDecision =>
  reason._tag === "PermissionDenied" || (reason._tag === "NotFound" && reason.what === "command")
    ? { _tag: "Missing" }
    : { _tag: "Refused", message }

/** Explains a command. Fails where the run would fail as a whole, and for the syntax of a script. */
export const explain = (
  policy: AccessPolicySettings,
  exec: ShellExec,
  shell: ShellService,
): Effect.Effect<ReadonlyArray<ExplainedCommand>, ShellFault | AccessPolicyError> =>
  Effect.gen(function* () {
    const error = misfit(policy, shell)
    if (error !== undefined) return yield* Effect.fail(error)
    const rules = compileRules(policy, shell.files, shell.capabilities.platform)
    const words = [exec.command, ...exec.arguments]
    const command = exec.useShell
      ? exec.command
      : words.map((word) => isSecret(word) ? "<redacted>" : quoteForMessage(word)).join(" ")
    if (!isPlanned(exec, rules)) {
      const decision = Result.match(decide(exec, rules), {
        onSuccess: ({ pinned }): CommandDecision => ({ _tag: "Allowed", path: pinned?.program?.path ?? exec.command }),
        onFailure: decisionOf,
      })
      return [{ command, position: undefined, decision }]
    }
    const planned = Result.map(boundPlanned(exec, rules), ({ exec: bounded }) => planBounded(bounded, rules, shell))
    if (!exec.useShell) {
      const decision = Result.match(planned, {
        onSuccess: (plan) => {
          const state = { directory: plan.cwd, env: new Map(plan.env) }
          return new ProgramDecisions(plan).decide(words.map((word) => reveal(word) ?? ""), [state])
        },
        onFailure: decisionOf,
      })
      return [{ command, position: undefined, decision }]
    }
    const plan = yield* Effect.fromResult(planned)
    const explained = explainScript(exec.command, plan)
    if (!(explained instanceof Error)) return explained
    const { message } = explained
    return yield* ShellFault.because(
      exec.commandId,
      { _tag: "InvalidRequest", field: "command", code: "EINVAL" },
      `exec: the script cannot be read: ${message.replace(/^shell: /, "")} (EINVAL)`,
    )
  })
