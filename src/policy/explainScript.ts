/** Lists the commands of a script with the decisions about them, by the plan by which the script would run. */
import type { ScriptPlan } from "../script/ScriptPlan.ts"
import { parse, type ShellSyntaxError } from "../shell-language/ShellLanguage.ts"
import type { ExplainedCommand } from "./ExplainedCommand.ts"
import { readScriptCalls } from "./scriptCalls.ts"
import { ScriptExplanation } from "./ScriptExplanation.ts"

/** The position of each offset of a rising list. */
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

/** Explains a script; the error is that of its syntax. */
export const explainScript = (text: string, plan: ScriptPlan): ReadonlyArray<ExplainedCommand> | ShellSyntaxError => {
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
