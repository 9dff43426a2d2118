/** Explains the decisions of a policy about a command or the commands of a script, without running them. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { quoteIfNeeded } from "../base/quote.ts"
import { isSecret, reveal } from "../command/Secret.ts"
import type { ShellExec } from "../command/ShellExec.ts"
import { ShellFault } from "../command/ShellFault.ts"
import type { ShellService } from "../shell/ShellService.ts"
import type { AccessPolicyError } from "./AccessPolicyError.ts"
import type { AccessPolicySettings } from "./accessPolicyFields.ts"
import { compileRules } from "./CompiledRules.ts"
import { decide } from "./decide.ts"
import type { CommandDecision, ExplainedCommand } from "./ExplainedCommand.ts"
import { unenforceable } from "./guardShell.ts"
import { applyLimits, planLimited, runsInOwnShell } from "./ownShellScripts.ts"
import { ProgramDecisions } from "./ProgramDecisions.ts"
import type { ScriptPlan } from "../script/ScriptPlan.ts"
import { parse, type ShellSyntaxError } from "../shell-language/ShellLanguage.ts"
import { readScriptCalls } from "./readScriptCalls.ts"
import { ScriptExplanation } from "./ScriptExplanation.ts"

const positionsOf = (text: string): (offset: number) => NonNullable<ExplainedCommand["position"]> => {
  let [line, start] = [1, 0]
  return (offset) => {
    for (let end = text.indexOf("\n", start); end >= 0 && end < offset; end = text.indexOf("\n", start)) {
      line++
      start = end + 1
    }
    return { line, column: offset - start + 1 }
  }
}

const explainScript = (text: string, plan: ScriptPlan): ReadonlyArray<ExplainedCommand> | ShellSyntaxError => {
  const script = parse(text, { coprocesses: true })
  if (script._tag === "Failure") return script.failure
  const calls = readScriptCalls(script.success, text)
  const explanation = new ScriptExplanation(plan, calls)
  const found = [
    ...calls.calls.flatMap((call) =>
      call.words.length === 0 ? [] : [{ span: call.node.span, decision: explanation.call(call) }]
    ),
    ...calls.redirects.map(({ isDeferred, node }) => ({
      span: node.span,
      decision: explanation.redirect(node, isDeferred),
    })),
  ].sort((a, b) => a.span.start - b.span.start)
  const position = positionsOf(text)
  return found.flatMap(({ decision, span }) =>
    decision === undefined ? [] : [{
      ...{ command: text.slice(span.start, span.end), position: position(span.start), decision },
    }]
  )
}

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
    const error = unenforceable(policy, shell)
    if (error !== undefined) return yield* Effect.fail(error)
    const rules = compileRules(policy, shell.files, shell.capabilities.platform)
    const words = [exec.command, ...exec.arguments]
    const command = exec.useShell
      ? exec.command
      : words.map((word) => isSecret(word) ? "<redacted>" : quoteIfNeeded(word)).join(" ")
    if (!runsInOwnShell(exec, rules)) {
      const decision = Result.match(decide(exec, rules), {
        onSuccess: ({ pinned }): CommandDecision => ({ _tag: "Allowed", path: pinned?.program?.path ?? exec.command }),
        onFailure: decisionOf,
      })
      return [{ command, position: undefined, decision }]
    }
    const planned = Result.map(applyLimits(exec, rules), ({ exec: bounded }) => planLimited(bounded, rules, shell))
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
